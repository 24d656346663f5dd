import { BLOCK } from './series'

/**
 * Levels above the raw rows: level 1 stands for 32 rows a bucket, each further one for 8 buckets of the one below.
 * Buckets count rows, never x: nothing depends on how steps are spaced.
 */
export const LEVELS = [1, 32, 256, 2048, 16_384] as const
export const FACTOR = 8

/** Numbers of one bucket, in the order of `Field`. */
export const WIDTH = 13
export const Field = {
  xFirst: 0,
  xLast: 1,
  xMin: 2,
  xMax: 3,
  atFirst: 4,
  atLast: 5,
  /** Of the finite values; NaN when there is none. The same for `max`, `first` and `last`. */
  min: 6,
  max: 7,
  first: 8,
  last: 9,
  sum: 10,
  /** Finite values. */
  count: 11,
  nonFinite: 12
} as const

/** Level 1 buckets of whole blocks. */
export function bucketsOfRows(
  x: Float64Array,
  value: Float64Array,
  at: Float64Array
): Float64Array {
  const size = LEVELS[1]
  const buckets = Math.floor(x.length / size)
  const out = new Float64Array(buckets * WIDTH)
  for (let b = 0; b < buckets; b++) {
    fillFromRows(out, b * WIDTH, x, value, at, b * size, (b + 1) * size)
  }
  return out
}

function fillFromRows(
  out: Float64Array,
  base: number,
  x: Float64Array,
  value: Float64Array,
  at: Float64Array,
  from: number,
  to: number
): void {
  let min = Infinity
  let max = -Infinity
  let first = Number.NaN
  let last = Number.NaN
  let sum = 0
  let count = 0
  let xMin = Infinity
  let xMax = -Infinity
  for (let i = from; i < to; i++) {
    const place = x[i] ?? 0
    const v = value[i] ?? 0
    if (place < xMin) xMin = place
    if (place > xMax) xMax = place
    if (v - v !== 0) continue
    if (count === 0) first = v
    last = v
    if (v < min) min = v
    if (v > max) max = v
    sum += v
    count++
  }
  out[base + Field.xFirst] = x[from] ?? 0
  out[base + Field.xLast] = x[to - 1] ?? 0
  out[base + Field.xMin] = xMin
  out[base + Field.xMax] = xMax
  out[base + Field.atFirst] = at[from] ?? 0
  out[base + Field.atLast] = at[to - 1] ?? 0
  out[base + Field.min] = count === 0 ? Number.NaN : min
  out[base + Field.max] = count === 0 ? Number.NaN : max
  out[base + Field.first] = first
  out[base + Field.last] = last
  out[base + Field.sum] = sum
  out[base + Field.count] = count
  out[base + Field.nonFinite] = to - from - count
}

/** Buckets of the next level from as many whole groups of `FACTOR` as there are. */
export function mergeBuckets(lower: Float64Array): Float64Array {
  const groups = Math.floor(lower.length / (WIDTH * FACTOR))
  const out = new Float64Array(groups * WIDTH)
  for (let g = 0; g < groups; g++) {
    const from = g * FACTOR * WIDTH
    out.set(lower.subarray(from, from + WIDTH), g * WIDTH)
    for (let i = 1; i < FACTOR; i++) mergeInto(out, g * WIDTH, lower, from + i * WIDTH)
  }
  return out
}

function mergeInto(out: Float64Array, to: number, lower: Float64Array, from: number): void {
  const get = (field: number): number => lower[from + field] ?? Number.NaN
  const kept = (field: number): number => out[to + field] ?? Number.NaN
  out[to + Field.xLast] = get(Field.xLast)
  out[to + Field.atLast] = get(Field.atLast)
  out[to + Field.xMin] = Math.min(kept(Field.xMin), get(Field.xMin))
  out[to + Field.xMax] = Math.max(kept(Field.xMax), get(Field.xMax))
  out[to + Field.sum] = kept(Field.sum) + get(Field.sum)
  out[to + Field.nonFinite] = kept(Field.nonFinite) + get(Field.nonFinite)
  if (get(Field.count) === 0) return
  if (kept(Field.count) === 0) {
    for (const field of [Field.min, Field.max, Field.first]) out[to + field] = get(field)
  } else {
    out[to + Field.min] = Math.min(kept(Field.min), get(Field.min))
    out[to + Field.max] = Math.max(kept(Field.max), get(Field.max))
  }
  out[to + Field.last] = get(Field.last)
  out[to + Field.count] = kept(Field.count) + get(Field.count)
}

/** Interleaves whole blocks as the column file has them: x of the block, values, times. */
export function blockBytes(x: Float64Array, value: Float64Array, at: Float64Array): Buffer {
  const blocks = Math.floor(x.length / BLOCK)
  const out = new Float64Array(blocks * BLOCK * 3)
  for (let b = 0; b < blocks; b++) {
    const from = b * BLOCK
    out.set(x.subarray(from, from + BLOCK), from * 3)
    out.set(value.subarray(from, from + BLOCK), from * 3 + BLOCK)
    out.set(at.subarray(from, from + BLOCK), from * 3 + 2 * BLOCK)
  }
  return Buffer.from(out.buffer)
}
