import type { ScalarNode, Span } from './yaml-tree'

/** A scalar's content in the order written, with where each character stands in the source. */
export interface PlacedText {
  text: string
  /** Source offset of the character at `index`; of the end for `text.length`. */
  offsetAt(index: number): number
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\u001b',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029'
}
const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/**
 * What is written at `span` (the whole scalar, quotes included). Line breaks stay as they are, so a folded text has a
 * break where its value has a blank; the escapes of quoted styles are undone (YAML 1.1 §5.6).
 */
export function placedText(source: string, node: ScalarNode, span: Span): PlacedText {
  const quote = node.style === 'double' ? '"' : node.style === 'single' ? "'" : null
  // An alias stands for a quoted text without being one.
  if (quote === null || source.charAt(span.start) !== quote) {
    return { text: source.slice(span.start, span.end), offsetAt: (index) => span.start + index }
  }
  const end = Math.max(span.start + 1, span.end - 1)
  const offsets: number[] = []
  let text = ''
  for (let at = span.start + 1; at < end;) {
    const one = quote === '"' ? escaped(source, at) : doubled(source, at)
    text += one.text
    for (let unit = 0; unit < one.text.length; unit += 1) offsets.push(at)
    at += one.length
  }
  return { text, offsetAt: (index) => offsets[index] ?? end }
}

interface Piece {
  text: string
  /** Characters of the source it is written with. */
  length: number
}

function doubled(source: string, at: number): Piece {
  const char = source.charAt(at)
  return { text: char, length: char === "'" ? 2 : 1 }
}

function escaped(source: string, at: number): Piece {
  const char = source.charAt(at)
  if (char !== '\\') return { text: char, length: 1 }
  const letter = source.charAt(at + 1)
  const digits = HEX[letter]
  if (digits !== undefined) {
    const code = Number.parseInt(source.slice(at + 2, at + 2 + digits), 16)
    const known = code >= 0 && code <= 0x10ffff
    return { text: known ? String.fromCodePoint(code) : '', length: 2 + digits }
  }
  // A backslash at the end of a line joins it with the next one.
  const join = /^\\\r?\n[ \t]*/.exec(source.slice(at, at + 200))
  if (join !== null) return { text: '', length: join[0].length }
  return { text: ESCAPES[letter] ?? letter, length: 2 }
}
