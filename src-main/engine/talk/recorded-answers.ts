import type { NamedRelease } from '../../contract/talk'
import type { Redactor } from '../lib'
import { replyOf, turnsOf } from './contents'
import type { Desk } from './desk'
import type { RecordBook } from './record-book'
import { readContent } from './record-search'

/** An answer the service still keeps, with the prompt it was given to (the last user turn). */
export interface RecordedAnswer {
  id: string
  prompt: string
  reply: string
  release: NamedRelease
  /** Unix milliseconds. */
  at: number | null
}

const AT_ONCE = 8

/** Answers of a scenario, newest first; `step` keeps those of one release. What was evicted is left out. */
export async function* recordedAnswers(request: {
  desk: Desk
  book: RecordBook
  step: number | null
  redact: Redactor
  signal?: AbortSignal | undefined
}): AsyncGenerator<RecordedAnswer, void, undefined> {
  const { desk, book, step, redact, signal } = request
  const rows = book.rows.filter(
    (row) =>
      row.type === 'inference' && (step === null || desk.named(book, row.releaseId).step === step)
  )
  for (let end = rows.length; end > 0 && signal?.aborted !== true; end -= AT_ONCE) {
    const group = rows.slice(Math.max(0, end - AT_ONCE), end).reverse()
    const contents = await Promise.all(
      group.map(async (row) => ({ row, payload: await readContent(desk, book.scenario, row.id) }))
    )
    for (const { row, payload } of contents) {
      const prompt = turnsOf(payload)
        ?.filter(({ role }) => role === 'user')
        .at(-1)?.text
      const reply = replyOf(payload)
      if (prompt === undefined || reply === null) continue
      yield {
        id: row.id,
        prompt: redact(prompt),
        reply: redact(reply),
        release: desk.named(book, row.releaseId),
        at: row.createdAt
      }
    }
  }
}
