import type { SeriesAnswer, SeriesPart } from '@contract/metrics'

/** One curve ready to draw: a key within one attempt, as five columns of equal length. */
export type Curve = {
  readonly key: string
  readonly attempt: number
  /** Which of the run's sources it came from. */
  readonly source: string
  readonly superseded: boolean
  /** Raw samples behind the visible points. */
  readonly total: number
  readonly x: Float64Array
  readonly min: Float64Array
  readonly max: Float64Array
  readonly raw: Float64Array
  /** All NaN when no smoothing was asked for. */
  readonly smooth: Float64Array
  readonly smoothed: boolean
  readonly nonFinite: SeriesPart['nonFinite']
  readonly nonFiniteCount: number
}

/** What one chart draws. `extent` is the whole x extent of its keys, whatever part is shown. */
export type ChartData = {
  readonly revision: number
  readonly extent: readonly [number, number] | null
  readonly curves: readonly Curve[]
}

export const EMPTY_DATA: ChartData = { revision: 0, extent: null, curves: [] }

const COLUMNS_PER_PART = 5
const FLOAT_BYTES = 8

/**
 * Turns an answer of `metrics.series` into curves. The columns are views on one buffer, not copies.
 * @throws RangeError when a part points outside of it.
 */
export function decodeAnswer(answer: SeriesAnswer): ChartData {
  const buffer = bytesOf(answer.numbers)
  return {
    revision: answer.revision,
    extent: answer.extent,
    curves: answer.parts.map((part) => curveOf(part, buffer))
  }
}

function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes.buffer
}

/** The curve of one part, read from a buffer of little-endian float64 columns. */
export function curveOf(part: SeriesPart, buffer: ArrayBuffer): Curve {
  const last = part.offset + part.count * COLUMNS_PER_PART
  if (part.offset < 0 || last * FLOAT_BYTES > buffer.byteLength) {
    throw new RangeError(
      `series ${part.key} (attempt ${part.attempt}) needs elements ${part.offset} to ${last}, the answer has ${Math.floor(buffer.byteLength / FLOAT_BYTES)}`
    )
  }
  const column = (index: number): Float64Array =>
    new Float64Array(buffer, (part.offset + index * part.count) * FLOAT_BYTES, part.count)
  const smooth = column(4)
  return {
    key: part.key,
    attempt: part.attempt,
    source: part.source,
    superseded: part.superseded,
    total: part.total,
    x: column(0),
    min: column(1),
    max: column(2),
    raw: column(3),
    smooth,
    smoothed: smooth.some((value) => !Number.isNaN(value)),
    nonFinite: part.nonFinite,
    nonFiniteCount: part.nonFiniteCount
  }
}

/** Index of the last element not greater than `x`, or -1. `xs` ascends. */
export function indexAtOrBefore(xs: Float64Array, x: number): number {
  let low = 0
  let high = xs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((xs[middle] ?? Infinity) <= x) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Index of the point nearest to `x`, or -1 for an empty curve. */
export function nearestIndex(xs: Float64Array, x: number): number {
  const before = indexAtOrBefore(xs, x)
  if (before < 0) return xs.length === 0 ? -1 : 0
  const after = before + 1
  const left = xs[before] ?? -Infinity
  const right = xs[after]
  return right !== undefined && right - x < x - left ? after : before
}

/** What a person reads as the curve's value at an index: smoothed when there is smoothing. */
export function shownValue(curve: Curve, index: number): number {
  return (curve.smoothed ? curve.smooth[index] : curve.raw[index]) ?? NaN
}

/** Newest finite value over the curves of one key as it was written, not smoothed; latest attempt first. */
export function newestRaw(curves: readonly Curve[]): { x: number; value: number } | null {
  let best: { x: number; value: number; attempt: number } | null = null
  for (const curve of curves) {
    if (best !== null && curve.attempt < best.attempt) continue
    for (let index = curve.x.length - 1; index >= 0; index--) {
      const value = curve.raw[index] ?? NaN
      const x = curve.x[index]
      if (x === undefined || !Number.isFinite(value)) continue
      if (best === null || curve.attempt > best.attempt || x > best.x)
        best = { x, value, attempt: curve.attempt }
      break
    }
  }
  return best === null ? null : { x: best.x, value: best.value }
}
