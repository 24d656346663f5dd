/** Fewest points from which a collapse can be told. */
const FEWEST = 20
/** A collapse has lost more than this share of what was gained. */
const LOST = 0.75

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/**
 * Whether a reward that had risen fell back to where it began: the mean of its last fifth against the best and the first
 * one. A rise that does not stand out of the step-to-step noise is none. Points oldest first.
 */
export function rewardCollapsed(points: readonly number[]): boolean {
  if (points.length < FEWEST) return false
  const width = Math.ceil(points.length / 5)
  const windows = points.slice(width - 1).map((_, from) => mean(points.slice(from, from + width)))
  const first = windows[0] ?? 0
  const last = windows.at(-1) ?? 0
  const best = Math.max(...windows)
  const noise = median(
    points.slice(1).map((value, index) => Math.abs(value - (points[index] ?? 0)))
  )
  const gained = best - first
  return gained > 2 * noise && gained > 0 && last < best - LOST * gained
}

/** Free space of one disk, as it was seen. `at` in Unix milliseconds. */
export interface FreeSpace {
  at: number
  free: number
  total: number
}

const HOUR_MS = 3_600_000
const SHORTEST_TREND_MS = 10 * 60_000
const HOURS_LEFT = 6
/** Less than this is too little whatever the trend. */
const LEAST_FREE = 2 * 1024 ** 3

/** Hours until the disk is full at the pace seen; 0 when it practically is, null when there is nothing to fear. */
export function hoursUntilFull(seen: readonly FreeSpace[]): number | null {
  const [first] = seen
  const last = seen.at(-1)
  if (first === undefined || last === undefined) return null
  if (last.free < Math.min(LEAST_FREE, last.total / 20)) return 0
  const elapsed = last.at - first.at
  const used = first.free - last.free
  if (elapsed < SHORTEST_TREND_MS || used <= 0) return null
  const hours = last.free / (used / (elapsed / HOUR_MS))
  return hours <= HOURS_LEFT ? hours : null
}
