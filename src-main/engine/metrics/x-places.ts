import type { SeriesQuery } from '../../contract/metrics'
import type { ColumnFiles } from './column-files'
import type { Pieces } from './pieces'
import { timesFrom } from './sample-times'
import type { Series } from './series'
import { seriesToDraw } from './series-passes'
import { SeriesReader } from './series-reader'

/** Pieces in which the series of an x axis is read: more than a screen has pixel columns. */
const PIECES = 16_384

/** Where the samples of one series stand on the axis that is drawn. */
export interface Place {
  /** Column of a sample that decides its place. */
  by: 'x' | 'at'
  /** Whether places never go back along the series, so that they can be searched. */
  ordered: boolean
  /** First value of the deciding column that has a place. */
  start: number
  /** Drawn place of an `x` or `at`; NaN where it has none. */
  forth: (value: number) => number
  /** Where places begin that are not below `x`, respectively that are above it. Only for ordered ones. */
  back: (x: number, edge: 'from' | 'beyond') => number
  /** Places of the whole series; null when it has none. */
  extent: (series: Series) => [number, number] | null
}

/** Finds places for the series of a query; null for a series that has none on its axis. */
export class Places {
  private readonly starts: Map<number, number>
  private readonly tables = new Map<string, Promise<Table | null>>()

  constructor(
    private readonly files: ColumnFiles,
    private readonly all: readonly Series[],
    private readonly query: Pick<SeriesQuery, 'axis' | 'by'>
  ) {
    this.starts = attemptStarts(all)
  }

  async of(series: Series): Promise<Place | null> {
    const { axis, by = '' } = this.query
    switch (axis) {
      case 'native':
        return native
      case 'wall':
        return this.inTime(series, 0, 1)
      case 'relative':
        return this.inTime(series, this.starts.get(series.attempt) ?? null, 1000)
      case 'rollout':
        return this.rollouts(series)
      case 'metric': {
        const of = seriesToDraw(this.all, by).filter((other) => other.attempt === series.attempt)
        const alike = of.find((other) => other.axis === series.axis)
        const other = alike ?? of[0]
        if (other === undefined) return null
        // Rows of one axis belong together by their x; of two axes only time joins them.
        if (alike === undefined && !haveTimes(series, other)) return null
        return placedBy(await this.table(other, alike === undefined ? 'at' : 'x', 'value'))
      }
    }
  }

  /** The rollout a sample was taken at. A stack that numbers nothing but its steps makes one of each rollout. */
  private async rollouts(series: Series): Promise<Place | null> {
    if (series.axis === 'rollout' || series.axis === 'eval') return native
    const counted = this.all
      .filter((other) => other.axis === 'rollout' && other.attempt === series.attempt)
      .reduce<Series | null>(
        (most, other) => (most === null || other.count > most.count ? other : most),
        null
      )
    if (counted === null) return series.axis === 'step' ? native : null
    if (!haveTimes(series, counted)) return null
    return placedBy(await this.table(counted, 'at', 'x'))
  }

  /** @param zero Unix milliseconds; null: the first time that the series says. */
  private async inTime(series: Series, zero: number | null, unit: number): Promise<Place | null> {
    const from = timesFrom(series)
    if (from === null || series.first === null || series.last === null) return null
    const said = series.first.at >= from
    const first = said ? series.first.at : await this.firstTime(series, from)
    return shifted({ zero: zero ?? first, unit, from, first, last: series.last.at })
  }

  private async firstTime(series: Series, from: number): Promise<number> {
    const reader = new SeriesReader(this.files, series)
    const row = await reader.lowerBound(0, reader.count, 'at', from)
    return (await reader.rows(row, row + 1)).at[0] ?? from
  }

  private table(series: Series, by: 'x' | 'at', of: 'x' | 'value'): Promise<Table | null> {
    const name = `${String(series.id)} ${by} ${of}`
    const known = this.tables.get(name) ?? tableOf(new SeriesReader(this.files, series), by, of)
    this.tables.set(name, known)
    return known
  }
}

