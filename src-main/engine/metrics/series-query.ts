import type { SeriesAnswer, SeriesPart, SeriesQuery } from '../../contract/metrics'
import { baseOfBest, BestSoFar } from './best-so-far'
import type { ColumnFiles } from './column-files'
import type { Series } from './series'
import { isScattered, laterStart, passesOf, seriesToDraw } from './series-passes'
import { SeriesReader, type Pieces } from './series-reader'
import { SmoothCache } from './smooth-cache'
import { thin, type Points, type Window } from './thinning'

/** Pieces read for each pixel column: enough that a bucket's spike stands at most a fraction of a pixel off. */
const PIECES_PER_COLUMN = 2

interface Place {
  by: 'x' | 'at'
  /** Drawn place of an `x` or `at`, and back. */
  forth: (value: number) => number
  back: (value: number) => number
}

interface Part extends Omit<SeriesPart, 'offset' | 'count'> {
  points: Points
  smooth: Float64Array
}

/** One series of a query, and how it is to be drawn. */
interface Asked {
  reader: SeriesReader
  /** Least x that a later attempt has. */
  later: number
  place: Place
  window: Window
  query: SeriesQuery
  /** For `best(KEY)`: what the series before brought. */
  best: BestSoFar | null
}

/** Answers chart queries from the column files and what is in memory. */
export class SeriesQueries {
  private readonly smooth = new SmoothCache()

  constructor(private readonly files: ColumnFiles) {}

  forget(): void {
    this.smooth.forget()
  }

  async answer(
    query: SeriesQuery,
    all: readonly Series[],
    revision: number
  ): Promise<SeriesAnswer> {
    const starts = attemptStarts(all)
    const drawn = query.keys.map((key) => seriesToDraw(all, baseOfBest(key) ?? key))
    const extent = extentOf(drawn.flat(), query.axis, starts)
    const [from, to] = query.range ?? extent ?? [0, 1]
    const window: Window = { from, to, columns: query.columns }
    const parts: Part[] = []
    const readers = drawn.map((group) =>
      group.map((series) => new SeriesReader(this.files, series))
    )
    for (const [i, group] of readers.entries()) {
      const base = baseOfBest(query.keys[i] ?? '')
      const best = base === null ? null : new BestSoFar(base)
      for (const reader of group) {
        const place = placeOf(query.axis, starts.get(reader.series.attempt) ?? 0)
        const later = laterStart(drawn[i] ?? [], reader.series)
        parts.push(...(await this.partsOf({ reader, later, place, window, query, best })))
      }
    }
    return { revision, extent, ...packed(parts) }
  }

  private async partsOf(asked: Asked): Promise<Part[]> {
    const { reader, later, best } = asked
    if (isScattered(reader.series)) return [await this.scattered(asked)]
    const parts: Part[] = []
    for (const pass of passesOf(reader.series, later)) {
      const edge =
        pass.supersededFrom === Infinity
          ? pass.to
          : await reader.lowerBound(pass.from, pass.to, 'x', pass.supersededFrom)
      const stretches = [
        { from: pass.from, to: edge, superseded: false },
        { from: edge, to: pass.to, superseded: true }
      ]
      for (const stretch of stretches) {
        const part = await this.part(asked, stretch)
        if (part !== null) parts.push(part)
        if (!stretch.superseded) await best?.pass(reader, stretch.from, stretch.to)
      }
    }
    return parts
  }

  private async part(
    asked: Asked,
    stretch: { from: number; to: number; superseded: boolean }
  ): Promise<Part | null> {
    const { reader, place, window, query, best } = asked
    if (stretch.from >= stretch.to) return null
    const { from, to } =
      query.range === undefined ? stretch : await visible(reader, stretch, place, window)
    if (from >= to) return null
    const pieces = await reader.pieces(from, to, query.columns * PIECES_PER_COLUMN)
    const points = thin(pieces, placesOf(pieces, place), window)
    if (best === null) return this.finished(asked, points, { from, to }, stretch.superseded)
    return bestPart(asked, best, points, { from, to, stretch })
  }

  /** Lines out of order: pieces sorted by x, so that the curve does not run to and fro. */
  private async scattered(asked: Asked): Promise<Part> {
    const { reader, place, window, query, best } = asked
    const pieces = sortedByX(
      await reader.pieces(0, reader.count, query.columns * PIECES_PER_COLUMN * 4)
    )
    const points = thin(pieces, placesOf(pieces, place), window)
    const rows = { from: 0, to: reader.count }
    if (best === null) return this.finished(asked, points, rows, false)
    return bestPart(asked, best, points, { ...rows, stretch: { from: 0, superseded: false } })
  }

