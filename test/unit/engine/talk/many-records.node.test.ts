import { expect, it } from 'vitest'
import { conversationOf } from '../../../../src-main/engine/talk/conversation'
import { Desk } from '../../../../src-main/engine/talk/desk'
import { sortFeedback } from '../../../../src-main/engine/talk/feedback'
import type { BookRow } from '../../../../src-main/engine/talk/record-book'
import { ContentCache, findRecords } from '../../../../src-main/engine/talk/record-search'

const MANY = 100_000
const PAGE = 2000

/** One answer, and everybody else's reports on it. */
const rows = Array.from({ length: MANY }, (_, at): BookRow => {
  const type = at === 0 ? 'inference' : 'report'
  return {
    id: `r-${at}`,
    sequence: at + 1,
    type,
    createdAt: at,
    releaseId: 'head',
    references: at === 0 ? [] : ['r-0'],
    score: at === 0 ? null : at % 2
  }
})

class ManyDesk extends Desk {
  read = 0

  constructor() {
    const chain = { releases: [], complete: true, scenario: 's' }
    super('run', { chain: () => Promise.resolve(chain as never) }, 4, null)
  }

  protected source(): ReturnType<Desk['source']> {
    return Promise.resolve({
      rows: (after) =>
        Promise.resolve({
          rows: rows.slice(after, after + PAGE),
          done: after + PAGE >= MANY
        }),
      commits: () => Promise.resolve({ commits: [], done: true }),
      creation: () => Promise.resolve('head'),
      content: ({ id }) => {
        this.read += 1
        return Promise.resolve({ feedback: `words of ${id}` })
      }
    })
  }
}

it('a hundred thousand reports on one answer are read, sorted, paged and shown', async () => {
  const desk = new ManyDesk()
  const book = await desk.book('s')
  expect(book).toMatchObject({ complete: true })
  expect(book.about.get('r-0')).toHaveLength(MANY - 1)
  const sorted = sortFeedback({
    rows: book.rows,
    has: (id) => book.byId.has(id),
    reportsOn: (id) => book.about.get(id)?.length ?? 0,
    learntBy: (row) => book.learntBy(row),
    elsewhere: () => null,
    partial: false
  })
  expect(sorted).toMatchObject({ answers: 1, reports: MANY - 1, learnt: 0, astray: [] })
  const cache = new ContentCache()
  const answers = await findRecords(desk, book, cache, { type: 'inference', limit: 50 })
  expect(answers).toMatchObject({ records: [{ id: 'r-0' }], next: null, total: MANY })

  const told = await conversationOf(desk, book, 'r-5', (text) => text)
  expect(told.reportsTotal).toBe(MANY - 1)
  expect(told.reports).toHaveLength(101)
  expect(told.reports[0]).toMatchObject({ record: { id: 'r-5' }, words: 'words of r-5' })
  expect(told.reports.at(-1)?.record.id).toBe(`r-${MANY - 1}`)
  // The answer and the reports that are shown: nothing is asked for that nobody sees.
  expect(desk.read).toBe(102)
})
