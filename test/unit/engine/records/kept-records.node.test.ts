import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FailureError, systemClock } from '../../../../src-main/engine/lib'
import { commitLogName } from '../../../../src-main/engine/releases'
import { replyOf, turnsOf } from '../../../../src-main/engine/talk/contents'
import { commitLog, keptRecords } from '../../../../src-main/engine/records/kept-records'
import { RecordBook } from '../../../../src-main/engine/talk/record-book'
import { columnsOf } from '../../../../src-main/engine/records/sqlite-table'
import { localFiles } from '../../../../src-main/engine/targets'

/** Made by `make.py` beside it: rows 1 to 140, every fifth of another scenario, the last twenty in the log only. */
const FIXTURE = 'test/fixtures/records'
const files = localFiles(systemClock)
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-kept-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const stem = (scenario: string): string => commitLogName(scenario).replace('.commits.jsonl', '')
const store = (scenario = 'algebra'): string => join(folder, `${stem(scenario)}.sqlite3`)

/** The store in a folder of its own, under the name of a scenario. */
async function placed(log = true): Promise<void> {
  for (const name of await readdir(FIXTURE))
    if (name.includes('.sqlite3') && (log || !name.endsWith('-wal')))
      await copyFile(join(FIXTURE, name), join(folder, name))
}

async function bookOf(scenario: string): Promise<RecordBook> {
  const book = new RecordBook(await keptRecords({ files, folder, scenario }), scenario)
  await book.refresh()
  return book
}

const numbers = (last: number, mine: (n: number) => boolean): string[] =>
  Array.from({ length: last }, (_, index) => index + 1)
    .filter(mine)
    .map((n) => `rec-${n}`)
const algebra = (n: number): boolean => n % 5 !== 0

describe('Reef’s record store, read as it lies', () => {
  it('has the rows of a scenario, those in the log included, in order', async () => {
    await placed()
    const { rows, complete, byId } = await bookOf('algebra')
    expect(rows.map(({ id }) => id)).toEqual(numbers(140, algebra))
    expect(complete).toBe(true)
    expect(byId.get('rec-132')).toEqual({
      id: 'rec-132',
      sequence: 132,
      type: 'report',
      createdAt: (1_772_619_300 + 132.5) * 1000,
      references: ['rec-131'],
      score: (132 % 7) / 6,
      releaseId: 'rel-2'
    })
    expect(byId.get('rec-131')).toMatchObject({ type: 'inference', score: null, references: [] })
  })

  it('shows contents, over as many pages as they take, and says when one was let go', async () => {
    await placed()
    const book = await bookOf('algebra')
    for (const n of [2, 7, 79, 119, 139]) {
      const row = book.byId.get(`rec-${n}`)
      if (row === undefined) throw new Error(`no row ${n}`)
      const content = await book.content(row)
      expect(replyOf(content)).toBe(`answer ${n}`)
      expect(turnsOf(content)?.[0]?.text).toBe(`问 ${'x'.repeat((n * 37) % 900)} ${n}`)
    }
    const other = await bookOf('other')
    const long = await other.content({ id: 'rec-140', sequence: 140 })
    expect(turnsOf(long)?.[0]?.text).toHaveLength(3000 + 6)
    expect(await book.content({ id: 'rec-1', sequence: 1 })).toBeNull()
    expect(await book.content({ id: 'nobody', sequence: 3 })).toBeNull()
  })

  it('without its log has what was taken into it; a torn log counts up to its last commit', async () => {
    await placed(false)
    expect((await bookOf('algebra')).rows.at(-1)?.id).toBe('rec-119')
    await placed()
    const log = await readFile(`${store()}-wal`)
    await writeFile(`${store()}-wal`, log.subarray(0, log.length - 100))
    const torn = await bookOf('algebra')
    // The last commit let go of a content and never happened; the one before it is whole.
    expect(torn.rows.at(-1)?.id).toBe('rec-139')
    expect(replyOf(await torn.content({ id: 'rec-1', sequence: 1 }))).toBe('answer 1')
    await writeFile(`${store()}-wal`, log.subarray(0, 5000))
    expect((await bookOf('algebra')).rows.at(-1)?.id).toBe('rec-119')
  })

  it('never hangs or invents on a damaged file: rows, or a failure that says so', async () => {
    await placed()
    const whole = await readFile(store())
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 }),
        fc.nat(whole.length),
        async (flips, length) => {
          const torn = Buffer.from(whole.subarray(0, length))
          for (const [at, byte] of flips) if (at < torn.length) torn[at] = byte
          await writeFile(store(), torn)
          try {
            const { rows } = await bookOf('algebra')
            expect(rows.length).toBeLessThanOrEqual(200)
          } catch (thrown) {
            if (!(thrown instanceof FailureError)) throw thrown
            expect(thrown.failure.code).toMatch(/^records-/)
          }
        }
      ),
      { numRuns: 60 }
    )
  })

  it('says that there is nothing to read', async () => {
    const asked = keptRecords({ files, folder, scenario: 'algebra' })
    await expect(asked).rejects.toMatchObject({ failure: { code: 'records-not-there' } })
  })

  it('of a run with PostgreSQL has the commits, and says of the records where they may be', async () => {
    // What such a run leaves in its folder (`storage.record-backend: postgres`): the commit log, and no store.
    const line = { step: 1, consumed_ids: ['rec-1'], record_progress: { consumed_ids: ['rec-1'] } }
    await writeFile(join(folder, commitLogName('algebra')), `${JSON.stringify(line)}\n`)
    const place = { files, folder, scenario: 'algebra' }
    expect(await commitLog(place)).toEqual([line])
    const thrown: unknown = await keptRecords(place).catch((cause: unknown) => cause)
    expect(thrown).toBeInstanceOf(FailureError)
    const { code, what, remedy } = (thrown as FailureError).failure
    expect(code).toBe('records-not-there')
    expect([what.en, what.zh]).toEqual([
      expect.stringContaining('algebra'),
      expect.stringContaining('algebra')
    ])
    expect(remedy?.en).toMatch(/PostgreSQL .*while it runs, never from the database/)
    expect(remedy?.zh).toMatch(/PostgreSQL .*从不读取数据库/)
  })

  it('knows the columns of a table from its text', () => {
    const sql = `CREATE TABLE "t" (seq INTEGER PRIMARY KEY, "a, b" TEXT DEFAULT 'x, y', [c] REAL CHECK (c > 0, 1), UNIQUE (seq))`
    expect(columnsOf(sql)).toEqual({ columns: ['seq', 'a, b', 'c'], rowid: 'seq' })
  })
})

