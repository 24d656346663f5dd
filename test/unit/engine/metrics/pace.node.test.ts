import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openMetricStore, stepPace, type MetricStore } from '../../../../src-main/engine/metrics'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

let folder: string
let store: MetricStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-pace-'))
  store = await openMetricStore(folder)
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

async function log(
  axis: 'rollout' | 'step',
  attempt: number,
  steps: readonly number[]
): Promise<void> {
  const rows = steps.map((x) => ({
    axis,
    x,
    at: attempt * 1e6 + x * 100,
    keys: [`${axis}/a`, `${axis}/b`],
    values: [x, Number.NaN]
  }))
  await store.append({ source: `${String(attempt)}/s`, attempt, from: 0, to: 1, rows })
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

it('knows when the last eleven steps of the newest attempt came, and how many are left', async () => {
  await log('rollout', 1, upTo(30))
  await log('step', 2, upTo(60))
  await log('rollout', 2, upTo(20))
  const { times, left, starts } = await stepPace(store, 50)
  expect(times).toEqual(
    upTo(20)
      .slice(9)
      .map((x) => 2e6 + x * 100)
  )
  expect(left).toBe(30)
  expect(starts).toEqual([
    { attempt: 1, at: 1e6 },
    { attempt: 2, at: 2e6 }
  ])
  await store.settle()
  expect(await stepPace(store, 50)).toEqual({ times, left, starts })
})

it('counts optimizer steps where rollouts are not numbered, and never below none', async () => {
  await log('step', 1, upTo(4))
  expect(await stepPace(store, 3)).toMatchObject({ left: 0, times: { length: 4 } })
  expect((await stepPace(store, null)).left).toBeNull()
})

it('before the first step all are left', async () => {
  expect(await stepPace(store, 7)).toEqual({ times: [], left: 7, starts: [] })
})
