import type { Curve } from './columns'
import { nearestIndex, shownValue } from './columns'
import type { Range } from './view-range'

/** One series at the crosshair. */
export type TipRow = {
  readonly key: string
  readonly attempt: number
  readonly source: string
  readonly superseded: boolean
  readonly x: number
  readonly value: number
  /** The raw value, when the shown one is smoothed. */
  readonly raw: number | null
}

/** Widest gap to the crosshair, as a share of the shown range, at which a series still has a value there. */
const REACH = 1 / 40

/**
 * The series at an x, highest value first; values that are no numbers last. Of several attempts of one key at the
 * same x the latest stands first among equals, and left-behind ones are listed too.
 */
export function tipRows(curves: readonly Curve[], x: number, range: Range): TipRow[] {
  const reach = (range[1] - range[0]) * REACH
  const rows = curves.flatMap((curve): TipRow[] => {
    const index = nearestIndex(curve.x, x)
    const at = curve.x[index]
    if (at === undefined || Math.abs(at - x) > reach) return []
    return [
      {
        key: curve.key,
        attempt: curve.attempt,
        source: curve.source,
        superseded: curve.superseded,
        x: at,
        value: shownValue(curve, index),
        raw: curve.smoothed ? (curve.raw[index] ?? NaN) : null
      }
    ]
  })
  return rows.sort((a, b) => rank(b.value) - rank(a.value) || b.attempt - a.attempt)
}

function rank(value: number): number {
  return Number.isNaN(value) ? -Infinity : value
}
