import { sizeOf, type ColumnFiles, type RawRows } from './column-files'
import { LEVELS } from './level-row'
import { blockPieces, bucketPieces, rowPieces, type Pieces } from './pieces'
import { BLOCK, type Series } from './series'

const CHUNK = 64 * BLOCK

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
  async pieces(from: number, to: number, wanted: number): Promise<Pieces[]> {
    const span = to - from
    let level = LEVELS.length - 1
    while (level > 0 && span / sizeOf(level) < wanted) level--
    return (await Promise.all(this.cover(level, from, to))).flat()
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
  private cover(level: number, from: number, to: number): Promise<Pieces[]>[] {
    if (from >= to) return []
    if (level === 0) return [this.raw(from, to)]
    const size = sizeOf(level)
    const low = Math.ceil(from / size)
    const high = Math.floor(Math.min(to, this.written) / size)
    // A file more takes longer than the few pieces more that come from the level after the next.
    const finer = Math.max(0, level - 2)
    if (low >= high) return this.cover(finer, from, to)
    const buckets = this.files.buckets(this.series.id, level, low, high)
    return [
      ...this.cover(finer, from, low * size),
      buckets.then((read) => [bucketPieces(low * size, size, read)]),
      ...this.cover(finer, high * size, to)
    ]
  }

  private async raw(from: number, to: number): Promise<Pieces[]> {
    const stored = Math.min(to, this.written)
    const pieces =
      from < stored
        ? blockPieces(await this.files.blocks(this.series.id, from, stored), from, stored)
        : []
    const rest = Math.max(from, this.written)
    if (rest < to) pieces.push(rowPieces(rest, this.inMemory(rest, to)))
    return pieces
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
