import type { Redactor } from '../lib'
import { wordsOf } from './contents'
import { firstLine, saidBy } from './learnt'

/** How a record begins, in one line: an answer with what it answers, or the words of a report. Null where none are kept. */
export function firstWordsOf(payload: unknown, redact: Redactor): string | null {
  const said = saidBy(payload, redact)
  if (said !== null) return `${said.question} → ${said.answer}`
  const { words } = wordsOf(payload)
  return words === null ? null : firstLine(redact(words))
}
