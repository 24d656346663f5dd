import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  defaultPanels,
  type MetricStore,
  openMetricStore
} from '../../../../src-main/engine/metrics'
import type { ReleaseRow } from '../../../../src-main/engine/runs'
import { ReleaseMetrics } from '../../../../src-main/engine/stacks/release-metrics'

let folder: string
let store: MetricStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-release-metrics-'))
  store = await openMetricStore(folder)
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function row(step: number, metrics: object | null, scenario = 's', storage = 1): ReleaseRow {
  return {
    at: 1,
    attempt: 1,
    storage,
    scenario,
    step,
    from: 'service',
    commit: null,
    row: {
      release_id: `r${step}`,
      operation: 'training',
      recorded_at: 1_700_000_000 + step,
      metrics
    }
  }
}

async function points(key: string): Promise<[string, number, number, number][]> {
  const found: [string, number, number, number][] = []
  for await (const { axis, x, value, at } of store.samples(key)) found.push([axis, x, value, at])
  return found
}

const reader = (attempt = 1): ReleaseMetrics =>
  new ReleaseMetrics({ metrics: store, attempt, storage: 1 })

it('draws what a harness commit says in numbers, and shows it without being asked', async () => {
  const scores = { candidate_score: 3, current_score: 2, wins: 1, losses: 0, ties: 2 }
  await reader().look('s', [
    row(0, null),
    row(1, { ...scores, selected: true, skipped: null, candidate_scores: [3, 3], evaluation: {} }),
    row(2, { ...scores, candidate_score: Number.NaN, selected: false, error: 'no' })
  ])
  expect(await points('candidate_score')).toEqual([['commit', 1, 3, 1_700_000_001_000]])
  expect((await points('selected')).map(([, x, value]) => [x, value])).toEqual([
    [1, 1],
    [2, 0]
  ])
  const keys = store.keys().map(({ key }) => key)
  expect(keys).toEqual(['candidate_score', 'current_score', 'losses', 'selected', 'ties', 'wins'])
  expect(defaultPanels('gepa', keys)[0]).toMatchObject({
    id: 'harness',
    keys: expect.arrayContaining(['candidate_score', 'wins']) as string[]
  })
})

it('leaves a trainer’s numbers to its log and puts the rest where the step stands', async () => {
  const logged = { axis: 'step' as const, x: 7, at: 5, keys: ['train/loss'], values: [0.5] }
  await store.append({ source: '1/slime', attempt: 1, from: 0, to: 9, rows: [logged] })
  const rollout = { axis: 'rollout' as const, x: 7, at: 5, keys: ['perf/step_time'], values: [2] }
  await store.append({ source: '1/slime', attempt: 1, from: 9, to: 12, rows: [rollout] })
  const metrics = { 'train/loss': 0.5, 'train/step': 7, 'sao/policy_lag_max': 2 }
  // The log tells how long saving took with the next step only.
  await reader().look('s', [row(8, { ...metrics, 'perf/save_model_time': 0.1 })])
  expect(await points('perf/save_model_time')).toEqual([])
  expect(await points('train/loss')).toEqual([['step', 7, 0.5, 5]])
  expect(await points('sao/policy_lag_max')).toEqual([['step', 7, 2, 1_700_000_008_000]])
})

it('takes each row once, however often and by whomever it is looked at', async () => {
  const rows = [row(1, { wins: 1 })]
  await reader().look('s', rows)
  await reader().look('s', rows)
  rows.push(row(2, { wins: 3 }), row(2, { wins: 9 }, 'other'), row(2, { wins: 9 }, 's', 2))
  await store.close()
  store = await openMetricStore(folder)
  await reader(2).look('s', rows)
  expect((await points('wins')).map(([, x, value]) => [x, value])).toEqual([
    [1, 1],
    [2, 3]
  ])
})
