import type { MetricDifference, Release } from '../../contract/releases'
import { mean, meanDifference, proportionDifference } from './statistics'

/** Values of one metric on one side: means of releases, or successes of n trials. */
export type Sample =
  { kind: 'values'; values: readonly number[] } | { kind: 'proportion'; correct: number; n: number }

export type Direction = MetricDifference['direction']

/** Fewer values than this on a side never prove a difference, however far apart they lie. */
const FEWEST = 3

function pointOf(sample: Sample | null): { value: number | null; n: number } {
  switch (sample?.kind) {
    case 'values':
      return {
        value: sample.values.length === 0 ? null : mean(sample.values),
        n: sample.values.length
      }
    case 'proportion':
      return { value: sample.n === 0 ? null : sample.correct / sample.n, n: sample.n }
    case undefined:
      return { value: null, n: 0 }
  }
}

function intervalOf(a: Sample, b: Sample): [number, number] | null {
  if (a.kind === 'proportion' && b.kind === 'proportion') return proportionDifference(a, b)
  return a.kind === 'values' && b.kind === 'values' ? meanDifference(a.values, b.values) : null
}

/** Whether a key only says how far training is: `train/step`, `rollout_id`, `epoch`. */
export function isCounter(key: string): boolean {
  return /(?:^|[/_.])(?:steps?|epochs?|iterations?|rollout_id)$/i.test(key)
}

/** Nothing differs, and nothing is left to chance: an interval around 0 that has a width proves less. */
function isSame(difference: number, interval: readonly [number, number] | null): boolean {
  return difference === 0 && (interval === null || (interval[0] === 0 && interval[1] === 0))
}

function verdictOf(
  interval: readonly [number, number] | null,
  fewest: number,
  direction: Direction
): MetricDifference['verdict'] {
  if (direction === 'none') return 'no-direction'
  if (interval === null || fewest < FEWEST || (interval[0] <= 0 && interval[1] >= 0))
    return 'not-proven'
  const up = interval[0] > 0
  return up === (direction === 'up') ? 'better' : 'worse'
}

/** One metric of both sides, with what the data prove. A is the baseline. */
export function metricDifference(
  key: string,
  a: Sample | null,
  b: Sample | null,
  direction: Direction
): MetricDifference {
  const [one, two] = [pointOf(a), pointOf(b)]
  const missing = one.value === null || two.value === null || a === null || b === null
  const difference = one.value === null || two.value === null ? null : two.value - one.value
  const found = {
    key,
    a: one.value,
    b: two.value,
    difference,
    n: one.n === 0 && two.n === 0 ? null : ([one.n, two.n] satisfies [number, number]),
    direction
  }
  if (missing || difference === null) return { ...found, interval: null, verdict: 'missing' }
  if (isCounter(key)) return { ...found, interval: null, verdict: 'counter' }
  const interval = intervalOf(a, b)
  const verdict = isSame(difference, interval)
    ? 'same'
    : verdictOf(interval, Math.min(one.n, two.n), direction)
  return { ...found, interval, verdict }
}

/** The `count` releases up to and including `step` that trained on its own line, newest first. */
export function windowOf(chain: readonly Release[], step: number, count: number): Release[] {
  const byStep = new Map(chain.map((release) => [release.step, release]))
  const window: Release[] = []
  const seen = new Set<number>()
  let at = byStep.get(step)
  while (at !== undefined && window.length < count && !seen.has(at.step)) {
    seen.add(at.step)
    if (at.operation === 'training') window.push(at)
    at = at.baseStep === null ? undefined : byStep.get(at.baseStep)
  }
  return window
}

function numbersOf(window: readonly Release[], key: string): number[] {
  return window.flatMap(({ metrics }) => {
    const value = metrics[key]
    return typeof value === 'number' && Number.isFinite(value) ? [value] : []
  })
}

/** Metric keys of these releases that hold a number, sorted. */
export function metricKeys(releases: readonly Release[]): string[] {
  const keys = new Set<string>()
  for (const { metrics } of releases)
    for (const [key, value] of Object.entries(metrics)) if (typeof value === 'number') keys.add(key)
  return [...keys].sort()
}

/**
 * Metrics of two releases, each as the mean over the `window` releases up to it, with a 95 % interval of the difference.
 * n counts releases: the stack logs one number a release, so what each number averages over is not known here.
 */
export function compareReleases(request: {
  chain: readonly Release[]
  a: number
  b: number
  window: number
  directionOf: (key: string) => Direction
}): MetricDifference[] {
  const { chain, a, b, window, directionOf } = request
  const [left, right] = [windowOf(chain, a, window), windowOf(chain, b, window)]
  return metricKeys([...left, ...right]).map((key) =>
    metricDifference(
      key,
      { kind: 'values', values: numbersOf(left, key) },
      { kind: 'values', values: numbersOf(right, key) },
      directionOf(key)
    )
  )
}
