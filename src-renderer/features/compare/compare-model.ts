import type { MetricDifference } from '@contract/releases'

/** How a difference is said and coloured. Good and bad only where the metric has a direction and the data prove it. */
export type DifferenceLook = {
  readonly tone: 'ready' | 'fail' | 'text' | 'muted'
  /** Whether the interval excludes zero. */
  readonly proven: boolean
}

export function lookOf(row: MetricDifference): DifferenceLook {
  switch (row.verdict) {
    case 'better':
      return { tone: 'ready', proven: true }
    case 'worse':
      return { tone: 'fail', proven: true }
    case 'no-direction':
      return excludesZero(row) ? { tone: 'text', proven: true } : { tone: 'muted', proven: false }
    case 'not-proven':
    case 'same':
    case 'counter':
    case 'missing':
      return { tone: 'muted', proven: false }
  }
}

function excludesZero(row: MetricDifference): boolean {
  return row.interval !== null && (row.interval[0] > 0 || row.interval[1] < 0)
}

/** The smaller of the two sample counts: what limits how much can be told. Null where it is not known. */
export function sampleCount(row: MetricDifference): number | null {
  return row.n === null ? null : Math.min(row.n[0], row.n[1])
}

/** Most releases that a value of each side is the mean of: fewer at the beginning of a chain, and where a metric lacks. */
export function averagedOver(rows: readonly MetricDifference[]): readonly [number, number] {
  return [
    Math.max(0, ...rows.map(({ n }) => n?.[0] ?? 0)),
    Math.max(0, ...rows.map(({ n }) => n?.[1] ?? 0))
  ]
}

/**
 * Rewards first, because they are what is asked of two releases; then proven differences of metrics with a direction,
 * then proven ones, then the rest, then what is the same, only counts on, or one side lacks; equal ones by name.
 */
export function byWeight(rows: readonly MetricDifference[]): MetricDifference[] {
  const rank = (row: MetricDifference): number => {
    if (row.verdict === 'missing') return 5
    if (row.verdict === 'counter') return 4
    if (row.verdict === 'same') return 3
    if (/reward/.test(row.key)) return -1
    if (!lookOf(row).proven) return 2
    return row.direction === 'none' ? 1 : 0
  }
  return [...rows].sort((a, b) => rank(a) - rank(b) || a.key.localeCompare(b.key))
}
