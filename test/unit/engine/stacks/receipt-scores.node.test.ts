import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  openMetricStore,
  REWARD_BY_RECEIPT,
  type MetricStore
} from '../../../../src-main/engine/metrics'
import { ReceiptScores } from '../../../../src-main/engine/stacks/receipt-scores'
import { ReefClient } from '../../../../src-main/engine/stacks/reef-client'
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
let client: ReefClient
let close: () => Promise<void>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-receipts-'))
  store = await openMetricStore(folder)
  records = []
  asked = []
  const server = createServer((request, response) => {
    const after = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after_sequence'))
    asked.push(after)
    const page = records.filter(({ sequence }) => sequence > after).slice(0, 100)
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
  ...{ at: 1, attempt: 1, storage: 1, scenario: 's', step, from: 'service', row: {} },
  commit: consumed === null ? null : { step, consumed_ids: consumed, recorded_at: 1000 + step }
})

async function curve(of: MetricStore = store): Promise<[number, number][]> {
  const points: [number, number][] = []
  for await (const { x, value } of of.samples(REWARD_BY_RECEIPT)) points.push([x, value])
  return points
}

const scores = (): ReceiptScores => new ReceiptScores({ metrics: store, attempt: 1, storage: 1 })

it('a step has the mean score of the reports it consumed, named by themselves or by their answers', async () => {
  talk(1, 0, 1, 0.5, null)
  const rows = [row(0, null), row(1, ['p0', 'p1', 'p2']), row(2, ['a3', 'a4'])]
  await scores().look(client, 's', rows)
  expect(await curve()).toEqual([
    [1, 2 / 3],
    [2, 0.5]
  ])
})

it('stands on the optimizer step where its row names one, as the other curves do', async () => {
  talk(1, 0)
  const named = row(3, ['p0', 'p1'])
  const metrics = { 'train/step': 41 }
  await scores().look(client, 's', [{ ...named, commit: { ...named.commit, metrics } }])
  expect(store.series()).toMatchObject([{ key: REWARD_BY_RECEIPT, axis: 'step', count: 1 }])
  expect(await curve()).toEqual([[41, 0.5]])
})

it('a step that consumed what cannot be read, or nothing scored, has no point', async () => {
  talk(1, null)
  await scores().look(client, 's', [row(1, ['p0', 'gone']), row(2, ['p1']), row(3, [])])
  expect(await curve()).toEqual([])
})

it('each step is taken in once, also by an engine that takes over, which reads on where it must', async () => {
  talk(...Array.from({ length: 120 }, (_, i) => (i < 100 ? 1 : 0)))
  const consumed = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => `p${String(from + i)}`)
  const first = [row(1, consumed(0, 100))]
  await scores().look(client, 's', first)
  await store.close()
  store = await openMetricStore(folder)
  asked = []
  const rows = [...first, row(2, consumed(100, 120))]
  const next = scores()
  await next.look(client, 's', rows)
  await next.look(client, 's', rows)
  expect(await curve()).toEqual([
    [1, 1],
    [2, 0]
  ])
  expect(Math.min(...asked)).toBe(200)
})

it('rows of another scenario or storage, and a service that does not answer, change nothing', async () => {
  talk(1)
  const other = { ...row(1, ['p0']), scenario: 't' }
  await scores().look(client, 's', [other, { ...row(1, ['p0']), storage: 2 }])
  const away = new ReefClient('http://127.0.0.1:1', null, new AbortController().signal)
  const reader = scores()
  await reader.look(away, 's', [row(1, ['p0'])])
  expect(await curve()).toEqual([])
  await reader.look(client, 's', [row(1, ['p0'])])
  expect(await curve()).toEqual([[1, 1]])
})
