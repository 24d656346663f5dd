import type { NormSums } from './figures'

/** A matrix kept as its factors: `scale` · B·A, with A rank × columns and B rows × rank, both row by row. */
export interface LowRank {
  rank: number
  rows: number
  columns: number
  a: Float32Array
  b: Float32Array
  scale: number
}

type Squares = Omit<NormSums, 'ab'>

/** Columns worked on at once. */
const BLOCK = 4096

/**
 * M·Mᵀ for a matrix of `height` long rows given block by block, without having it whole.
 * @param fill writes the block that begins at `from` into `block`, row by row, `width` numbers each
 */
function gram(
  height: number,
  length: number,
  fill: (block: Float64Array, from: number, width: number) => void
): Float64Array {
  const result = new Float64Array(height * height)
  const block = new Float64Array(height * Math.min(BLOCK, length))
  for (let from = 0; from < length; from += BLOCK) {
    const width = Math.min(BLOCK, length - from)
    fill(block, from, width)
    for (let i = 0; i < height; i += 1)
      for (let j = i; j < height; j += 1) {
        let sum = 0
        const [left, right] = [i * width, j * width]
        for (let k = 0; k < width; k += 1) sum += (block[left + k] ?? 0) * (block[right + k] ?? 0)
        result[i * height + j] = (result[i * height + j] ?? 0) + sum
      }
  }
  for (let i = 0; i < height; i += 1)
    for (let j = 0; j < i; j += 1) result[i * height + j] = result[j * height + i] ?? 0
  return result
}

/** Σ over i, j of L[i,j]·R[i,j]: the squared norm of the product whose Gram matrices these are. */
function inner(left: Float64Array, right: Float64Array): number {
  let sum = 0
  for (let index = 0; index < left.length; index += 1)
    sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}

/** The square block of a stacked Gram matrix at (row, column), `signs` folding the halves: pick · G · pickᵀ. */
function folded(
  gramMatrix: Float64Array,
  rank: number,
  first: number,
  second: number
): Float64Array {
  const height = 2 * rank
  const result = new Float64Array(rank * rank)
  for (let i = 0; i < rank; i += 1)
    for (let j = 0; j < rank; j += 1) {
      const at = (row: number, column: number): number => gramMatrix[row * height + column] ?? 0
      result[i * rank + j] =
        first * first * at(i, j) +
        first * second * (at(i, rank + j) + at(rank + i, j)) +
        second * second * at(rank + i, rank + j)
    }
  return result
}

/**
 * Squared norms of two effective updates and of their difference. With equal ranks the difference is written as
 * (B₁−B₂)·A₁ + B₂·(A₁−A₂), so that two nearly equal adapters do not cancel into rounding noise.
 */
export function lowRankSums(one: LowRank, two: LowRank): NormSums {
  const sums = one.rank === two.rank ? nearSums(one, two) : stackedSums(one, two)
  return { ...sums, ab: (sums.aa + sums.bb - sums.dd) / 2 }
}

function nearSums(one: LowRank, two: LowRank): Squares {
  const { rank } = one
  const left = gram(2 * rank, one.rows, (block, from, width) => {
    for (let row = 0; row < width; row += 1)
      for (let k = 0; k < rank; k += 1) {
        const at = (from + row) * rank + k
        const second = two.scale * (two.b[at] ?? 0)
        block[k * width + row] = one.scale * (one.b[at] ?? 0) - second
        block[(rank + k) * width + row] = second
      }
  })
  const right = gram(2 * rank, one.columns, (block, from, width) => {
    for (let k = 0; k < rank; k += 1)
      for (let column = 0; column < width; column += 1) {
        const at = k * one.columns + from + column
        const first = one.a[at] ?? 0
        block[k * width + column] = first
        block[(rank + k) * width + column] = first - (two.a[at] ?? 0)
      }
  })
  return {
    // B₁ is the sum of both halves on the left, A₁ the first on the right; B₂ the second, A₂ first minus second.
    aa: inner(folded(left, rank, 1, 1), folded(right, rank, 1, 0)),
    bb: inner(folded(left, rank, 0, 1), folded(right, rank, 1, -1)),
    dd: Math.max(0, inner(left, right))
  }
}

function stackedSums(one: LowRank, two: LowRank): Squares {
  const height = one.rank + two.rank
  const left = gram(height, one.rows, (block, from, width) => {
    for (const [side, sign, offset] of [
      [one, 1, 0],
      [two, -1, one.rank]
    ] as const)
      for (let row = 0; row < width; row += 1)
        for (let k = 0; k < side.rank; k += 1)
          block[(offset + k) * width + row] =
            sign * side.scale * (side.b[(from + row) * side.rank + k] ?? 0)
  })
  const right = gram(height, one.columns, (block, from, width) => {
    for (const [side, offset] of [
      [one, 0],
      [two, one.rank]
    ] as const)
      for (let k = 0; k < side.rank; k += 1)
        for (let column = 0; column < width; column += 1)
          block[(offset + k) * width + column] = side.a[k * side.columns + from + column] ?? 0
  })
  const sums = { aa: 0, bb: 0, dd: 0 }
  for (let i = 0; i < height; i += 1)
    for (let j = 0; j < height; j += 1) {
      const product = (left[i * height + j] ?? 0) * (right[i * height + j] ?? 0)
      sums.dd += product
      if (i < one.rank && j < one.rank) sums.aa += product
      if (i >= one.rank && j >= one.rank) sums.bb += product
    }
  return { ...sums, dd: Math.max(0, sums.dd) }
}

/** Rows of the effective update that are all zero because their row of B is. */
export function deadRowsOf({ b, rows, rank }: LowRank): number {
  let dead = 0
  for (let row = 0; row < rows; row += 1) {
    let alive = false
    for (let k = 0; k < rank && !alive; k += 1) alive = b[row * rank + k] !== 0
    if (!alive) dead += 1
  }
  return dead
}