const native: Place = {
  by: 'x',
  ordered: true,
  start: -Infinity,
  forth: (v) => v,
  back: (x, edge) => (edge === 'from' ? x : justBeyond(x)),
  extent: ({ xMin, xMax }) => (xMin <= xMax ? [xMin, xMax] : null)
}

function haveTimes(...all: readonly Series[]): boolean {
  return all.every((series) => timesFrom(series) !== null)
}

/** Time since a moment, in units of `unit` milliseconds; samples before `from` have none. All in Unix milliseconds. */
function shifted(times: {
  zero: number
  unit: number
  from: number
  first: number
  last: number
}): Place {
  const { zero, unit, from, first, last } = times
  const forth = (at: number): number => (at < from ? Number.NaN : (at - zero) / unit)
  return {
    by: 'at',
    ordered: true,
    start: from,
    forth,
    back: (x, edge) => (edge === 'from' ? x * unit + zero : justBeyond(x * unit + zero)),
    extent: () => [forth(first), forth(last)]
  }
}

function justBeyond(value: number): number {
  return value + Math.max(Math.abs(value) * 2 ** -52, Number.MIN_VALUE)
}

/** The x axis as another series gives it: from `keys[i]` on it stands at `xs[i]`. Keys ascend. */
interface Table {
  by: 'x' | 'at'
  keys: Float64Array
  xs: Float64Array
}

async function tableOf(
  reader: SeriesReader,
  by: 'x' | 'at',
  of: 'x' | 'value'
): Promise<Table | null> {
  const pieces = await reader.pieces(0, reader.count, PIECES)
  const ends = endsOf(pieces, by, of).filter(([, x]) => Number.isFinite(x))
  if (ends.length === 0) return null
  // An x that was gone over again counts as it was the last time.
  const sorted = [...new Map(ends)].sort(([a], [b]) => a - b)
  return {
    by,
    keys: Float64Array.from(sorted, ([key]) => key),
    xs: Float64Array.from(sorted, ([, x]) => x)
  }
}

function endsOf(all: readonly Pieces[], by: 'x' | 'at', of: 'x' | 'value'): [number, number][] {
  const ends: [number, number][] = []
  for (const { data, base, stride, length, columns } of all) {
    const [first, last] =
      by === 'x' ? [columns.xFirst, columns.xLast] : [columns.atFirst, columns.atLast]
    const [begin, end] =
      of === 'x' ? [columns.xFirst, columns.xLast] : [columns.first, columns.last]
    for (let i = 0, at = base; i < length; i++, at += stride) {
      ends.push([data[at + first] ?? 0, data[at + begin] ?? Number.NaN])
      ends.push([data[at + last] ?? 0, data[at + end] ?? Number.NaN])
    }
  }
  return ends
}

function placedBy(table: Table | null): Place | null {
  if (table === null) return null
  const { by, keys, xs } = table
  const ordered = xs.every((x, i) => i === 0 || x >= (xs[i - 1] ?? x))
  return {
    by,
    ordered,
    start: keys[0] ?? Infinity,
    forth: (value) => xs[firstAbove(keys, value) - 1] ?? Number.NaN,
    back: (x, edge) => keys[edge === 'from' ? firstFrom(xs, x) : firstAbove(xs, x)] ?? Infinity,
    extent: () => extremes(xs)
  }
}

function extremes(values: Float64Array): [number, number] {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return [low, high]
}

/** Index of the first element above `value`, respectively not below it. Elements ascend. */
function firstAbove(values: Float64Array, value: number): number {
  return bound(values, (one) => one <= value)
}

function firstFrom(values: Float64Array, value: number): number {
  return bound(values, (one) => one < value)
}

function bound(values: Float64Array, isBefore: (value: number) => boolean): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(values[middle] ?? Infinity)) low = middle + 1
    else high = middle
  }
  return low
}

/** Time of each attempt's first sample; of what says no time none. */
export function attemptStarts(
  all: readonly Pick<Series, 'attempt' | 'first' | 'last'>[]
): Map<number, number> {
  const starts = new Map<number, number>()
  for (const { attempt, first, last } of all) {
    const from = timesFrom({ last })
    if (first === null || from === null || first.at < from) continue
    starts.set(attempt, Math.min(starts.get(attempt) ?? Infinity, first.at))
  }
  return starts
}
