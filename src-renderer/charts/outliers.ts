import type { Curve } from './columns'
import { indexAtOrBefore } from './columns'
import type { ValueSpread } from './value-scale'
import type { Range } from './view-range'
import { visibleSpread } from './view-range'

/** Shares of the points below and above the ordinary ones. */
const TAIL = 0.05
/** How far beyond the ordinary values the axis still goes, in widths of them. */
const ROOM = 0.5
const LOOKED_AT = 2000

/**
 * The spread of the ordinary values: the middle nine tenths of the visible points with some room, never wider than all
 * of them. What lies outside is cut at the edge and marked there.
 */
export function ordinarySpread(curves: readonly Curve[], range: Range): ValueSpread | null {
  const whole = visibleSpread(curves, range)
  if (whole === null) return null
  const values = visibleValues(curves, range).sort((a, b) => a - b)
  const low = values[Math.floor(values.length * TAIL)] ?? whole.low
  const high = values[Math.ceil(values.length * (1 - TAIL)) - 1] ?? whole.high
  const room = (high - low) * ROOM
  if (!(room > 0)) return whole
  return {
    low: Math.max(whole.low, low - room),
    high: Math.min(whole.high, high + room),
    smallest: whole.smallest
  }
}

function visibleValues(curves: readonly Curve[], range: Range): number[] {
  const spans = curves.map((curve) => ({
    curve,
    first: Math.max(0, indexAtOrBefore(curve.x, range[0])),
    last: Math.min(curve.x.length - 1, indexAtOrBefore(curve.x, range[1]))
  }))
  const all = spans.reduce((sum, { first, last }) => sum + Math.max(0, last - first + 1), 0)
  const step = Math.max(1, Math.ceil(all / LOOKED_AT))
  const values: number[] = []
  for (const { curve, first, last } of spans) {
    for (let index = first; index <= last; index += step) {
      const value = curve.raw[index] ?? NaN
      if (Number.isFinite(value)) values.push(value)
    }
  }
  return values
}

/** x of the points inside `range` whose values leave `values`, above and below. */
export function cutPoints(
  curves: readonly Curve[],
  range: Range,
  values: Range
): { readonly above: number[]; readonly below: number[] } {
  const above: number[] = []
  const below: number[] = []
  for (const curve of curves) {
    const last = Math.min(curve.x.length - 1, indexAtOrBefore(curve.x, range[1]))
    for (let index = Math.max(0, indexAtOrBefore(curve.x, range[0])); index <= last; index++) {
      const x = curve.x[index] ?? NaN
      if (x < range[0]) continue
      if ((curve.max[index] ?? NaN) > values[1]) above.push(x)
      if ((curve.min[index] ?? NaN) < values[0]) below.push(x)
    }
  }
  return { above: above.sort((a, b) => a - b), below: below.sort((a, b) => a - b) }
}
