import { patternFlags } from '@contract/logs'

/** A piece of a line; `hit` is what was sought. Pieces put together give the line again. */
export interface Piece {
  text: string
  hit: boolean
}

/** What is sought and how. */
export interface Sought {
  text: string
  regex: boolean
  caseSensitive: boolean
}

/** Hits marked in one line; a pattern that fits everywhere would make a thousand elements of it. */
const MOST = 64
/** Characters of a line in which a pattern is looked for here: the engine, which can stop one, has searched it all. */
const LOOKED_AT = 2000

/** Cuts a line at every place where what is sought stands. */
export function splitMatch(line: string, sought: Sought): Piece[] {
  const whole = [{ text: line, hit: false }]
  if (sought.text === '') return whole
  const pattern = patternOf(sought)
  if (pattern === null) return whole
  const pieces: Piece[] = []
  let from = 0
  const looked = sought.regex ? line.slice(0, LOOKED_AT) : line
  for (const match of looked.matchAll(pattern)) {
    if (match[0] === '' || pieces.length >= MOST * 2) continue
    if (match.index > from) pieces.push({ text: line.slice(from, match.index), hit: false })
    pieces.push({ text: match[0], hit: true })
    from = match.index + match[0].length
  }
  if (from < line.length || pieces.length === 0) pieces.push({ text: line.slice(from), hit: false })
  return pieces
}

/** Null for a pattern that is none; the search itself says what is wrong with it. */
function patternOf({ text, regex, caseSensitive }: Sought): RegExp | null {
  try {
    const source = regex ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return new RegExp(source, `g${patternFlags(source, caseSensitive)}`)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null
    throw thrown
  }
}
