import { Field, WIDTH } from './level-row'
import { BLOCK } from './series'

/** Where the numbers of a piece stand behind its first one. */
interface Columns {
  xFirst: number
  xLast: number
  atFirst: number
  atLast: number
  min: number
  max: number
  first: number
  last: number
  /** Null for raw rows, which are not finite where their value is not. */
  nonFinite: number | null
}

/**
 * Pieces of a series in row order, each one raw row or one bucket of a level, where they lie in what was read: a chart
 * looks at most of the numbers once, so that taking them apart first would cost more than the drawing.
 * The numbers of piece `i` begin at `data[base + i * stride]`. Values of raw rows may be NaN or infinite.
 */
export interface Pieces {
  length: number
  /** Number of the first row. */
  row: number
  /** How many rows each piece stands for. */
  size: number
  data: Float64Array
  base: number
  stride: number
  columns: Columns
}

/** Columns of raw rows whose values, and whose times, begin so far behind their x. */
function rawColumns(value: number, at: number): Columns {
  return {
    xFirst: 0,
    xLast: 0,
    atFirst: at,
    atLast: at,
    min: value,
    max: value,
    first: value,
    last: value,
    nonFinite: null
  }
}

const OF_BLOCK = rawColumns(BLOCK, 2 * BLOCK)
const OF_BUCKET: Columns = {
  xFirst: Field.xFirst,
  xLast: Field.xLast,
  atFirst: Field.atFirst,
  atLast: Field.atLast,
  min: Field.min,
  max: Field.max,
  first: Field.first,
  last: Field.last,
  nonFinite: Field.nonFinite
}

/**
 * Rows `[from, to)` in whole blocks of the column file.
 * @param blocks The blocks, beginning with the one that holds row `from`.
 */
export function blockPieces(blocks: Float64Array, from: number, to: number): Pieces[] {
  const pieces: Pieces[] = []
  const begin = from - (from % BLOCK)
  for (let row = from; row < to;) {
    const start = row - (row % BLOCK)
    const length = Math.min(to, start + BLOCK) - row
    const base = (start - begin) * 3 + (row - start)
    pieces.push({ length, row, size: 1, data: blocks, base, stride: 1, columns: OF_BLOCK })
    row += length
  }
  return pieces
}

/** Rows in memory, from number `row` on. */
export function rowPieces(
  row: number,
  { x, value, at }: { x: Float64Array; value: Float64Array; at: Float64Array }
): Pieces {
  const { length } = x
  const data = new Float64Array(length * 3)
  data.set(x)
  data.set(value, length)
  data.set(at, 2 * length)
  return { length, row, size: 1, data, base: 0, stride: 1, columns: rawColumns(length, 2 * length) }
}

/** Buckets of `size` rows each, the first of which begins at `row`. */
export function bucketPieces(row: number, size: number, buckets: Float64Array): Pieces {
  const length = buckets.length / WIDTH
  return { length, row, size, data: buckets, base: 0, stride: WIDTH, columns: OF_BUCKET }
}

/** One column of the pieces, in their order; of raw rows as it is, finite or not. */
export function* columnOfPieces(
  all: readonly Pieces[],
  column: Exclude<keyof Columns, 'nonFinite'>
): Generator<number, void, undefined> {
  for (const { data, base, stride, length, columns } of all) {
    const from = base + columns[column]
    for (let i = 0; i < length; i++) yield data[from + i * stride] ?? Number.NaN
  }
}

/** Each piece by itself. */
export function singles(all: readonly Pieces[]): Pieces[] {
  return all.flatMap((pieces) =>
    Array.from({ length: pieces.length }, (_, i) => ({
      ...pieces,
      length: 1,
      row: pieces.row + i * pieces.size,
      base: pieces.base + i * pieces.stride
    }))
  )
}

/** How many rows of piece `i` are NaN or infinite. */
export function nonFiniteOf({ data, base, stride, columns }: Pieces, i: number): number {
  const at = base + i * stride
  if (columns.nonFinite !== null) return data[at + columns.nonFinite] ?? 0
  return Number.isFinite(data[at + columns.first]) ? 0 : 1
}
