/** A key of a YAML text and the lines it holds, 1-based and inclusive. */
export interface OutlineEntry {
  name: string
  line: number
  column: number
  endLine: number
  children: OutlineEntry[]
}

/** The keys of a block-style YAML text, by indentation; so it also works while the text is half written. */
export function outlineOf(text: string): OutlineEntry[] {
  const lines = text.split(/\r?\n/)
  const root: OutlineEntry[] = []
  const open: { indent: number; entry: OutlineEntry }[] = []
  let lastContent = 0
  const close = (indent: number): void => {
    while (open.length > 0 && (open.at(-1)?.indent ?? -1) >= indent) {
      const closed = open.pop()
      if (closed !== undefined) closed.entry.endLine = Math.max(closed.entry.line, lastContent)
    }
  }
  lines.forEach((line, at) => {
    if (/^\s*(#|$)/.test(line)) return
    const match = /^(\s*(?:- )*)["']?([^\s#"':][^"':]*)["']?\s*:(?:\s|$)/.exec(line)
    const indent = line.length - line.trimStart().length
    if (match !== null) {
      const lead = match[1]?.length ?? 0
      close(lead)
      const entry: OutlineEntry = {
        name: match[2] ?? '',
        line: at + 1,
        column: lead + 1,
        endLine: at + 1,
        children: []
      }
      ;(open.at(-1)?.entry.children ?? root).push(entry)
      open.push({ indent: lead, entry })
    } else close(indent + 1)
    lastContent = at + 1
  })
  close(-1)
  return root
}
