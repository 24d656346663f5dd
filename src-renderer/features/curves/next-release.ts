import type { Pace } from '@contract/metrics'
import type { Release } from '@contract/releases'

/** Distances the forecast looks back on. */
const LOOKED_BACK = 10
/** With fewer distances nothing is foretold. */
const FEWEST = 3

/** When something is to be expected. Milliseconds; `late` when it should have come by now. */
export type Forecast =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'expected'
      readonly left: number
      readonly earliest: number
      readonly latest: number
    }
  | { readonly kind: 'late'; readonly by: number }

/**
 * The time to the next release: the median of the last ten distances, with the spread of their middle half.
 * @param releases Newest first.
 * @param now Unix milliseconds.
 */
export function nextRelease(
  releases: readonly Pick<Release, 'operation' | 'attempt' | 'recordedAt'>[],
  now: number
): Forecast {
  const attempt = releases[0]?.attempt
  const times = releases
    .filter((release) => release.operation === 'training' && release.attempt === attempt)
    .flatMap((release) => release.recordedAt ?? [])
  return forecast(times, 1, now)
}

/** The time to the last step, as the last ten came; unknown for a stack that goes on for ever. */
export function lastStep(pace: Pick<Pace, 'times' | 'left'>, now: number): Forecast {
  if (pace.left === null || pace.left === 0) return { kind: 'unknown' }
  return forecast([...pace.times].reverse(), pace.left, now)
}

/** `count` distances more from the newest of `times`, which stand newest first. */
function forecast(times: readonly number[], count: number, now: number): Forecast {
  const known = times.slice(0, LOOKED_BACK + 1)
  const newest = known[0]
  const distances = known
    .slice(1)
    .map((time, index) => (known[index] ?? time) - time)
    .sort((a, b) => a - b)
  if (newest === undefined || distances.length < FEWEST) return { kind: 'unknown' }
  const share = (part: number): number =>
    (distances[Math.min(distances.length - 1, Math.floor(distances.length * part))] ?? 0) * count
  const passed = now - newest
  const latest = share(0.75) - passed
  if (latest < 0) return { kind: 'late', by: -latest }
  return {
    kind: 'expected',
    left: Math.max(0, share(0.5) - passed),
    earliest: Math.max(0, share(0.25) - passed),
    latest
  }
}
