import { createServer } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  openMetricStore,
  REWARD_BY_RECEIPT,
  type MetricStore
} from '../../../../src-main/engine/metrics'
import { ReceiptScores } from '../../../../src-main/engine/stacks/receipt-scores'
import {
  keptReceipts,
  type Receipts,
  servedReceipts
} from '../../../../src-main/engine/stacks/receipts'
import { RecordPages } from '../../../../src-main/engine/stacks/record-pages'
import { countTraffic } from '../../../../src-main/engine/stacks/traffic-counter'
import { ReefClient } from '../../../../src-main/engine/stacks/reef-client'
import { systemClock } from '../../../../src-main/engine/lib'
import { commitLogName } from '../../../../src-main/engine/releases'
import { localFiles } from '../../../../src-main/engine/targets'
import type { ReleaseRow } from '../../../../src-main/engine/runs'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

interface Served {
  sequence: number
  agent_record_id: string
  request_type: string
  references: string[]
  score: number | null
}

let folder: string
let store: MetricStore
let records: Served[]
let asked: number[]
/** Whether the service gives what follows the number it is asked for. */
let heeded: boolean
/** What `/commits` tells; null where the service has no such route. */
let commits: object[] | null
let client: ReefClient
let close: () => Promise<void>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-receipts-'))
  store = await openMetricStore(folder)
  records = []
  asked = []
  heeded = true
  commits = null
  const server = createServer((request, response) => {
    if (request.url?.includes('/commits') === true) {
      response.statusCode = commits === null ? 404 : 200
      response.end(JSON.stringify({ commits }))
      return
    }
    const after = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after_sequence'))
    asked.push(after)
    const page = records.filter(({ sequence }) => !heeded || sequence > after).slice(0, 100)
    response.end(JSON.stringify({ records: page }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const ended = new AbortController()
  client = new ReefClient(`http://127.0.0.1:${String(port)}`, null, ended.signal)
  close = async () => {
    ended.abort()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
})
afterEach(async () => {
  await close()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** An answer and, with a score, the report about it: `a7`, `p7`. */
function talk(...scores: (number | null)[]): void {
  for (const score of scores) {
    const n = records.length / 2
    const answer = { sequence: n * 2 + 1, agent_record_id: `a${n}`, score: null }
    const report = { sequence: n * 2 + 2, agent_record_id: `p${n}`, score }
    records.push({ ...answer, request_type: 'inference', references: [] })
    records.push({ ...report, request_type: 'report', references: [`a${n}`] })
  }
}

const row = (step: number, consumed: string[] | null): ReleaseRow => ({
  at: 1,
  attempt: 1,
  storage: 1,
  scenario: 's',
  step,
  from: 'service',
  row: {},
  commit: consumed === null ? null : { step, consumed_ids: consumed, recorded_at: 1000 + step }
})

async function curve(of: MetricStore = store): Promise<[number, number][]> {
  const points: [number, number][] = []
  for await (const { x, value } of of.samples(REWARD_BY_RECEIPT)) points.push([x, value])
  return points
}

/** Ids of so many reports that follow one another. */
const several = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `p${from + i}`)

/** What one look reads that has time for `pages` pages. */
function pagesOf(pages = Number.POSITIVE_INFINITY, of: ReefClient = client): RecordPages {
  let left = pages
  return new RecordPages(of, 's', () => (left -= 1) > 0)
}

/** The service, for one look. */
const served = (pages: RecordPages = pagesOf()): Receipts => servedReceipts(client, 's', pages)

const scores = (): ReceiptScores => new ReceiptScores({ metrics: store, attempt: 1, storage: 1 })

it('a step has the mean score of the reports it consumed, named by themselves or by their answers', async () => {
  talk(1, 0, 1, 0.5, null)
  const rows = [row(0, null), row(1, ['p0', 'p1', 'p2']), row(2, ['a3', 'a4'])]
  await scores().look(served(), 's', rows)
  expect(await curve()).toEqual([
    [1, 2 / 3],
    [2, 0.5]
  ])
})

it('stands on the optimizer step where its row names one, as the other curves do', async () => {
  talk(1, 0)
  const named = row(3, ['p0', 'p1'])
  const metrics = { 'train/step': 41 }
  await scores().look(served(), 's', [{ ...named, commit: { ...named.commit, metrics } }])
  expect(store.series()).toMatchObject([{ key: REWARD_BY_RECEIPT, axis: 'step', count: 1 }])
  expect(await curve()).toEqual([[41, 0.5]])
})

it('a step that consumed what cannot be read, or nothing scored, has no point', async () => {
  talk(1, null)
  await scores().look(served(), 's', [row(1, ['p0', 'gone']), row(2, ['p1']), row(3, [])])
  expect(await curve()).toEqual([])
})

it('each step is taken in once, also by an engine that takes over, which reads on where it must', async () => {
  talk(...Array.from({ length: 120 }, (_, i) => (i < 100 ? 1 : 0)))
  const first = [row(1, several(0, 100))]
  await scores().look(served(), 's', first)
  await store.close()
  store = await openMetricStore(folder)
  asked = []
  const rows = [...first, row(2, several(100, 20))]
  const next = scores()
  await next.look(served(), 's', rows)
  await next.look(served(), 's', rows)
  expect(await curve()).toEqual([
    [1, 1],
    [2, 0]
  ])
  expect(Math.min(...asked)).toBe(200)
})

it('an answer that nobody scores does not make every engine that takes over begin there again', async () => {
  talk(...Array.from({ length: 600 }, () => 1))
  // Nobody reports on the second answer; the last step is a straggler that had waited since the beginning.
  records.splice(3, 1)
  const steps = [['p0'], ...Array.from({ length: 11 }, (_, i) => several(4 + i * 50, 50)), ['p3']]
  const rows = steps.map((consumed, i) => row(i + 1, consumed))
  for (const count of [4, 8, 12]) {
    asked = []
    await scores().look(served(), 's', rows.slice(0, count))
    await store.close()
    store = await openMetricStore(folder)
    expect(await curve()).toHaveLength(count)
    if (count > 4) expect(Math.min(...asked)).toBeGreaterThan((count - 8) * 100)
  }
  asked = []
  const late = scores()
  await late.look(served(pagesOf(3)), 's', rows)
  expect(await curve()).toHaveLength(12)
  for (let look = 0; look < 5; look += 1) await late.look(served(pagesOf(4)), 's', rows)
  expect((await curve()).at(-1)).toEqual([13, 1])
})

it('rows of another scenario or storage, and a service that does not answer, change nothing', async () => {
  talk(1)
  const other = { ...row(1, ['p0']), scenario: 't' }
  await scores().look(served(), 's', [other, { ...row(1, ['p0']), storage: 2 }])
  const away = new ReefClient('http://127.0.0.1:1', null, new AbortController().signal)
  const reader = scores()
  await reader.look(servedReceipts(away, 's', pagesOf(1, away)), 's', [row(1, ['p0'])])
  expect(await curve()).toEqual([])
  await reader.look(served(), 's', [row(1, ['p0'])])
  expect(await curve()).toEqual([[1, 1]])
})

it('a row that came without its commit waits for it, as long as the service tells none', async () => {
  talk(1, 0)
  const rows = [row(1, ['p0']), row(2, null)]
  const reader = scores()
  await reader.look(served(), 's', rows)
  expect(await curve()).toEqual([[1, 1]])
  commits = [{ step: 2, consumed_ids: ['p1'] }]
  await reader.look(served(), 's', [...rows, row(3, [])])
  expect(await curve()).toEqual([
    [1, 1],
    [2, 0]
  ])
})

it('a history longer than one look reads is gone through over several, each step once', async () => {
  talk(...Array.from({ length: 1200 }, (_, i) => i % 2))
  const rows = [row(1, ['p0', 'p1']), row(2, ['p1198']), row(3, ['p1199'])]
  const reader = scores()
  const short = pagesOf(10)
  await reader.look(served(short), 's', rows)
  const first = await curve()
  expect(first.length).toBeLessThan(3)
  expect([short.cut, asked.length]).toEqual([true, 10])
  await reader.look(served(pagesOf(10)), 's', rows)
  await reader.look(served(pagesOf(10)), 's', rows)
  expect(await curve()).toEqual([
    [1, 0.5],
    [2, 0],
    [3, 1]
  ])
})

it('all that is there is counted and scored in one look, each page asked for once', async () => {
  talk(...Array.from({ length: 1200 }, (_, i) => i % 2))
  const pages = pagesOf()
  await scores().look(served(pages), 's', [row(1, ['p0', 'p1']), row(2, ['p1199'])])
  const { count, done } = await countTraffic(pages, 's', {
    served: 3,
    reported: 3,
    after: { s: 6 }
  })
  expect(await curve()).toEqual([
    [1, 0.5],
    [2, 1]
  ])
  expect(done).toBe(true)
  expect(count).toEqual({ served: 1200, reported: 1200, after: { s: 2400 } })
  expect(asked).toEqual([...new Set(asked)])
})

it('a service that gives the same records over and over is not asked for ever', async () => {
  talk(...Array.from({ length: 100 }, () => 1))
  heeded = false
  const { done } = await countTraffic(pagesOf(), 's', { served: 0, reported: 0, after: {} })
  expect([done, asked]).toEqual([true, [0, 100]])
})

describe('after the end, from what the stack left', () => {
  const files = localFiles(systemClock)
  const stem = commitLogName('s').replace('.commits.jsonl', '')
  const kept = (more = true): Receipts => keptReceipts({ files, folder, scenario: 's' }, () => more)
  const leave = (): Promise<void> =>
    writeFile(
      join(folder, `${stem}.records.jsonl`),
      records.map((record) => `${JSON.stringify(record)}\n`).join('')
    )
  /** A row as it is read from the commit log: the ids stand within the progress. */
  const logged = (step: number, ids: string[]): ReleaseRow => ({
    ...row(step, null),
    from: 'commit-log',
    commit: { step, record_progress: { consumed_ids: ids }, metrics: { 'train/step': step - 1 } }
  })

  it('the steps nobody watched have their points, and those watched are not doubled', async () => {
    talk(...Array.from({ length: 30_000 }, (_, i) => (i < 29_998 ? 1 : 0)))
    await leave()
    const watched = row(1, ['p0'])
    const reader = scores()
    await reader.look(served(pagesOf(10)), 's', [watched])
    const rows = [watched, logged(2, ['p1', 'p2']), logged(3, ['p29997', 'p29999'])]
    await reader.look(kept(), 's', rows)
    await reader.look(kept(), 's', rows)
    expect(await curve()).toEqual([
      [1, 1],
      [1, 1],
      [2, 0.5]
    ])
  })

  it('a stack whose service tells no commits has them in its log', async () => {
    talk(1, 0)
    await leave()
    const rows = [row(1, null), row(2, null)]
    const reader = scores()
    await reader.look(served(), 's', rows)
    expect(await curve()).toEqual([])
    const lines = [logged(1, ['p0']).commit, logged(2, ['a1']).commit]
    await writeFile(
      join(folder, commitLogName('s')),
      lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    )
    await reader.look(kept(), 's', rows)
    expect(await curve()).toEqual([
      [0, 1],
      [1, 0]
    ])
  })

  it('what cannot be read any more is said, and what cannot be read now is read the next time', async () => {
    const rows = [logged(1, ['p0'])]
    await expect(scores().look(kept(), 's', rows)).rejects.toMatchObject({
      failure: { code: 'records-not-there' }
    })
    talk(1)
    await leave()
    const reader = scores()
    await reader.look(kept(false), 's', rows)
    expect(await curve()).toEqual([])
    await reader.look(kept(), 's', rows)
    expect(await curve()).toEqual([[0, 1]])
  })
})
