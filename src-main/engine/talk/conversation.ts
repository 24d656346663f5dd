import type { Conversation, ReportText } from '../../contract/talk'
import { fail, type Redactor } from '../lib'
import { replyOf, turnsOf, wordsOf } from './contents'
import type { Desk } from './desk'
import type { BookRow, RecordBook } from './record-book'
import { readContent } from './record-search'

const LONGEST_RAW = 65_536
/** Reports whose words are read: each is a request of its own, and nothing bounds how many name one answer. */
const MOST_REPORTS = 100

/** An answer with everything reported on it; asked by a report, the answer it is about. */
export async function conversationOf(
  desk: Desk,
  book: RecordBook,
  id: string,
  redact: Redactor
): Promise<Conversation> {
  const row = book.byId.get(id)
  if (row === undefined) return unknownRecord(id, book.scenario)
  const answer = answerOf(book, row)
  const all = answer === null ? [row] : (book.about.get(answer.id) ?? [])
  const reports = newestWith(all, row)
  const payload = answer === null ? null : await readContent(desk, book.scenario, answer.id)
  const raw = payload === null ? null : redact(JSON.stringify(payload, null, 2))
  const reply = replyOf(payload)
  return {
    answer: answer === null ? null : desk.shown(book, answer),
    turns: turnsOf(payload)?.map(({ role, text }) => ({ role, text: redact(text) })) ?? null,
    reply: reply === null ? null : redact(reply),
    raw: raw === null ? null : raw.slice(0, LONGEST_RAW),
    reports: await Promise.all(reports.map((report) => reportText(desk, book, report, redact))),
    reportsTotal: all.length
  }
}

/** The newest reports, oldest first, and the one that was asked for. */
function newestWith(all: readonly BookRow[], asked: BookRow): BookRow[] {
  const newest = all.slice(-MOST_REPORTS)
  return asked.type === 'report' && !newest.includes(asked) ? [asked, ...newest] : newest
}

/** A report's answer is the first it names that is there; any other record is its own subject. */
function answerOf(book: RecordBook, row: BookRow): BookRow | null {
  if (row.type !== 'report') return row
  for (const id of row.references) {
    const found = book.byId.get(id)
    if (found !== undefined) return found
  }
  return null
}

async function reportText(
  desk: Desk,
  book: RecordBook,
  row: BookRow,
  redact: Redactor
): Promise<ReportText> {
  const { words, metadata } = wordsOf(await readContent(desk, book.scenario, row.id))
  return {
    record: desk.shown(book, row),
    words: words === null ? null : redact(words),
    metadata: metadata === null ? null : redact(metadata)
  }
}

function unknownRecord(id: string, scenario: string): never {
  return fail({
    code: 'record-not-found',
    what: {
      en: `The scenario “${scenario}” has no record of this id.`,
      zh: `场景“${scenario}”中没有该 id 的记录。`
    },
    where: id,
    remedy: {
      en: 'Look in another scenario: an id belongs to one only.',
      zh: '请到其他场景中查找：一个 id 只属于一个场景。'
    }
  })
}
