import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SideComparison } from '../../../../src-main/contract/compare'
import type { Release } from '../../../../src-main/contract/releases'
import type { RunDetail } from '../../../../src-main/contract/run'
import { openMetricStore, type MetricStore } from '../../../../src-main/engine/metrics'
import { sideCurves } from '../../../../src-main/engine/router/side-curves'
import type { RunService } from '../../../../src-main/engine/stacks'

const MINUTE = 60_000

let folder: string
let store: MetricStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-side-curves-'))
  store = await openMetricStore(folder)
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** r1 r2 r3, back to r1 (r4), then r5: a minute each. */
const bases = [null, 0, 1, 2, 1, 4]
const releases = bases
  .map((baseStep, step) => ({
    step,
    baseStep,
    operation: step === 0 ? 'creation' : step === 4 ? 'rollback' : 'training',
    recordedAt: step === 0 ? null : step * MINUTE,
    took: step === 0 ? null : MINUTE,
    attempt: 1,
    metrics: {},
    consumed: 4
  }))
  .reverse() as unknown as Release[]

const runs: Pick<RunService, 'chain' | 'get' | 'paths'> = {
  chain: () =>
    Promise.resolve({
      run: 'one',
      scenario: 'a',
      scenarios: ['a'],
      releases,
      from: 'disk',
      readAt: 0
    }),
  get: () => Promise.resolve({ summary: { recipe: { family: 'sao' } } } as unknown as RunDetail),
  paths: () => ({ metrics: folder }) as unknown as ReturnType<RunService['paths']>
}

const comparison = (steps: readonly (number | null)[]): SideComparison => ({
  sides: steps.map((step) => ({
    side:
      step === null ? { kind: 'recipe', path: 'a.yaml' } : { kind: 'release', run: 'one', step },
    label: step === null ? 'a.yaml' : `r${step}`,
    run: step === null ? null : { id: 'one', name: 'One' },
    step,
    attempt: 1,
    recordedAt: null,
    weights: null,
    hasRecipe: true
  })),
  baseline: 0,
  window: 4,
  metrics: [],
  results: [],
  settings: []
})

async function train(): Promise<void> {
  await store.append({
    source: '1/driver',
    attempt: 1,
    from: 0,
    to: 1,
    rows: [1, 2, 3, 5].map((step) => ({
      axis: 'step',
      x: step,
      at: step * MINUTE - 1000,
      keys: ['rollout/rewards', 'train/loss'],
      values: [step / 10, -step]
    }))
  })
}

const shape = (found: Awaited<ReturnType<typeof sideCurves>>): unknown =>
  found.figures.map(({ title, curves }) => [
    title,
    curves.map(({ label, side, points }) => [label, side, [...points.x], [...points.raw]])
  ])

it('follows each side along the releases it came through, and tells sides apart by their place', async () => {
  await train()
  const found = await sideCurves(
    { runs, metrics: { of: () => Promise.resolve(store) } },
    comparison([null, 3, 5]),
    'step'
  )
  expect(found.by).toBe('step')
  expect(shape(found)).toEqual([
    [
      'rollout/rewards',
      [
        ['r3', 1, [1, 2, 3], [0.1, 0.2, 0.3]],
        ['r5', 2, [1, 2], [0.1, 0.5]]
      ]
    ],
    [
      'train/loss',
      [
        ['r3', 1, [1, 2, 3], [-1, -2, -3]],
        ['r5', 2, [1, 2], [-1, -5]]
      ]
    ]
  ])
})

it('lays them by step where nothing says how many tokens there were', async () => {
  await train()
  const { by, figures } = await sideCurves(
    { runs, metrics: { of: () => Promise.resolve(store) } },
    comparison([3, 5]),
    'tokens'
  )
  expect(by).toBe('step')
  expect(figures).toHaveLength(2)
})

it('has none of sides that are no release, and of a run without samples', async () => {
  const services = { runs, metrics: { of: () => Promise.resolve(store) } }
  expect((await sideCurves(services, comparison([null, null]), 'step')).figures).toEqual([])
  expect((await sideCurves(services, comparison([3, 5]), 'step')).figures).toEqual([])
})
