import type { LearntFrom, LearntRecord } from '../../contract/release-detail'
import type { Redactor } from '../lib'
import { replyOf, turnsOf, wordsOf } from './contents'
import type { Desk } from './desk'
import type { BookRow, RecordBook } from './record-book'
import { readContent } from './record-search'

/** Records shown; the scores are of all. */
const MOST_RECORDS = 100
/** Reports whose words are read: each is a request of its own. */
const MOST_WORDS = 24
const AT_ONCE = 8
/** Records whose question and answer are read: each is a request of its own. */
const MOST_SAID = 8
/** Characters of a first line that are shown. */
const LONGEST_LINE = 120

/** Records a chain step learnt from, newest first: reports with score and words, and the answers they are about. */
export async function learntFrom(
  desk: Desk,
  book: RecordBook,
  step: number,
  redact: Redactor
): Promise<Pick<LearntFrom, 'records' | 'scores'>> {
  const rows: BookRow[] = []
  for (let at = book.rows.length - 1; at >= 0; at -= 1) {
    const row = book.rows[at]
    const learnt = row === undefined ? null : book.learntBy(row)
    if (row !== undefined && learnt !== null && desk.chainStep(book.scenario, learnt) === step)
      rows.push(row)
  }
  const shown = rows.slice(0, MOST_RECORDS)
  const words = await wordsIn(desk, book, shown, redact)
  const said = await saidIn(desk, book, shown, redact)
  return {
    records: shown.map((row): LearntRecord => ({
      ...desk.shown(book, row),
      words: words.get(row.id) ?? null,
      said: said.get(row.id) ?? null
    })),
    scores: scoresOf(rows)
  }
}

async function wordsIn(
  desk: Desk,
  book: RecordBook,
  rows: readonly BookRow[],
  redact: Redactor
): Promise<Map<string, string>> {
  const reports = rows.filter(({ type }) => type === 'report').slice(0, MOST_WORDS)
  const found = new Map<string, string>()
  for (let at = 0; at < reports.length; at += AT_ONCE)
    await Promise.all(
      reports.slice(at, at + AT_ONCE).map(async ({ id }) => {
        const { words } = wordsOf(await readContent(desk, book.scenario, id))
        if (words !== null) found.set(id, redact(words))
      })
    )
  return found
}

/** Question and answer of the first records, reports before the answers that they are about. */
async function saidIn(
  desk: Desk,
  book: RecordBook,
  rows: readonly BookRow[],
  redact: Redactor
): Promise<Map<string, NonNullable<LearntRecord['said']>>> {
  const found = new Map<string, NonNullable<LearntRecord['said']>>()
  const reports = rows.filter(({ type }) => type === 'report')
  await Promise.all(
    (reports.length > 0 ? reports : rows).slice(0, MOST_SAID).map(async (row) => {
      const answer = row.type === 'report' ? row.references[0] : row.id
      if (answer === undefined) return
      const said = saidBy(await readContent(desk, book.scenario, answer), redact)
      if (said !== null) found.set(row.id, said)
    })
  )
  return found
}

/** First lines of the last question of a recorded answer and of what it was answered; null when it is in no form known. */
export function saidBy(payload: unknown, redact: Redactor): LearntRecord['said'] {
  const question = turnsOf(payload)
    ?.filter(({ role }) => role === 'user')
    .at(-1)?.text
  const answer = replyOf(payload)
  if (question === undefined || answer === null) return null
  return { question: firstLine(redact(question)), answer: firstLine(redact(answer)) }
}

/** The first line of a text, cut where a list has no more room. */
export function firstLine(text: string): string {
  const [line = ''] = text.trim().split(/\r?\n/)
  const letters = [...line]
  return letters.length > LONGEST_LINE ? `${letters.slice(0, LONGEST_LINE).join('')}…` : line
}

function scoresOf(rows: readonly BookRow[]): LearntFrom['scores'] {
  const scores = rows.flatMap(({ type, score }) =>
    type === 'report' && score !== null ? [score] : []
  )
  if (scores.length === 0) return null
  return {
    n: scores.length,
    mean: scores.reduce((sum, one) => sum + one, 0) / scores.length,
    least: scores.reduce((least, one) => Math.min(least, one)),
    most: scores.reduce((most, one) => Math.max(most, one))
  }
}
