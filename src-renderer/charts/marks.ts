import type { Curve } from './columns'
import { indexAtOrBefore } from './columns'
import type { Range } from './view-range'

/** What a block of the release lane is, most telling first. */
export type BlockKind =
  'served' | 'rejected' | 'rollback' | 'pending' | 'training' | 'left-behind' | 'running'

/** One release on the x axis of the curves: it owns the stretch of training that made it. */
export type LaneBlock = {
  /** Row of the chain. */
  readonly step: number
  readonly label: string
  readonly kind: BlockKind
  readonly from: number
  readonly to: number
  readonly restorable: boolean
  /** x of the content a rollback republishes. */
  readonly backTo: number | null
  /** Row whose content it republishes. */
  readonly backToStep: number | null
}

/** A known value to hold a curve against, or the stretch from it up to another one. */
export type ReferenceLine = {
  readonly value: number
  readonly upTo?: number
  readonly label: string
  /** Said at the edge when it lies outside the plot. */
  readonly always?: boolean
}

export type RestartLine = { readonly x: number; readonly label: string }

/** A stretch of the x axis lit on every chart, with the colour its piece of the curve takes. */
export type LitPiece = { readonly range: Range; readonly tone: 'text' | 'cmp-a' | 'cmp-b' }

/** A value that was measured at one x, with the interval it is known within. */
export type Whisker = {
  readonly x: number
  readonly value: number
  readonly low: number
  readonly high: number
}

export type ChartMarks = {
  readonly references: readonly ReferenceLine[]
  readonly restarts: readonly RestartLine[]
  readonly lane: readonly LaneBlock[]
  readonly lit: readonly LitPiece[]
  readonly whiskers?: readonly Whisker[]
}

export const NO_MARKS: ChartMarks = { references: [], restarts: [], lane: [], lit: [] }

/** Where each attempt after the first begins, oldest first. */
export function restartsOf(curves: readonly Curve[]): { attempt: number; x: number }[] {
  const starts = new Map<number, number>()
  for (const curve of curves) {
    const first = curve.x[0]
    if (first === undefined) continue
    starts.set(curve.attempt, Math.min(starts.get(curve.attempt) ?? Infinity, first))
  }
  const oldest = Math.min(...starts.keys())
  return [...starts]
    .filter(([attempt]) => attempt > oldest)
    .map(([attempt, x]) => ({ attempt, x }))
    .sort((a, b) => a.attempt - b.attempt)
}

/** The last finite raw value at or before `x`, which is where a NaN's cross stands; null when there is none. */
export function lastLegalValue(curve: Curve, x: number): number | null {
  for (let index = indexAtOrBefore(curve.x, x); index >= 0; index--) {
    const raw = curve.raw[index]
    if (raw !== undefined && Number.isFinite(raw)) return raw
  }
  return null
}

/** How many values of each kind are not numbers, over the curves of a chart. */
export function countNonFinite(curves: readonly Curve[]): { nan: number; infinite: number } {
  let nan = 0
  let infinite = 0
  let listed = 0
  let counted = 0
  for (const curve of curves) {
    for (const mark of curve.nonFinite) {
      if (mark.kind === 'nan') nan++
      else infinite++
    }
    listed += curve.nonFinite.length
    counted += curve.nonFiniteCount
  }
  // The engine may list only some of many; those it only counts are nearly always NaN.
  return { nan: nan + Math.max(0, counted - listed), infinite }
}

/** The block under an x, preferring the newest where branches overlap. */
export function blockAt(lane: readonly LaneBlock[], x: number): LaneBlock | null {
  let found: LaneBlock | null = null
  for (const block of lane) {
    if (x > block.from && x <= block.to && (found === null || block.step > found.step))
      found = block
  }
  return found
}
