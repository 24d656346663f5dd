import type { SeriesPart, SeriesQuery } from '../../contract/metrics'
import { baseOfBest, BestSoFar } from './best-so-far'
import type { ColumnFiles } from './column-files'
import type { SeriesNumbers } from './model'
import { nonFiniteOf, singles, type Pieces } from './pieces'
import type { Series } from './series'
import { isScattered, laterStart, passesOf, seriesToDraw } from './series-passes'
import { SeriesReader } from './series-reader'
import { SmoothCache } from './smooth-cache'
import { columnOf, startOf, thin, type Points, type Window } from './thinning'
import { Places, type Place } from './x-places'

/** Pieces read for each pixel column: enough that a bucket's spike stands at most a fraction of a pixel off. */
const PIECES_PER_COLUMN = 2

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

  answer(query: SeriesQuery, all: readonly Series[], revision: number): Promise<SeriesNumbers> {
    return this.files.together(() => this.drawn(query, all, revision))
  }

  private async drawn(
    query: SeriesQuery,
    all: readonly Series[],
    revision: number
  ): Promise<SeriesNumbers> {
    const places = new Places(this.files, all, query)
    const drawn = query.keys.map((key) => seriesToDraw(all, baseOfBest(key) ?? key))
    const placed = await Promise.all(
      drawn.flat().map(async (series) => [series, await places.of(series)] as const)
    )
    const placeOf = new Map(placed)
    const extent = extentOf(placed)
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
        const place = placeOf.get(reader.series) ?? null
        if (place === null) continue
        const later = laterStart(drawn[i] ?? [], reader.series)
        parts.push(...(await this.partsOf({ reader, later, place, window, query, best })))
      }
    }
    return { revision, extent, ...packed(parts) }
  }

  private async partsOf(asked: Asked): Promise<Part[]> {
    const { reader, later, best, place } = asked
    if (isScattered(reader.series) || !place.ordered) return [await this.scattered(asked)]
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
    const begun =
      place.start === -Infinity
        ? stretch
        : {
            from: await reader.lowerBound(stretch.from, stretch.to, place.by, place.start),
            to: stretch.to
          }
    const { from, to } =
      query.range === undefined ? begun : await visible(reader, begun, place, window)
    if (from >= to) return null
    const pieces = await reader.pieces(from, to, query.columns * PIECES_PER_COLUMN)
    const points = thin(pieces, place, window)
    if (best === null)
      return this.finished(asked, points, pieces, { from, to, superseded: stretch.superseded })
    return bestPart(asked, best, points, { from, to, stretch })
  }

  /** Lines out of order: pieces sorted by x, so that the curve does not run to and fro. */
  private async scattered(asked: Asked): Promise<Part> {
    const { reader, place, window, query, best } = asked
    const read = await reader.pieces(0, reader.count, query.columns * PIECES_PER_COLUMN * 4)
    const points = thin(inOrder(read, place), place, window)
    const rows = { from: 0, to: reader.count }
    if (best === null) return this.finished(asked, points, read, { ...rows, superseded: false })
    return bestPart(asked, best, points, { ...rows, stretch: { from: 0, superseded: false } })
  }

  private async finished(
    { reader, place, query, window }: Asked,
    points: Points,
    pieces: readonly Pieces[],
    rows: { from: number; to: number; superseded: boolean }
  ): Promise<Part> {
    const { series } = reader
    return {
      key: series.key,
      attempt: series.attempt,
      source: series.source,
      total: rows.to - rows.from,
      superseded: rows.superseded,
      nonFinite: marksIn(window, oddIn(series, pieces, place, rows)),
      nonFiniteCount: series.nonFinite === 0 ? 0 : nonFiniteIn(pieces),
      points,
      smooth: await this.smooth.at(reader, points.row, query.smoothing)
    }
  }
}

type Mark = SeriesPart['nonFinite'][number]

/**
 * What is not finite in some rows, and where. A series remembers so many one by one; of those that came later the pieces
 * still know in which of them they are, and nearly all are NaN.
 */
function oddIn(
  series: Series,
  all: readonly Pieces[],
  place: Place,
  rows: { from: number; to: number }
): Mark[] {
  const marks: Mark[] = series.odd
    .filter(({ row }) => row >= rows.from && row < rows.to)
    .map(({ x, at, kind }) => ({ x: place.forth(place.by === 'x' ? x : at), kind }))
  const last = series.odd.at(-1)?.row ?? Infinity
  if (series.nonFinite > series.odd.length) {
    for (const pieces of all)
      for (let i = 0; i < pieces.length; i++)
        if (pieces.row + i * pieces.size > last && nonFiniteOf(pieces, i) > 0)
          marks.push({ x: startOf(pieces, i, place), kind: 'nan' })
  }
  return marks.filter(({ x }) => !Number.isNaN(x))
}

/** Many marks brought down to one of each kind in a pixel column. */
function marksIn(window: Window, marks: readonly Mark[]): Mark[] {
  if (marks.length <= window.columns * 2) return [...marks]
  const kept = new Map<string, Mark>()
  for (const mark of marks) {
    const name = `${mark.kind} ${String(columnOf(mark.x, window))}`
    if (!kept.has(name)) kept.set(name, mark)
  }
  return [...kept.values()]
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
  const [low, high] = await Promise.all([
    reader.lowerBound(from, to, place.by, place.back(window.from, 'from')),
    reader.lowerBound(from, to, place.by, place.back(window.to, 'beyond'))
  ])
  return { from: Math.max(from, low - 1), to: Math.min(to, high + 1) }
}

function extentOf(placed: readonly (readonly [Series, Place | null])[]): [number, number] | null {
  let low = Infinity
  let high = -Infinity
  for (const [series, place] of placed) {
    const extent = place?.extent(series) ?? null
    if (extent === null) continue
    low = Math.min(low, extent[0])
    high = Math.max(high, extent[1])
  }
  return low <= high ? [low, high] : null
}

/** The pieces that have a place, by place, so that the curve does not run to and fro. */
function inOrder(all: readonly Pieces[], place: Place): Pieces[] {
  return singles(all)
    .map((piece) => ({ piece, x: startOf(piece, 0, place) }))
    .filter(({ x }) => !Number.isNaN(x))
    .sort((a, b) => a.x - b.x)
    .map(({ piece }) => piece)
}

function nonFiniteIn(all: readonly Pieces[]): number {
  let sum = 0
  for (const pieces of all) for (let i = 0; i < pieces.length; i++) sum += nonFiniteOf(pieces, i)
  return sum
}

/** All columns one after another; see contract/metrics for the order. */
function packed(parts: readonly Part[]): Pick<SeriesNumbers, 'parts' | 'numbers'> {
  const numbers = new Float64Array(parts.reduce((sum, { points }) => sum + points.count * 5, 0))
  let at = 0
  const described = parts.map(({ points, smooth, ...facts }): SeriesPart => {
    const part = { ...facts, offset: at, count: points.count }
    for (const column of [points.x, points.min, points.max, points.raw, smooth]) {
      numbers.set(column, at)
      at += points.count
    }
    return part
  })
  return { parts: described, numbers }
}
