import type { Smoothing } from '../../contract/metrics'
import type { Series } from './series'
import type { SeriesReader } from './series-reader'
import { gaussianAt, gaussianReach, smootherOf, type Smoother } from './smoothing'

/** Smoothed values kept over all series, in numbers (8 bytes each). */
const BUDGET = 8_000_000
/** Longer series are smoothed anew each time, in one pass and bounded memory. */
const LONGEST_KEPT = 300_000

interface Kept {
  smoother: Smoother
  done: number
  values: Float64Array
}

/**
 * Smoothed values of rows. Causal smoothers go on where they were when a series grew, so that following a live
 * run costs what is new and not what is old. Values depend on the series alone, never on zoom or width.
 */
export class SmoothCache {
  private readonly kept = new Map<string, Kept>()
  private readonly busy = new Map<string, Promise<Float64Array>>()

  forget(): void {
    this.kept.clear()
  }

  /** Smoothed values at these rows, in any order. */
  async at(reader: SeriesReader, rows: Float64Array, smoothing: Smoothing): Promise<Float64Array> {
    if (smoothing.kind === 'none') return new Float64Array(rows.length).fill(Number.NaN)
    if (isAscending(rows)) return this.atAscending(reader, rows, smoothing)
    const sorted = rows.slice().sort()
    const values = await this.atAscending(reader, sorted, smoothing)
    const byRow = new Map<number, number>()
    sorted.forEach((row, i) => byRow.set(row, values[i] ?? Number.NaN))
    return rows.map((row) => byRow.get(row) ?? Number.NaN)
  }

  private async atAscending(
    reader: SeriesReader,
    rows: Float64Array,
    smoothing: Smoothing
  ): Promise<Float64Array> {
    if (smoothing.kind === 'gaussian') return gaussianRows(reader, rows, smoothing.sigma)
    if (reader.count > LONGEST_KEPT) return onePass(reader, rows, smoothing)
    const values = await this.values(reader, smoothing)
    return rows.map((row) => values[row] ?? Number.NaN)
  }

  private async values(reader: SeriesReader, smoothing: Smoothing): Promise<Float64Array> {
    const name = nameOf(reader.series, smoothing)
    // Two charts may ask for the same at once; a smoother must not be pushed by both.
    for (;;) {
      const running = this.busy.get(name)
      if (running === undefined) break
      await running
    }
    const work = this.grown(name, reader, smoothing)
    this.busy.set(name, work)
    try {
      return await work
    } finally {
      this.busy.delete(name)
    }
  }

  private async grown(
    name: string,
    reader: SeriesReader,
    smoothing: Smoothing
  ): Promise<Float64Array> {
    const known = this.kept.get(name)
    this.kept.delete(name)
    const smoother = known?.smoother ?? smootherOf(smoothing)
    if (smoother === null) return new Float64Array(0)
    const kept: Kept = known ?? { smoother, done: 0, values: new Float64Array(0) }
    if (kept.done < reader.count) await extend(kept, reader)
    this.kept.set(name, kept)
    this.evict()
    return kept.values
  }

  private evict(): void {
    let total = 0
    for (const { values } of this.kept.values()) total += values.length
    for (const [name, { values }] of this.kept) {
      if (total <= BUDGET) return
      this.kept.delete(name)
      total -= values.length
    }
  }
}

function isAscending(rows: Float64Array): boolean {
  for (let i = 1; i < rows.length; i++) if ((rows[i] ?? 0) < (rows[i - 1] ?? 0)) return false
  return true
}

function nameOf(series: Series, smoothing: Smoothing): string {
  return `${String(series.id)} ${JSON.stringify(smoothing)}`
}

async function extend(kept: Kept, reader: SeriesReader): Promise<void> {
  if (kept.values.length < reader.count) {
    const grown = new Float64Array(Math.ceil(reader.count * 1.25))
    grown.set(kept.values.subarray(0, kept.done))
    kept.values = grown
  }
  for await (const { x, value } of reader.chunks(kept.done, reader.count)) {
    for (let i = 0; i < x.length; i++) {
      kept.values[kept.done++] = kept.smoother.push(x[i] ?? 0, value[i] ?? Number.NaN)
    }
  }
}

async function onePass(
  reader: SeriesReader,
  rows: Float64Array,
  smoothing: Smoothing
): Promise<Float64Array> {
  const out = new Float64Array(rows.length).fill(Number.NaN)
  const smoother = smootherOf(smoothing)
  if (smoother === null || rows.length === 0) return out
  let row = 0
  let next = 0
  for await (const { x, value } of reader.chunks(0, (rows.at(-1) ?? -1) + 1)) {
    for (let i = 0; i < x.length; i++, row++) {
      const smooth = smoother.push(x[i] ?? 0, value[i] ?? Number.NaN)
      while (rows[next] === row) out[next++] = smooth
    }
  }
  return out
}

async function gaussianRows(
  reader: SeriesReader,
  rows: Float64Array,
  sigma: number
): Promise<Float64Array> {
  if (rows.length === 0) return rows
  const reach = gaussianReach(sigma)
  const from = Math.max(0, (rows[0] ?? 0) - reach)
  const to = Math.min(reader.count, (rows.at(-1) ?? 0) + reach + 1)
  const { value } = await reader.rows(from, to)
  return rows.map((row) => gaussianAt(value, row - from, sigma))
}
