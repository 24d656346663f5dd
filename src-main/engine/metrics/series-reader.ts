import { sizeOf, type ColumnFiles, type RawRows } from './column-files'
import { Field, LEVELS, WIDTH } from './level-row'
import { BLOCK, type Series } from './series'

const CHUNK = 64 * BLOCK

/**
 * Pieces of a series in row order, each one raw row or one bucket of a level. Columns of equal length.
 * `row` is the number of the first row of each piece, `rows` how many it stands for.
 */
export interface Pieces {
  length: number
  row: Float64Array
  rows: Float64Array
  xFirst: Float64Array
  xLast: Float64Array
  atFirst: Float64Array
  atLast: Float64Array
  min: Float64Array
  max: Float64Array
  first: Float64Array
  last: Float64Array
  /** How many of the rows are NaN or infinite. */
  nonFinite: Float64Array
}

/** Reads a series as it was when the reader was made, whatever is appended or moved meanwhile. */
export class SeriesReader {
  readonly count: number
  private readonly written: number
  private readonly pending: RawRows

  constructor(
    private readonly files: ColumnFiles,
    readonly series: Series
  ) {
    this.count = series.count
    this.written = series.written
    this.pending = series.pending()
  }

  /** Raw rows `[from, to)`. */
  async rows(from: number, to: number): Promise<RawRows> {
    if (from >= this.written) return this.inMemory(from, to)
    const stored = await this.files.rows(this.series.id, from, Math.min(to, this.written))
    return to <= this.written ? stored : joined(stored, this.inMemory(this.written, to))
  }

  async *chunks(from: number, to: number): AsyncIterable<RawRows> {
    for (let start = from; start < to; start += CHUNK) {
      yield await this.rows(start, Math.min(to, start + CHUNK))
    }
  }

  /**
   * Rows `[from, to)` in at least about `wanted` pieces (or as raw rows when there are not so many),
   * from the coarsest level that has them. The pieces cover exactly these rows.
   */
  async pieces(from: number, to: number, wanted: number): Promise<Pieces> {
    const span = to - from
    let level = LEVELS.length - 1
    while (level > 0 && span / sizeOf(level) < wanted) level--
    return concatenated(await Promise.all(this.cover(level, from, to)))
  }

  /** First row in `[from, to)`, where x (or the time) never goes back, that is at or beyond `target`; `to` if none. */
  async lowerBound(from: number, to: number, by: 'x' | 'at', target: number): Promise<number> {
    const stored = Math.min(to, this.written)
    if (from >= stored) return this.boundIn(from, to, by, target)
    if (to > stored && (this.pending[by][0] ?? Infinity) < target) {
      return this.boundIn(stored, to, by, target)
    }
    const starts = (await this.files.blockStarts(this.series))[by]
    let low = Math.floor(from / BLOCK)
    let high = Math.ceil(stored / BLOCK)
    // The last block that begins before the target holds the bound or ends just before it.
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? Infinity) < target) low = middle
      else high = middle
    }
    return this.boundIn(
      Math.max(from, low * BLOCK),
      Math.min(stored, (low + 1) * BLOCK),
      by,
      target
    )
  }

  private async boundIn(from: number, to: number, by: 'x' | 'at', target: number): Promise<number> {
    const column = (await this.rows(from, to))[by]
    let low = 0
    let high = column.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((column[middle] ?? Infinity) < target) low = middle + 1
      else high = middle
    }
    return from + low
  }

  /** The pieces in order: a level's own in the middle, finer ones at both ends. All are read at the same time. */
  private cover(level: number, from: number, to: number): Promise<Pieces>[] {
    if (from >= to) return []
    if (level === 0) return [this.rows(from, to).then((rows) => rawPieces(from, rows))]
    const size = sizeOf(level)
    const low = Math.ceil(from / size)
    const high = Math.floor(Math.min(to, this.written) / size)
    if (low >= high) return this.cover(level - 1, from, to)
    const buckets = this.files.buckets(this.series.id, level, low, high)
    return [
      ...this.cover(level - 1, from, low * size),
      buckets.then((read) => bucketPieces(low * size, size, read)),
      ...this.cover(level - 1, high * size, to)
    ]
  }

  private inMemory(from: number, to: number): RawRows {
    const low = from - this.written
    const high = to - this.written
    return {
      x: this.pending.x.subarray(low, high),
      value: this.pending.value.subarray(low, high),
      at: this.pending.at.subarray(low, high)
    }
  }
}

function joined(a: RawRows, b: RawRows): RawRows {
  return { x: join(a.x, b.x), value: join(a.value, b.value), at: join(a.at, b.at) }
}

function join(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}

function rawPieces(from: number, { x, value, at }: RawRows): Pieces {
  const length = x.length
  const row = new Float64Array(length)
  for (let i = 0; i < length; i++) row[i] = from + i
  const finite = value.map((v) => (v - v === 0 ? v : Number.NaN))
  return {
    length,
    row,
    rows: new Float64Array(length).fill(1),
    xFirst: x,
    xLast: x,
    atFirst: at,
    atLast: at,
    min: finite,
    max: finite,
    first: finite,
    last: finite,
    nonFinite: finite.map((v) => (Number.isNaN(v) ? 1 : 0))
  }
}

function bucketPieces(from: number, size: number, buckets: Float64Array): Pieces {
  const length = buckets.length / WIDTH
  const column = (field: number): Float64Array => {
    const out = new Float64Array(length)
    for (let i = 0; i < length; i++) out[i] = buckets[i * WIDTH + field] ?? Number.NaN
    return out
  }
  const row = new Float64Array(length)
  for (let i = 0; i < length; i++) row[i] = from + i * size
  return {
    length,
    row,
    rows: new Float64Array(length).fill(size),
    xFirst: column(Field.xFirst),
    xLast: column(Field.xLast),
    atFirst: column(Field.atFirst),
    atLast: column(Field.atLast),
    min: column(Field.min),
    max: column(Field.max),
    first: column(Field.first),
    last: column(Field.last),
    nonFinite: column(Field.nonFinite)
  }
}

function concatenated(parts: readonly Pieces[]): Pieces {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const of = (name: Exclude<keyof Pieces, 'length'>): Float64Array => {
    const out = new Float64Array(length)
    let position = 0
    for (const part of parts) {
      out.set(part[name], position)
      position += part.length
    }
    return out
  }
  return {
    length,
    row: of('row'),
    rows: of('rows'),
    xFirst: of('xFirst'),
    xLast: of('xLast'),
    atFirst: of('atFirst'),
    atLast: of('atLast'),
    min: of('min'),
    max: of('max'),
    first: of('first'),
    last: of('last'),
    nonFinite: of('nonFinite')
  }
}
