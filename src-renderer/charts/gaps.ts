/** A distance this many times the usual one is a gap: nothing was logged there, and no line pretends it was. */
const FACTOR = 8
/** With fewer points there is no usual distance. */
const FEWEST = 8
/** Distances looked at to find the usual one. */
const LOOKED_AT = 128

const known = new WeakMap<Float64Array, Uint8Array | null>()

/**
 * Where the pen is lifted: 1 at an index whose distance from the point before it is far beyond the usual one.
 * Null when there is no such place. Computed once for each column of an answer.
 */
export function liftsOf(xs: Float64Array): Uint8Array | null {
  const before = known.get(xs)
  if (before !== undefined) return before
  const lifts = findLifts(xs)
  known.set(xs, lifts)
  return lifts
}

function findLifts(xs: Float64Array): Uint8Array | null {
  if (xs.length < FEWEST) return null
  const widest = usualDistance(xs) * FACTOR
  if (!(widest > 0)) return null
  let lifts: Uint8Array | null = null
  for (let index = 1; index < xs.length; index++) {
    if ((xs[index] ?? 0) - (xs[index - 1] ?? 0) <= widest) continue
    lifts ??= new Uint8Array(xs.length)
    lifts[index] = 1
  }
  return lifts
}

/**
 * The upper quartile, not the median: thinned columns come as pairs, whose distances are a sample's and a column's in
 * turn.
 */
function usualDistance(xs: Float64Array): number {
  const step = Math.max(1, Math.floor((xs.length - 1) / LOOKED_AT))
  const distances: number[] = []
  for (let index = 1; index < xs.length; index += step) {
    // Neighbours of every second kind are looked at, whatever the stride.
    const at = index + (distances.length % 2 === 0 || index + 1 >= xs.length ? 0 : 1)
    distances.push((xs[at] ?? 0) - (xs[at - 1] ?? 0))
  }
  distances.sort((a, b) => a - b)
  return distances[Math.floor(distances.length * 0.75)] ?? 0
}
