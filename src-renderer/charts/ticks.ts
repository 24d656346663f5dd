import { backward, forward } from './value-scale'
import type { ValueScale } from './value-scale'

/** Most labels on any axis. */
export const MOST_TICKS = 5

const STEPS = [1, 2, 2.5, 5, 10]

/** The smallest round step (1, 2, 2.5 or 5 times a power of ten) that is at least `rough`. */
export function roundStep(rough: number): number {
  if (!(rough > 0) || !Number.isFinite(rough)) return 1
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = STEPS.find((candidate) => candidate * power >= rough * (1 - 1e-9)) ?? 10
  return step * power
}

/** Multiples of a round step inside [low, high], at most `most` of them. */
export function linearTicks(low: number, high: number, most: number = MOST_TICKS): number[] {
  if (!(high > low)) return Number.isFinite(low) ? [low] : []
  let step = roundStep((high - low) / Math.max(1, most - 1))
  let first = Math.ceil(low / step - 1e-9)
  let last = Math.floor(high / step + 1e-9)
  while (last - first + 1 > most) {
    step = roundStep(step * 1.01)
    first = Math.ceil(low / step - 1e-9)
    last = Math.floor(high / step + 1e-9)
  }
  const ticks: number[] = []
  for (let index = first; index <= last; index++) ticks.push(clean(index * step, step))
  return ticks
}

/** Removes the dust of binary fractions: 0.30000000000000004 becomes 0.3. */
function clean(value: number, step: number): number {
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(step)))
  return decimals > 20 ? value : Number(value.toFixed(Math.min(20, decimals)))
}

/** [low, high] widened to whole steps, so that the outer ticks stand on the edges and the axis does not tremble while live. */
export function niceRange(low: number, high: number, most: number = MOST_TICKS): [number, number] {
  if (!(high > low)) {
    const pad = Math.abs(low) > 0 ? Math.abs(low) * 0.1 : 1
    return niceRange(low - pad, low + pad, most)
  }
  let step = roundStep((high - low) / (most - 1))
  let bottom = Math.floor(low / step + 1e-9)
  let top = Math.ceil(high / step - 1e-9)
  while (top - bottom + 1 > most) {
    step = roundStep(step * 1.01)
    bottom = Math.floor(low / step + 1e-9)
    top = Math.ceil(high / step - 1e-9)
  }
  return [clean(bottom * step, step), clean(top * step, step)]
}

/** Powers of ten inside the range of a log or symlog axis, thinned to at most `most`; zero included for symlog. */
export function logTicks(
  scale: ValueScale,
  low: number,
  high: number,
  most: number = MOST_TICKS
): number[] {
  if (scale.kind === 'linear') return linearTicks(low, high, most)
  const candidates =
    scale.kind === 'log' ? powers(low, high) : symmetricPowers(scale.threshold, low, high)
  if (candidates.length < 2) return spreadTicks(scale, low, high, most)
  return thin(candidates, most)
}

/** Powers of ten from `low` to `high`, both positive. */
function powers(low: number, high: number): number[] {
  const ticks: number[] = []
  const last = Math.floor(Math.log10(high) + 1e-9)
  for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= last; power++)
    ticks.push(10 ** power)
  return ticks
}

function symmetricPowers(threshold: number, low: number, high: number): number[] {
  const negative = low < -threshold ? powers(threshold, -low).map((tick) => -tick) : []
  const positive = high > threshold ? powers(threshold, high) : []
  const zero = low <= 0 && high >= 0 ? [0] : []
  return [...negative.reverse(), ...zero, ...positive]
}

/** Less than one decade is shown: evenly spaced round values read better than one lonely power. */
function spreadTicks(scale: ValueScale, low: number, high: number, most: number): number[] {
  const ticks = linearTicks(low, high, most)
  if (ticks.length >= 2) return ticks
  return [low, backward(scale, (forward(scale, low) + forward(scale, high)) / 2), high]
}

/** Keeps every n-th candidate, counted so that zero (or else the last one) always stays. */
function thin(candidates: readonly number[], most: number): number[] {
  const every = Math.ceil(candidates.length / most)
  const zero = candidates.indexOf(0)
  const anchor = zero >= 0 ? zero : candidates.length - 1
  const kept = candidates.filter((_, index) => (index - anchor) % every === 0)
  return kept.length <= most ? kept : kept.filter((_, index) => index % 2 === 0)
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TIME_STEPS = [
  SECOND,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  90 * DAY,
  365 * DAY
]

/**
 * Ticks of a time axis in milliseconds, on whole seconds, minutes, hours or days.
 * @param zone Minutes the person's clock is ahead of UTC, so that days begin at their midnight; 0 for durations.
 */
export function timeTicks(
  low: number,
  high: number,
  zone: number = 0,
  most: number = MOST_TICKS
): number[] {
  if (!(high > low)) return Number.isFinite(low) ? [low] : []
  const rough = (high - low) / Math.max(1, most - 1)
  const step = TIME_STEPS.find((candidate) => candidate >= rough) ?? roundStep(rough / DAY) * DAY
  const shift = zone * MINUTE
  const ticks: number[] = []
  for (let tick = Math.ceil((low + shift) / step) * step - shift; tick <= high; tick += step)
    ticks.push(tick)
  return ticks.slice(0, most)
}

/** A duration in milliseconds as short as an axis needs it: `45 s`, `12 m`, `3 h 30 m`, `2 d`. */
export function formatDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '\u2212' : ''
  const total = Math.round(Math.abs(milliseconds) / SECOND)
  const days = Math.floor(total / 86_400)
  const hours = Math.floor((total % 86_400) / 3600)
  const minutes = Math.floor((total % 3600) / 60)
  const seconds = total % 60
  if (days > 0) return sign + (hours > 0 ? `${days} d ${hours} h` : `${days} d`)
  if (hours > 0) return sign + (minutes > 0 ? `${hours} h ${minutes} m` : `${hours} h`)
  if (minutes > 0) return sign + (seconds > 0 ? `${minutes} m ${seconds} s` : `${minutes} m`)
  return total === 0 ? '0' : `${sign}${seconds} s`
}