describe('the practice stack’s records and commit log', () => {
  const line = (n: number, more: object): string =>
    `${JSON.stringify({
      sequence: n,
      agent_record_id: `rec-${n}`,
      scenario: 'algebra',
      created_at: 1_772_619_300 + n,
      references: [],
      score: null,
      artifact_ref: { release_id: 'rel-0' },
      ...more
    })}\n`

  it('tell who learnt from what, and contents where their line stands', async () => {
    const records = [
      line(1, { request_type: 'inference', payload: { request: 'é' } }),
      line(2, { request_type: 'report', references: ['rec-1'], score: 1, payload: { score: 1 } }),
      line(3, { request_type: 'inference', payload: { text: 'third' } })
    ]
    const commit = (step: number, consumed: string[]): string =>
      `${JSON.stringify({
        record: 'reef-commit/5',
        scenario: 'algebra',
        step,
        checkpoint: true,
        artifact_ref: {
          content_id: `c-${step}`,
          release_id: `rel-${step}`,
          parent_release_id: 'rel-0'
        },
        algorithm_state: {},
        recorded_at: 1_772_619_400 + step,
        metrics: {},
        record_progress: { consumed_ids: consumed, high_water_sequence: 2, high_water_offset: 0 }
      })}\n`
    // The last line of each is a write that did not finish.
    await writeFile(join(folder, `${stem('algebra')}.records.jsonl`), `${records.join('')}{"sequ`)
    const log = `${commit(1, ['rec-2'])}${commit(2, ['rec-2'])}{"record":`
    await writeFile(join(folder, commitLogName('algebra')), log)
    const book = await bookOf('algebra')
    expect(book.rows.map(({ id }) => id)).toEqual(['rec-1', 'rec-2', 'rec-3'])
    const [answer, , third] = book.rows
    if (answer === undefined || third === undefined) throw new Error('rows are missing')
    expect(book.learntBy(answer)).toBe(1)
    expect(book.learntBy(third)).toBeNull()
    expect(book.stepOf.get('rel-0')).toBe(0)
    expect(book.stepOf.get('rel-2')).toBe(2)
    expect(await book.content(third)).toEqual({ text: 'third' })
    expect(await book.content(answer)).toEqual({ request: 'é' })
  })
})
