import { Lexer } from 'yaml'
import type { Span } from './yaml-tree'

/** `&name` or `*name` where it stands. */
export interface YamlMark extends Span {
  kind: 'anchor' | 'alias'
  name: string
}

/** What the lexer puts before the text of a scalar. */
const SCALAR = '\u001f'

/** Anchors and aliases of a text in order, told by the lexer from text that only looks like one. */
export function yamlMarks(text: string): YamlMark[] {
  const found: YamlMark[] = []
  let offset = 0
  let before = ''
  for (const token of new Lexer().lex(text)) {
    const last = before
    before = token
    // Control characters mark structure and are not part of the text.
    if (!text.startsWith(token, offset)) continue
    const start = offset
    offset += token.length
    const sign = token.charAt(0)
    if (last === SCALAR || token.length < 2 || (sign !== '&' && sign !== '*')) continue
    const kind = sign === '&' ? 'anchor' : 'alias'
    found.push({ kind, name: token.slice(1), start, end: offset })
  }
  return found
}
