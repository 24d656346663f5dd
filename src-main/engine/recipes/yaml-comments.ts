import { Lexer } from 'yaml'
import type { KeptComment } from './outline'
import { LineIndex, type YamlSource } from './yaml-tree'

interface Comment {
  text: string
  line: number
  ownLine: boolean
  taken: boolean
}

/** The comments of a text, handed out to the keys they belong to: those right above, and the one behind. */
export interface CommentBook {
  /** Comments of the key that starts at this offset; each comment is given once. */
  take(keyStart: number): KeptComment[]
  /** Lines of comment before the key that starts at this offset. */
  head(keyStart: number): string[]
  /** What nobody took, in order. */
  rest(): string[]
}

export function yamlComments(source: YamlSource): CommentBook {
  const comments = findComments(source.text)
  const byLine = new Map(comments.map((comment) => [comment.line, comment]))
  const takeAt = (line: number, ownLine: boolean): Comment | undefined => {
    const comment = byLine.get(line)
    if (comment === undefined || comment.taken || comment.ownLine !== ownLine) return undefined
    comment.taken = true
    return comment
  }
  return {
    take(keyStart) {
      const { line } = source.positionOf(keyStart)
      const above: KeptComment[] = []
      for (let at = line - 1; at > 0; at -= 1) {
        const comment = takeAt(at, true)
        if (comment === undefined) break
        above.unshift({ text: comment.text, where: 'above' })
      }
      const behind = takeAt(line, false)
      return behind === undefined ? above : [...above, { text: behind.text, where: 'behind' }]
    },
    head(keyStart) {
      const { line } = source.positionOf(keyStart)
      const before = comments.filter((one) => one.ownLine && !one.taken && one.line < line)
      for (const one of before) one.taken = true
      return before.map(({ text }) => text)
    },
    rest: () => comments.filter((comment) => !comment.taken).map((comment) => comment.text)
  }
}

/** The lexer knows a comment from a `#` inside quotes or a block scalar. */
function findComments(text: string): Comment[] {
  const lines = new LineIndex(text)
  const found: Comment[] = []
  let offset = 0
  for (const token of new Lexer().lex(text)) {
    const at = text.indexOf(token, offset)
    // Control characters mark structure and are not part of the text.
    if (at !== offset) continue
    if (token.startsWith('#')) {
      const { line, column } = lines.positionOf(offset)
      const before = text.slice(offset - column + 1, offset)
      found.push({ text: token.trimEnd(), line, ownLine: before.trim() === '', taken: false })
    }
    offset += token.length
  }
  return found
}