  private async finished(
    { reader, place, query }: Asked,
    points: Points,
    rows: { from: number; to: number },
    superseded: boolean
  ): Promise<Part> {
    const { series } = reader
    const odd = series.odd.filter(({ row }) => row >= rows.from && row < rows.to)
    const uncounted = rows.to === reader.count ? series.nonFinite - series.odd.length : 0
    return {
      key: series.key,
      attempt: series.attempt,
      source: series.source,
      total: rows.to - rows.from,
      superseded,
      nonFinite: odd
        .slice(0, query.columns * 2)
        .map(({ x, at, kind }) => ({ x: place.forth(place.by === 'x' ? x : at), kind })),
      nonFiniteCount: odd.length + uncounted,
      points,
      smooth: await this.smooth.at(reader, points.row, query.smoothing)
    }
  }
}

/** The best so far is a curve without a band, without smoothing, and its gaps are those of nothing yet found. */
async function bestPart(
  { reader, query }: Asked,
  best: BestSoFar,
  points: Points,
  rows: { from: number; to: number; stretch: { from: number; superseded: boolean } }
): Promise<Part> {
  const { series } = reader
  const before = best.copy()
  await before.pass(reader, rows.stretch.from, rows.from)
  const found = before.over(points)
  return {
    key: query.keys.find((key) => baseOfBest(key) === series.key) ?? series.key,
    attempt: series.attempt,
    source: series.source,
    total: rows.to - rows.from,
    superseded: rows.stretch.superseded,
    nonFinite: [],
    nonFiniteCount: 0,
    points: found,
    smooth: new Float64Array(found.count).fill(Number.NaN)
  }
}

/** The rows of a stretch inside the window, with one neighbour on each side so that lines leave the picture. */
async function visible(
  reader: SeriesReader,
  stretch: { from: number; to: number },
  place: Place,
  window: Window
): Promise<{ from: number; to: number }> {
  const { from, to } = stretch
  const right = place.back(window.to)
  const beyond = right + Math.max(Math.abs(right) * 2 ** -52, Number.MIN_VALUE)
  const low = await reader.lowerBound(from, to, place.by, place.back(window.from))
  const high = await reader.lowerBound(from, to, place.by, beyond)
  return { from: Math.max(from, low - 1), to: Math.min(to, high + 1) }
}

function placeOf(axis: SeriesQuery['axis'], start: number): Place {
  switch (axis) {
    case 'native':
      return { by: 'x', forth: (v) => v, back: (v) => v }
    case 'wall':
      return { by: 'at', forth: (v) => v, back: (v) => v }
    case 'relative':
      return { by: 'at', forth: (v) => (v - start) / 1000, back: (v) => v * 1000 + start }
  }
}

function placesOf(pieces: Pieces, place: Place): { first: Float64Array; last: Float64Array } {
  if (place.by === 'x') return { first: pieces.xFirst, last: pieces.xLast }
  return { first: pieces.atFirst.map(place.forth), last: pieces.atLast.map(place.forth) }
}

/** Time of each attempt's first sample. */
function attemptStarts(all: readonly Series[]): Map<number, number> {
  const starts = new Map<number, number>()
  for (const { attempt, first } of all) {
    if (first === null) continue
    starts.set(attempt, Math.min(starts.get(attempt) ?? Infinity, first.at))
  }
  return starts
}

function extentOf(
  drawn: readonly Series[],
  axis: SeriesQuery['axis'],
  starts: ReadonlyMap<number, number>
): [number, number] | null {
  let low = Infinity
  let high = -Infinity
  for (const series of drawn) {
    const place = placeOf(axis, starts.get(series.attempt) ?? 0)
    const native = place.by === 'x'
    low = Math.min(low, native ? series.xMin : place.forth(series.first?.at ?? Infinity))
    high = Math.max(high, native ? series.xMax : place.forth(series.last?.at ?? -Infinity))
  }
  return low <= high ? [low, high] : null
}

function sortedByX(pieces: Pieces): Pieces {
  const order = Array.from({ length: pieces.length }, (_, i) => i).sort(
    (a, b) => (pieces.xFirst[a] ?? 0) - (pieces.xFirst[b] ?? 0)
  )
  const by = (column: Float64Array): Float64Array => Float64Array.from(order, (i) => column[i] ?? 0)
  return {
    length: pieces.length,
    row: by(pieces.row),
    rows: by(pieces.rows),
    xFirst: by(pieces.xFirst),
    xLast: by(pieces.xLast),
    atFirst: by(pieces.atFirst),
    atLast: by(pieces.atLast),
    min: by(pieces.min),
    max: by(pieces.max),
    first: by(pieces.first),
    last: by(pieces.last)
  }
}

/** All columns in one blob; see contract/metrics for the order. */
function packed(parts: readonly Part[]): Pick<SeriesAnswer, 'parts' | 'numbers'> {
  const chunks: Float64Array[] = []
  let offset = 0
  const described = parts.map(({ points, smooth, ...facts }): SeriesPart => {
    const part = { ...facts, offset, count: points.count }
    chunks.push(points.x, points.min, points.max, points.raw, smooth)
    offset += points.count * 5
    return part
  })
  return { parts: described, numbers: blobOf(chunks) }
}

function blobOf(chunks: readonly Float64Array[]): SeriesAnswer['numbers'] {
  return new Blob(chunks.map((c) => new Uint8Array(c.buffer, c.byteOffset, c.byteLength).slice()))
}
