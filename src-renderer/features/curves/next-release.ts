import type { Release } from '@contract/releases'

/** Releases the forecast looks back on. */
const LOOKED_BACK = 10
/** With fewer distances between releases nothing is foretold. */
const FEWEST = 3

/** When the next release is to be expected. Milliseconds; `late` when it should have come by now. */
type NextRelease =
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
): NextRelease {
  const attempt = releases[0]?.attempt
  const times = releases
    .filter((release) => release.operation === 'training' && release.attempt === attempt)
    .flatMap((release) => release.recordedAt ?? [])
    .slice(0, LOOKED_BACK + 1)
  const newest = times[0]
  const distances = times
    .slice(1)
    .map((time, index) => (times[index] ?? time) - time)
    .sort((a, b) => a - b)
  if (newest === undefined || distances.length < FEWEST) return { kind: 'unknown' }
  const share = (part: number): number =>
    distances[Math.min(distances.length - 1, Math.floor(distances.length * part))] ?? 0
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
