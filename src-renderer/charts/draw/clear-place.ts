import type { Curve } from '../columns'
import { indexAtOrBefore, shownValue } from '../columns'
import type { Plot } from './pen'

/** A rectangle on the canvas, in canvas pixels. */
export type Box = {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/**
 * The place for words that hides least of the curves and of words already placed; of equal ones the first. Null without
 * places.
 */
export function clearest(
  plot: Plot,
  places: readonly Box[],
  around: { readonly curves: readonly Curve[]; readonly taken: readonly Box[] }
): Box | null {
  let best: { box: Box; hidden: number } | null = null
  for (const box of places) {
    const hidden =
      around.curves.reduce((sum, curve) => sum + hiddenBy(plot, box, curve), 0) +
      around.taken.reduce((sum, other) => sum + shared(box, other), 0)
    if (best === null || hidden < best.hidden) best = { box, hidden }
    if (hidden === 0) break
  }
  return best?.box ?? null
}

/** Canvas pixels along x over which a curve's shown line runs under a box. */
export function hiddenBy(plot: Plot, box: Box, curve: Curve): number {
  const right = box.left + box.width
  const [low, high] = plot.range
  const from = low + ((box.left - plot.left) / plot.width) * (high - low)
  let before: readonly [number, number] | null = null
  let hidden = 0
  for (let i = Math.max(0, indexAtOrBefore(curve.x, from)); i < curve.x.length; i++) {
    const value = shownValue(curve, i)
    // A gap in the values is a gap in the line.
    if (!Number.isFinite(value)) {
      before = null
      continue
    }
    const point = [plot.toX(curve.x[i] ?? NaN), plot.toY(value)] as const
    hidden += under(box, before ?? point, point)
    if (point[0] > right) break
    before = point
  }
  return hidden
}

/** Width of a straight piece within a box; a piece without width counts as one pixel. */
function under(box: Box, from: readonly [number, number], to: readonly [number, number]): number {
  const left = Math.max(box.left, from[0])
  const right = Math.min(box.left + box.width, to[0])
  if (left > right) return 0
  const run = to[0] - from[0]
  const heightAt = (x: number): number =>
    run === 0 ? to[1] : from[1] + ((x - from[0]) / run) * (to[1] - from[1])
  const [a, b] = run === 0 ? [from[1], to[1]] : [heightAt(left), heightAt(right)]
  if (Math.max(a, b) < box.top || Math.min(a, b) > box.top + box.height) return 0
  return Math.max(1, right - left)
}

function shared(a: Box, b: Box): number {
  const wide = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)
  const high = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top)
  return wide > 0 && high > 0 ? wide : 0
}
