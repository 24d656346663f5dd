import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import { type MetricStore, openMetricStore } from '../../../../src-main/engine/metrics'
import { HealthWatch } from '../../../../src-main/engine/stacks/health-watch'
import type { WatchOptions } from '../../../../src-main/engine/stacks/watch-options'
import { localFiles } from '../../../../src-main/engine/targets'

interface Told {
  kind: string
  text: { en: string; zh: string }
  step?: number
  data?: Record<string, unknown>
}

let folder: string
let metrics: MetricStore
let told: Told[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-health-'))
  metrics = await openMetricStore(join(folder, 'metrics'))
  told = []
})
afterEach(async () => {
  await metrics.close()
  await rm(folder, { recursive: true, force: true })
})

/** What the watch uses of an attempt: a journal that tells each key once. */
function watchOf(attempt = 1, once = new Set<string>()): HealthWatch {
  const journal = {
    attempt: { number: attempt, checkpointDir: null, runDir: folder },
    seen: { reward: null, step: 3 },
    tell: (event: Told, key: string) => {
      if (!once.has(key)) told.push(event)
      once.add(key)
      return Promise.resolve()
    },
    hasTold: (key: string) => once.has(key)
  }
  const target = { files: localFiles() }
  return new HealthWatch({
    metrics,
    journal,
    clock: systemClock,
    target
  } as unknown as WatchOptions)
}

async function measure(step: number, gradient: number, attempt = 1): Promise<void> {
  const row = { axis: 'step' as const, x: step, at: step, keys: ['train/grad_norm'] }
  const rows = [{ ...row, values: [gradient] }]
  await metrics.append({ source: `${attempt}/slime`, attempt, from: step, to: step + 1, rows })
}

it('tells once, in both languages, of a metric that the catalogue calls unhealthy', async () => {
  const health = watchOf()
  await measure(0, 0.4)
  await health.look()
  const unhealthy = (): Told[] => told.filter(({ kind }) => kind === 'metric-unhealthy')
  expect(unhealthy()).toEqual([])
  await measure(1, 2.96e9)
  await health.look()
  await measure(2, 2.96e9)
  await health.look()
  expect(unhealthy()).toHaveLength(1)
  const [event] = unhealthy()
  expect(event?.text.en).toMatch(
    /^train\/grad_norm is out of its healthy range: 2960000000\. .*1000/
  )
  expect(event?.text.zh).toMatch(/^train\/grad_norm 超出健康范围：2960000000。.*1000/)
  expect(event?.data).toEqual({ metric: 'train/grad_norm', value: 2.96e9 })
})

it('tells of it once a run, and again only after it was well in between', async () => {
  const once = new Set<string>()
  const kinds = (): string[] => told.map(({ kind }) => kind)
  const first = watchOf(1, once)
  await measure(0, 2e9)
  await first.look()
  const second = watchOf(2, once)
  await measure(0, 2e9, 2)
  await second.look()
  expect(kinds()).toEqual(['metric-unhealthy'])
  for (let step = 1; step <= 30; step++) await measure(step, 0.4, 2)
  await second.look()
  expect(kinds()).toEqual(['metric-unhealthy', 'metric-well'])
  await second.look()
  await measure(31, 2e9, 2)
  await second.look()
  expect(kinds()).toEqual(['metric-unhealthy', 'metric-well', 'metric-unhealthy'])
})

it('tells of a number that is none with the step it was measured at, not the one the run has come to', async () => {
  const health = watchOf()
  await measure(0, 0.4)
  await measure(1, Number.NaN)
  await measure(2, Number.NaN)
  // A second attempt that has the same says nothing new.
  await measure(7, Number.NaN, 2)
  await health.look()
  expect(told.map(({ kind, step }) => [kind, step])).toEqual([['not-finite', 1]])
})

it('tells of a metric out of its range with the step of the number it names', async () => {
  await measure(1, 2e9)
  await watchOf().look()
  expect(told.map(({ kind, step }) => [kind, step])).toEqual([['metric-unhealthy', 1]])
})
