import { LineIndex, type Span, type YamlSource } from '../yaml-tree'

/** A class or function of a Python text, told without running it. */
export interface PythonBlock extends Span {
  name: string
  /** Base classes as written; empty for a function or a class without any. */
  bases: readonly string[]
  nameSpan: Span
}

/** One call, with its arguments as written. */
export interface PythonCall extends Span {
  arguments: readonly string[]
}

/**
 * What can be told of a Python file from its text alone: classes, methods and calls. Strings and comments are known, so
 * that none is taken for code; nothing is executed.
 */
export class PythonOutline {
  /** The text with strings and comments blanked; offsets are those of the text. */
  readonly code: string
  readonly classes: readonly PythonBlock[]

  constructor(
    readonly file: string,
    readonly text: string
  ) {
    this.code = blanked(text)
    this.classes = this.blocks(/^([ \t]*)class[ \t]+(\w+)[ \t]*(?:\(([^()]*)\))?[ \t]*:/gm, {
      start: 0,
      end: text.length
    })
  }

  /** Functions directly or deeper inside a block. */
  functions(within: Span): PythonBlock[] {
    return this.blocks(/^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(/gm, within)
  }

  /** Calls of a plain or dotted name inside a block. */
  calls(name: string, within: Span): PythonCall[] {
    const found: PythonCall[] = []
    const pattern = new RegExp(`(?<![\\w])${name}[ \\t]*\\(`, 'g')
    pattern.lastIndex = within.start
    for (let hit = pattern.exec(this.code); hit !== null; hit = pattern.exec(this.code)) {
      if (hit.index >= within.end) break
      const open = hit.index + hit[0].length
      const end = closing(this.code, open)
      found.push({ start: hit.index, end, arguments: this.split(open, end - 1) })
    }
    return found
  }

  /** As a source that findings can point into. */
  source(): YamlSource {
    const lines = new LineIndex(this.text)
    return {
      file: this.file,
      text: this.text,
      root: null,
      problems: [],
      repeated: [],
      positionOf: (offset) => lines.positionOf(offset)
    }
  }

  private blocks(pattern: RegExp, within: Span): PythonBlock[] {
    const found: PythonBlock[] = []
    pattern.lastIndex = within.start
    for (let hit = pattern.exec(this.code); hit !== null; hit = pattern.exec(this.code)) {
      if (hit.index >= within.end) break
      const [whole, indent = '', name = '', bases] = hit
      const nameStart = hit.index + whole.indexOf(name, indent.length + 3)
      found.push({
        name,
        bases: (bases ?? '')
          .split(',')
          .map((base) => base.trim())
          .filter((base) => base !== ''),
        nameSpan: { start: nameStart, end: nameStart + name.length },
        start: hit.index,
        end: this.blockEnd(hit.index + whole.length, indent.length, within.end)
      })
    }
    return found
  }

  /** A block goes on while lines are indented deeper than its head; lines inside brackets count for nothing. */
  private blockEnd(from: number, indent: number, limit: number): number {
    let at = this.code.indexOf('\n', closingLine(this.code, from))
    while (at !== -1 && at < limit) {
      const next = this.code.indexOf('\n', at + 1)
      const line = this.code.slice(at + 1, next === -1 ? limit : next)
      if (line.trim() !== '' && line.length - line.trimStart().length <= indent) return at + 1
      at = next
    }
    return limit
  }

  private split(start: number, end: number): string[] {
    const parts: string[] = []
    let depth = 0
    let from = start
    for (let at = start; at < end; at += 1) {
      const char = this.code.charAt(at)
      if ('([{'.includes(char)) depth += 1
      else if (')]}'.includes(char)) depth -= 1
      else if (char === ',' && depth === 0) {
        parts.push(this.text.slice(from, at).trim())
        from = at + 1
      }
    }
    parts.push(this.text.slice(from, end).trim())
    return parts.filter((part) => part !== '')
  }
}

/** Offset behind the bracket that closes the one before `open`. */
function closing(code: string, open: number): number {
  let depth = 1
  for (let at = open; at < code.length; at += 1) {
    const char = code.charAt(at)
    if ('([{'.includes(char)) depth += 1
    else if (')]}'.includes(char)) depth -= 1
    if (depth === 0) return at + 1
  }
  return code.length
}

/** The head of a function may go on over lines until its brackets close. */
function closingLine(code: string, from: number): number {
  return code.charAt(from - 1) === '(' ? closing(code, from) : from
}

/** Strings (their quotes kept) and comments as blanks, line breaks kept. */
function blanked(text: string): string {
  const pattern =
    /#[^\n]*|"""(?:[^\\]|\\[^])*?(?:"""|$(?![^]))|'''(?:[^\\]|\\[^])*?(?:'''|$(?![^]))|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/g
  return text.replace(pattern, (part) => {
    if (part.startsWith('#')) return ' '.repeat(part.length)
    return part.replace(/[^\n"']/g, ' ')
  })
}
