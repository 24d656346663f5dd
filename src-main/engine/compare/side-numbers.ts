import type { ResultRow, SideMetric, SideResult, SideSetting } from '../../contract/compare'
import type { Release } from '../../contract/releases'
import { metricDifference, metricKeys, windowOf, type Direction } from './metric-differences'

/** What is known of one side. A recipe or a folder of weights has no chain. */
export interface SideNumbers {
  /** Newest first. */
  chain: readonly Release[]
  step: number | null
  /** Newest values of each metric of a run that has no release, as many as releases are averaged; else empty. */
  newest: ReadonlyMap<string, readonly number[]>
  results: readonly ResultRow[]
}

const values = (window: readonly Release[], key: string): number[] =>
  window.flatMap(({ metrics }) => {
    const value = metrics[key]
    return typeof value === 'number' && Number.isFinite(value) ? [value] : []
  })

/**
 * What is asked first of two releases is which one is rewarded more; last stands what differs on no side, or could not
 * but differ.
 */
function leads({ key, direction, against }: SideMetric): number {
  const told = against.flatMap((one) => (one === null ? [] : [one.verdict]))
  if (told.includes('counter')) return 5
  if (told.includes('same') && told.every((verdict) => verdict === 'same' || verdict === 'missing'))
    return 4
  if (/reward/.test(key)) return 0
  return direction === 'up' ? 1 : direction === 'down' ? 2 : 3
}

/**
 * Metrics of all sides, each as the mean over the releases up to it, or over the newest values of a run without any,
 * and their differences from the baseline.
 */
export function sideMetrics(
  sides: readonly SideNumbers[],
  baseline: number,
  options: { window: number; directionOf: (key: string) => Direction }
): SideMetric[] {
  const windows = sides.map(({ chain, step }) =>
    step === null ? [] : windowOf(chain, step, options.window)
  )
  const keys = new Set([
    ...metricKeys(windows.flat()),
    ...sides.flatMap(({ newest }) => [...newest.keys()])
  ])
  const metrics = [...keys].map((key): SideMetric => {
    const direction = options.directionOf(key)
    const samples = windows.map((window, index) =>
      sides[index]?.step === null ? (sides[index].newest.get(key) ?? []) : values(window, key)
    )
    const base = samples[baseline] ?? []
    const against = samples.map((sample, index) =>
      index === baseline
        ? null
        : metricDifference(
            key,
            { kind: 'values', values: base },
            { kind: 'values', values: sample },
            direction
          )
    )
    return {
      key,
      direction,
      cells: samples.map((sample) => ({
        value:
          sample.length === 0 ? null : sample.reduce((sum, one) => sum + one, 0) / sample.length,
        n: sample.length
      })),
      against
    }
  })
  return metrics.sort((one, two) => leads(one) - leads(two) || one.key.localeCompare(two.key))
}

function lastOf(
  rows: readonly ResultRow[],
  fits: (row: ResultRow) => boolean
): ResultRow | undefined {
  return rows.filter(fits).at(-1)
}

/**
 * The newest row of a task that belongs to this release; a table that counts in steps is met by the release's own. Of a
 * run without releases, the newest row.
 */
function resultOf(side: SideNumbers, task: string): ResultRow | null {
  const rows = side.results.filter((row) => row.task === task)
  if (side.step === null) return rows.at(-1) ?? null
  const release = side.chain.find(({ step }) => step === side.step)
  const trained = release?.metrics['train/step']
  return (
    lastOf(rows, (row) => row.release === side.step) ??
    lastOf(rows, (row) => row.release === null && row.step !== null && row.step === trained) ??
    null
  )
}

function sampleOf(row: ResultRow | null): Parameters<typeof metricDifference>[1] {
  if (row === null) return null
  if (row.correct !== null && row.n !== null)
    return { kind: 'proportion', correct: row.correct, n: row.n }
  return row.score === null ? null : { kind: 'values', values: [row.score] }
}

/** Results attached to the runs, task by task; proportions with the interval of their difference. */
export function sideResults(sides: readonly SideNumbers[], baseline: number): SideResult[] {
  const tasks = new Set(sides.flatMap(({ results }) => results.map(({ task }) => task)))
  return [...tasks].sort().flatMap((task) => {
    const cells = sides.map((side) => resultOf(side, task))
    if (cells.every((cell) => cell === null)) return []
    const base = cells[baseline] ?? null
    return [
      {
        task,
        cells,
        against: cells.map((cell, index) =>
          index === baseline ? null : metricDifference(task, sampleOf(base), sampleOf(cell), 'up')
        )
      }
    ]
  })
}

/**
 * Settings that differ, from each side's differences to the baseline.
 * @param pairs by side; null for a side without a recipe and for the baseline
 */
export function sideSettings(
  pairs: readonly (
    readonly { path: string; a: string | null; b: string | null; derived: boolean }[] | null
  )[],
  baseline: number
): SideSetting[] {
  const settings = new Map<string, SideSetting>()
  for (const pair of pairs)
    for (const { path, a, derived } of pair ?? []) {
      const known = settings.get(path)
      if (known !== undefined) known.derived &&= derived
      else
        settings.set(path, {
          path,
          derived,
          values: pairs.map((other, index) => (other === null && index !== baseline ? null : a))
        })
    }
  for (const [index, pair] of pairs.entries())
    for (const { path, b } of pair ?? []) {
      const row = settings.get(path)
      if (row !== undefined) row.values[index] = b
    }
  // What somebody wrote comes before what follows from it.
  return [...settings.values()].sort(
    (one, two) => Number(one.derived) - Number(two.derived) || one.path.localeCompare(two.path)
  )
}

/** The earliest release; what has no time of its own (a creation row) is the earliest of all. */
export function baselineOf(
  sides: readonly { step: number | null; recordedAt: number | null }[]
): number {
  let best = 0
  let bestAt = Number.POSITIVE_INFINITY
  for (const [index, { step, recordedAt }] of sides.entries()) {
    const at = step === null ? Number.POSITIVE_INFINITY : (recordedAt ?? Number.NEGATIVE_INFINITY)
    if (at < bestAt) [best, bestAt] = [index, at]
  }
  return best
}
