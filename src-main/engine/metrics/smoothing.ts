import type { Smoothing } from '../../contract/metrics'

/** A causal smoother: takes samples in order, answers the smoothed value so far. Non-finite values change nothing. */
export interface Smoother {
  push(x: number, value: number): number
}

/** The smoother of a causal kind; null for `none` and for the Gaussian, which looks ahead. */
export function smootherOf(smoothing: Smoothing): Smoother | null {
  switch (smoothing.kind) {
    case 'none':
    case 'gaussian':
      return null
    case 'ema':
      return new TimeWeightedEma(Math.min(Math.max(smoothing.weight, 0), 0.999_999))
    case 'mean':
      return new RunningMean(windowOf(smoothing.window))
    case 'median':
      return new RunningMedian(windowOf(smoothing.window))
  }
}

function windowOf(window: number): number {
  return Math.max(1, Math.min(100_000, Math.floor(window)))
}

/**
 * Exponential average whose memory fades with distance in x: `weight` is what remains after one ordinary step,
 * ordinary being the mean step seen so far. So a gap in the data fades more than a dense stretch, a series logged every
 * 20 steps is smoothed as one logged at every step, and no later sample changes an earlier value.
 * Divided by the sum of its weights, so that it does not begin near zero (bias correction).
 */
class TimeWeightedEma implements Smoother {
  private weighted = 0
  private weights = 0
  private before: number | null = null
  private travelled = 0
  private steps = 0

  constructor(private readonly weight: number) {}

  push(x: number, value: number): number {
    if (Number.isFinite(value)) {
      const keep = this.keep(x)
      this.weighted = this.weighted * keep + value * (1 - keep)
      this.weights = this.weights * keep + (1 - keep)
      this.before = x
    }
    return this.weights > 0 ? this.weighted / this.weights : Number.NaN
  }

  private keep(x: number): number {
    if (this.before === null) return this.weight
    const step = x - this.before
    // A repeated step or one back (a resume) counts as an ordinary one.
    if (!(step > 0)) return this.weight
    this.travelled += step
    this.steps++
    const ratio = (step * this.steps) / this.travelled
    return Math.abs(ratio - 1) < 1e-12 ? this.weight : Math.pow(this.weight, ratio)
  }
}

class RunningMean implements Smoother {
  private readonly ring: Float64Array
  private filled = 0
  private next = 0
  private sum = 0
  /** What the sum could not hold beside its largest value: without it, a spike that leaves takes the rest with it. */
  private lost = 0

  constructor(private readonly window: number) {
    this.ring = new Float64Array(window)
  }

  push(_x: number, value: number): number {
    if (Number.isFinite(value)) {
      if (this.filled === this.window) this.add(-(this.ring[this.next] ?? 0))
      else this.filled++
      this.ring[this.next] = value
      this.add(value)
      this.next = (this.next + 1) % this.window
      // Adding and taking away gathers rounding errors; once round, sum anew.
      if (this.next === 0) {
        this.sum = this.lost = 0
        for (const kept of this.ring) this.add(kept)
      }
    }
    return this.filled === 0 ? Number.NaN : (this.sum + this.lost) / this.filled
  }

  private add(value: number): void {
    const sum = this.sum + value
    const [large, small] =
      Math.abs(this.sum) >= Math.abs(value) ? [this.sum, value] : [value, this.sum]
    this.lost += large - sum + small
    this.sum = sum
  }
}

class RunningMedian implements Smoother {
  private readonly ring: number[] = []
  private readonly sorted: number[] = []
  private next = 0

  constructor(private readonly window: number) {}

  push(_x: number, value: number): number {
    if (Number.isFinite(value)) this.take(value)
    const { length } = this.sorted
    if (length === 0) return Number.NaN
    const upper = this.sorted[length >> 1] ?? Number.NaN
    return length % 2 === 1 ? upper : (upper + (this.sorted[(length >> 1) - 1] ?? upper)) / 2
  }

  private take(value: number): void {
    const leaving = this.ring[this.next]
    if (this.ring.length === this.window && leaving !== undefined) {
      this.sorted.splice(placeOf(this.sorted, leaving), 1)
    }
    this.ring[this.next] = value
    this.next = (this.next + 1) % this.window
    this.sorted.splice(placeOf(this.sorted, value), 0, value)
  }
}

function placeOf(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** How many rows on each side a Gaussian of this width looks at. */
export function gaussianReach(sigma: number): number {
  return Math.ceil(3 * Math.min(Math.max(sigma, 0), 10_000))
}

/** Gaussian mean around `index`, weights by distance in samples; NaN when nothing finite is near. */
export function gaussianAt(values: Float64Array, index: number, sigma: number): number {
  const reach = gaussianReach(sigma)
  if (reach === 0) return values[index] ?? Number.NaN
  const from = Math.max(0, index - reach)
  const to = Math.min(values.length - 1, index + reach)
  let weighted = 0
  let weights = 0
  for (let i = from; i <= to; i++) {
    const value = values[i] ?? Number.NaN
    if (!Number.isFinite(value)) continue
    const distance = (i - index) / sigma
    const weight = Math.exp(-0.5 * distance * distance)
    weighted += weight * value
    weights += weight
  }
  return weights > 0 ? weighted / weights : Number.NaN
}
