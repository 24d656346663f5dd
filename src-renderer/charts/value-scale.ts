/** How values become heights. `symlog` is linear within `threshold` of zero and logarithmic beyond. */
export type ValueScale =
  | { readonly kind: 'linear' }
  | { readonly kind: 'log' }
  | { readonly kind: 'symlog'; readonly threshold: number }

export const LINEAR: ValueScale = { kind: 'linear' }

/**
 * Powers of ten a symlog axis spreads on each side of zero; smaller values fold into its linear middle. More would let
 * the noise of values that happen to pass zero fill the plot.
 */
const MOST_DECADES = 2

/** Smallest value a log axis can be asked about; anything at or below zero is drawn at the floor. */
const LOG_FLOOR = 1e-300

/** Where a value stands on the scale, in the scale's own linear units. */
export function forward(scale: ValueScale, value: number): number {
  switch (scale.kind) {
    case 'linear':
      return value
    case 'log':
      return Math.log10(Math.max(value, LOG_FLOOR))
    case 'symlog':
      return Math.sign(value) * Math.log10(1 + Math.abs(value) / scale.threshold)
  }
}

/** The inverse of `forward`. */
export function backward(scale: ValueScale, position: number): number {
  switch (scale.kind) {
    case 'linear':
      return position
    case 'log':
      return 10 ** position
    case 'symlog':
      return Math.sign(position) * (10 ** Math.abs(position) - 1) * scale.threshold
  }
}

/** What is known of the visible values when a scale is chosen. */
export type ValueSpread = {
  readonly low: number
  readonly high: number
  /** Smallest absolute value that is not zero; Infinity when all are zero. */
  readonly smallest: number
}

/**
 * The scale for a chart on which a person asked for a log axis (or not): a plain logarithm where every value is
 * positive, a symmetric one where zeros or negative values must stay visible, linear where there is nothing to spread.
 */
export function chooseScale(asked: 'linear' | 'log', spread: ValueSpread | null): ValueScale {
  if (asked === 'linear' || spread === null || !Number.isFinite(spread.smallest)) return LINEAR
  if (spread.low > 0) return { kind: 'log' }
  const largest = Math.max(Math.abs(spread.low), Math.abs(spread.high))
  const floor = largest / 10 ** MOST_DECADES
  return {
    kind: 'symlog',
    threshold: 10 ** Math.floor(Math.log10(Math.max(spread.smallest, floor)))
  }
}
