import type { PlacedText } from './placed-text'

/** One word of a command line, with where it stands in the source text. */
export interface Token {
  text: string
  start: number
  end: number
}

/**
 * Splits a command line as Python's shlex does (quotes, backslash), keeping offsets. Works on the YAML *source* of a folded
 * scalar, whose line breaks are blanks, so that a marker lands on the very word.
 */
export function splitCommand(placed: PlacedText): Token[] {
  const source = placed.text
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    while (at < source.length && isBlank(source.charCodeAt(at))) at += 1
    if (at >= source.length) break
    const token = readWord(source, at)
    const [start, end] = [placed.offsetAt(at), placed.offsetAt(token.end)]
    tokens.push({ text: token.text, start, end })
    at = token.end
  }
  return tokens
}

/** Why a command line cannot be split: a quote nobody closes, or a backslash with nothing behind it. */
interface CommandFault {
  kind: 'quote' | 'escape'
  /** Index into the text. */
  at: number
}

/** What Python's shlex would refuse in a command line; null when it can be split. */
export function commandFault(text: string): CommandFault | null {
  let quote = ''
  let opened = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\' && quote !== "'") {
      if (at + 1 >= text.length) return { kind: 'escape', at }
      at += 1
    } else if (char === quote) quote = ''
    else if (quote === '' && (char === '"' || char === "'")) {
      quote = char
      opened = at
    }
  }
  return quote === '' ? null : { kind: 'quote', at: opened }
}

function readWord(source: string, start: number): { text: string; end: number } {
  let text = ''
  let at = start
  let quote = ''
  while (at < source.length) {
    const char = source.charAt(at)
    if (quote === '' && isBlank(source.charCodeAt(at))) break
    if (quote === '' && (char === '"' || char === "'")) quote = char
    else if (char === quote) quote = ''
    else if (char === '\\' && quote !== "'" && at + 1 < source.length) {
      const next = source.charAt(at + 1)
      // Inside double quotes a backslash is one, unless it escapes the quote or itself.
      text += quote === '"' && next !== '"' && next !== '\\' ? char + next : next
      at += 1
    } else text += char
    at += 1
  }
  return { text, end: at }
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13
}

/** One `--flag`, `--flag=value` or `--flag value [value…]` of a command line. */
export interface CommandFlag {
  /** Without the leading dashes, underscores as written. */
  name: string
  /** Null for a bare switch. */
  value: string | null
  nameSpan: { start: number; end: number }
  valueSpan: { start: number; end: number } | null
  span: { start: number; end: number }
}

/** Flags of a command line; words that belong to no flag come back as `loose`. */
export function commandFlags(tokens: readonly Token[]): { flags: CommandFlag[]; loose: Token[] } {
  const flags: CommandFlag[] = []
  const loose: Token[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (token === undefined) continue
    if (!isFlag(token.text)) {
      loose.push(token)
      continue
    }
    const equals = token.text.indexOf('=')
    if (equals !== -1) {
      flags.push(joined(token, equals))
      continue
    }
    const values: Token[] = []
    for (let next = at + 1; next < tokens.length; next += 1) {
      const candidate = tokens[next]
      if (candidate === undefined || isFlag(candidate.text) || isComment(candidate.text)) break
      if (candidate.text.startsWith('${') || /^-[A-Za-z]/.test(candidate.text)) break
      values.push(candidate)
    }
    at += values.length
    flags.push(spaced(token, values))
  }
  return { flags, loose }
}

function isFlag(text: string): boolean {
  return text.length > 2 && text.startsWith('--')
}

function isComment(text: string): boolean {
  return text.startsWith('#')
}

function joined(token: Token, equals: number): CommandFlag {
  const name = token.text.slice(2, equals)
  const nameEnd = token.start + equals
  return {
    name,
    value: token.text.slice(equals + 1),
    nameSpan: { start: token.start, end: nameEnd },
    valueSpan: { start: nameEnd + 1, end: token.end },
    span: { start: token.start, end: token.end }
  }
}

function spaced(token: Token, values: readonly Token[]): CommandFlag {
  const first = values[0]
  const last = values[values.length - 1]
  return {
    name: token.text.slice(2),
    value: first === undefined ? null : values.map((value) => value.text).join(' '),
    nameSpan: { start: token.start, end: token.end },
    valueSpan:
      first === undefined || last === undefined ? null : { start: first.start, end: last.end },
    span: { start: token.start, end: last?.end ?? token.end }
  }
}
