import type { Curve } from './columns'
import { indexAtOrBefore } from './columns'
import { niceRange } from './ticks'
import type { ValueScale, ValueSpread } from './value-scale'

/** A closed interval on an axis, low end first. */
export type Range = readonly [number, number]

/** Narrowest part of the whole extent one can zoom to: beyond it, floating point runs out before insight begins. */
const NARROWEST = 1e-9

/** `range` scaled about `centre`; `factor` below 1 zooms in. Never wider than `extent`, which null leaves open. */
export function zoomed(range: Range, centre: number, factor: number, extent: Range | null): Range {
  const low = centre - (centre - range[0]) * factor
  const high = centre + (range[1] - centre) * factor
  const whole = extent === null ? Math.abs(high) + Math.abs(low) : extent[1] - extent[0]
  if (high - low < whole * NARROWEST) return range
  return extent === null ? [low, high] : within([low, high], extent)
}

/** `range` moved by `distance`, stopped at the ends of `extent`. */
export function panned(range: Range, distance: number, extent: Range | null): Range {
  const width = range[1] - range[0]
  if (extent === null) return [range[0] + distance, range[1] + distance]
  const low = Math.min(
    Math.max(range[0] + distance, extent[0]),
    Math.max(extent[0], extent[1] - width)
  )
  return [low, low + width]
}

function within(range: Range, extent: Range): Range {
  const width = Math.min(range[1] - range[0], extent[1] - extent[0])
  const low = Math.min(Math.max(range[0], extent[0]), extent[1] - width)
  return [low, low + width]
}

/** The same width, moved so that its right edge is the newest x. */
export function following(range: Range, newest: number): Range {
  return [newest - (range[1] - range[0]), newest]
}

/** Whether a range shows the newest x, give or take a hundredth of its width. */
export function showsNewest(range: Range, newest: number): boolean {
  return range[1] >= newest - (range[1] - range[0]) / 100
}

/** Space to the right of the newest point: the x axis ends on a round number so that live growth moves it in steps. */
export function roomyExtent(extent: Range): Range {
  if (!(extent[1] > extent[0])) return [extent[0], extent[0] + 1]
  const nice = niceRange(extent[0], extent[1])
  const spare = (extent[1] - extent[0]) * 0.12
  return [extent[0], Math.min(nice[1], extent[1] + spare)]
}

/** Lowest, highest and smallest non-zero value drawn inside `range`; null when nothing finite is. */
export function visibleSpread(curves: readonly Curve[], range: Range): ValueSpread | null {
  let low = Infinity
  let high = -Infinity
  let smallest = Infinity
  for (const curve of curves) {
    const first = Math.max(0, indexAtOrBefore(curve.x, range[0]))
    const last = Math.min(curve.x.length - 1, indexAtOrBefore(curve.x, range[1]) + 1)
    for (let index = first; index <= last; index++) {
      const bottom = curve.min[index] ?? NaN
      const top = curve.max[index] ?? NaN
      if (bottom < low) low = bottom
      if (top > high) high = top
      const size = Math.min(Math.abs(bottom), Math.abs(top))
      if (size > 0 && size < smallest) smallest = size
    }
  }
  return low <= high ? { low, high, smallest } : null
}

/** How far from the data a reference line may be and still stretch the axis, in widths of the data. */
const REFERENCE_REACH = 0.6

/** The y axis for a spread: whole steps, zero included where it is near, reference lines that are near included. */
export function valueRange(
  spread: ValueSpread | null,
  scale: ValueScale,
  references: readonly number[]
): Range {
  if (spread === null) return [0, 1]
  let { low, high } = spread
  const reach = Math.max(high - low, Math.abs(high) * 0.05) * REFERENCE_REACH
  for (const reference of references) {
    if (scale.kind !== 'linear') continue
    if (reference > high && reference <= high + reach) high = reference
    if (reference < low && reference >= low - reach) low = reference
  }
  if (scale.kind === 'log') return logRange(low, high)
  if (scale.kind === 'symlog') return [low, high > low ? high : low + scale.threshold]
  if (low === high) return flatRange(low)
  if (low > 0 && low <= high * 0.6) low = 0
  if (high < 0 && high >= low * 0.6) high = 0
  return niceRange(low, high)
}

/** A value that never changes stands in the middle between zero and twice itself; zero stands on the axis. */
function flatRange(value: number): Range {
  if (value === 0) return [0, 1]
  return value > 0 ? niceRange(0, value * 2) : niceRange(value * 2, 0)
}

/** Widened by a tenth of a decade a side at least, to the power of ten where one is near. */
function logRange(low: number, high: number): Range {
  const bottom = Math.log10(low)
  const top = Math.log10(high)
  const pad = Math.max(0.05, (top - bottom) * 0.08)
  const floor = Math.floor(bottom)
  const ceiling = Math.ceil(top)
  return [
    10 ** (bottom - floor < pad + 0.3 ? floor : bottom - pad),
    10 ** (ceiling - top < pad + 0.3 ? ceiling : top + pad)
  ]
}
