import type { RecordsPage } from '../../contract/talk'
import { replyOf, turnsOf, wordsOf } from './contents'
import type { Desk } from './desk'
import type { BookRow, RecordBook } from './record-book'

export interface RecordsRequest {
  type?: string | undefined
  text?: string | undefined
  before?: number | undefined
  limit: number
}

/** Contents read for one page at most: each is a request of its own. */
const CONTENTS_A_PAGE = 200
const AT_ONCE = 8
/** Contents kept for searching again. */
const KEPT = 2_000

/** Reads and keeps what records say, for looking through them. */
export class ContentCache {
  private readonly texts = new Map<string, string>()

  /** All text of a record, lower case; empty where the service keeps it no more. */
  async textOf(desk: Desk, scenario: string, row: BookRow): Promise<string> {
    const key = `${scenario} ${row.id}`
    const known = this.texts.get(key)
    if (known !== undefined) return known
    const payload = await readContent(desk, scenario, row.id)
    const parts = [
      ...(turnsOf(payload) ?? []).map(({ text }) => text),
      replyOf(payload) ?? '',
      ...Object.values(wordsOf(payload)).map((one) => one ?? '')
    ]
    const text = parts.join('\n').toLowerCase()
    this.texts.set(key, text)
    const oldest = this.texts.keys().next()
    if (this.texts.size > KEPT && oldest.done !== true) this.texts.delete(oldest.value)
    return text
  }
}

/** A record's content; null when it was evicted. */
export function readContent(desk: Desk, scenario: string, id: string): Promise<unknown> {
  return desk.content(scenario, id)
}

function saysIt(row: BookRow, wanted: string): boolean {
  return (
    row.id.toLowerCase().includes(wanted) ||
    row.references.some((id) => id.toLowerCase().includes(wanted)) ||
    (row.releaseId?.toLowerCase().includes(wanted) ?? false) ||
    (row.score !== null && String(row.score) === wanted)
  )
}

/** Index of the newest row older than a sequence number. */
function startOf(rows: readonly BookRow[], before: number | undefined): number {
  if (before === undefined) return rows.length - 1
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.sequence ?? 0) < before) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** A page of records, newest first. With a text it ends early when it has read enough contents. */
export async function findRecords(
  desk: Desk,
  book: RecordBook,
  contents: ContentCache,
  { type, text, before, limit }: RecordsRequest
): Promise<RecordsPage> {
  const { rows } = book
  const wanted = text?.trim().toLowerCase() ?? ''
  const found: BookRow[] = []
  let at = startOf(rows, before)
  let read = 0
  let scanned = 0
  while (at >= 0 && found.length < limit && read < CONTENTS_A_PAGE) {
    const group = rows.slice(Math.max(0, at - AT_ONCE + 1), at + 1).reverse()
    const fits = await Promise.all(
      group.map(async (row) => {
        if (type !== undefined && row.type !== type) return false
        if (wanted === '' || saysIt(row, wanted)) return true
        read += 1
        return (await contents.textOf(desk, book.scenario, row)).includes(wanted)
      })
    )
    for (const [index, row] of group.entries()) {
      if (found.length >= limit) break
      at -= 1
      scanned += 1
      if (fits[index] === true) found.push(row)
    }
  }
  const last = rows[at + 1]
  return {
    records: found.map((row) => desk.shown(book, row)),
    next: at < 0 || last === undefined ? null : last.sequence,
    scanned,
    total: rows.length,
    complete: book.complete
  }
}
