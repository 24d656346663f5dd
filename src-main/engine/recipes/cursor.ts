/** Where a cursor stands in a YAML text, told from indentation alone, so that it works while the text is half written. */
export interface Cursor {
  /** Keys above the line, outermost first. */
  parents: string[]
  /** Key written on the line, empty when there is none yet. */
  key: string
  /** True when the cursor is behind the colon. */
  inValue: boolean
  /** The word before the cursor. */
  typed: string
  /** Keys already written beside this one. */
  siblings: ReadonlySet<string>
}

/** `line` and `column` from 1, as an editor counts. */
export function cursorAt(text: string, line: number, column: number): Cursor {
  const lines = text.split('\n')
  const current = lines[line - 1] ?? ''
  const before = current.slice(0, Math.max(0, column - 1))
  const key = keyOf(current)
  const colon = current.indexOf(':')
  const inValue = key !== null && colon !== -1 && column - 1 > colon
  const blank = current.trim() === ''
  const indent = blank ? before.length : keyIndent(current)
  const typed = /[^\s:"'[\],]*$/.exec(before)?.[0] ?? ''
  return {
    parents: parentsOf(lines, line - 1, indent),
    key: key ?? (blank ? '' : current.trim()),
    inValue,
    typed,
    siblings: siblingsOf(lines, line - 1, indent)
  }
}

function keyOf(line: string): string | null {
  return /^\s*(?:- )?["']?([^\s#"':][^"':]*)["']?\s*:(?:\s|$)/.exec(line)?.[1] ?? null
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Where the key of a line begins, behind the dash of a list item. */
function keyIndent(line: string): number {
  return /^\s*(?:-\s+)?/.exec(line)?.[0].length ?? 0
}

function isContent(line: string): boolean {
  const trimmed = line.trim()
  return trimmed !== '' && !trimmed.startsWith('#')
}

function parentsOf(lines: readonly string[], from: number, indent: number): string[] {
  const parents: string[] = []
  let limit = indent
  for (let at = from - 1; at >= 0 && limit > 0; at -= 1) {
    const line = lines[at] ?? ''
    if (!isContent(line) || indentOf(line) >= limit) continue
    if (keyIndent(line) >= limit) {
      // The first key of this list item, beside ours: what holds the list may stand as far left as the dash.
      limit = indentOf(line) + 1
      continue
    }
    const key = keyOf(line)
    limit = indentOf(line)
    if (key !== null) parents.unshift(key)
  }
  return parents
}

function siblingsOf(lines: readonly string[], from: number, indent: number): Set<string> {
  const found = new Set<string>()
  const visit = (step: number): void => {
    for (let at = from + step; at >= 0 && at < lines.length; at += step) {
      const line = lines[at] ?? ''
      if (!isContent(line)) continue
      const depth = keyIndent(line)
      if (depth < indent) return
      const key = depth === indent ? keyOf(line) : null
      const item = indentOf(line) < depth
      // Below us, a dash begins the next item of the list; above, it begins ours.
      if (item && step > 0 && depth === indent) return
      if (key !== null) found.add(key)
      if (item && step < 0 && depth === indent) return
    }
  }
  visit(-1)
  visit(1)
  return found
}
