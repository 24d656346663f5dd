import type { Pieces } from './pieces'
import type { Place } from './x-places'

/** Points to draw. `raw` is NaN where there is a gap; `row` is the series row whose value `raw` is. */
export interface Points {
  count: number
  x: Float64Array
  min: Float64Array
  max: Float64Array
  raw: Float64Array
  row: Float64Array
}

export interface Window {
  /** Left edge of the first pixel column, and right edge of the last. */
  from: number
  to: number
  columns: number
}

/**
 * Brings pieces down to at most two points for each pixel column: the first and the last of the column, both with
 * the least and the greatest of everything in it. So first, last, min and max of each column are kept exactly.
 * A piece belongs to the column in which it begins. Pieces of one row each that are few are handed on as they are.
 */
export function thin(
  all: readonly Pieces[],
  place: Pick<Place, 'by' | 'forth'>,
  window: Window
): Points {
  const total = all.reduce((sum, { length }) => sum + length, 0)
  const sparse = total <= window.columns
  // In row order; only lines out of order come to the same column twice.
  const out = new PointList(2 * (sparse ? total : window.columns + 2))
  const group = new Group()
  let column = Number.NaN
  for (const pieces of all) {
    for (let from = 0; from < pieces.length;) {
      const own = columnOf(startOf(pieces, from, place), window)
      const to = sparse ? from + 1 : endOfColumn(pieces, from + 1, { place, window, own })
      if (sparse || own !== column) {
        group.flush(out)
        column = own
      }
      group.take(pieces, from, to, place)
      from = to
    }
  }
  group.flush(out)
  return out.trimmed()
}

/** Everything left or right of the window counts as one column there. */
export function columnOf(x: number, { from, to, columns }: Window): number {
  if (x < from) return -1
  if (x > to) return columns
  const width = (to - from) / columns
  return width > 0 ? Math.min(columns - 1, Math.floor((x - from) / width)) : 0
}

/** Place at which piece `i` begins. */
export function startOf(
  { data, base, stride, columns }: Pieces,
  i: number,
  { by, forth }: Pick<Place, 'by' | 'forth'>
): number {
  const column = by === 'x' ? columns.xFirst : columns.atFirst
  return forth(data[base + i * stride + column] ?? 0)
}

/** The first piece from `from` on that begins in another column than `own`. */
function endOfColumn(
  pieces: Pieces,
  from: number,
  { place, window, own }: { place: Pick<Place, 'by' | 'forth'>; window: Window; own: number }
): number {
  const { data, base, stride, length, columns } = pieces
  const { by, forth } = place
  const first = base + (by === 'x' ? columns.xFirst : columns.atFirst)
  let to = from
  while (to < length && columnOf(forth(data[first + to * stride] ?? 0), window) === own) to++
  return to
}

/** What came together in one column. */
class Group {
  private pieces = 0
  private xFirst = Number.NaN
  private xLast = Number.NaN
  private min = Infinity
  private max = -Infinity
  private first = Number.NaN
  private last = Number.NaN
  private firstRow = 0
  private lastRow = 0

  take(pieces: Pieces, from: number, to: number, place: Pick<Place, 'by' | 'forth'>): void {
    const { data, base, stride, row, size, columns } = pieces
    if (this.pieces === 0) {
      this.xFirst = startOf(pieces, from, place)
      this.firstRow = row + from * size
    }
    let { min, max, first, last } = this
    for (let i = from, at = base + from * stride; i < to; i++, at += stride) {
      const low = data[at + columns.min] ?? Number.NaN
      // Raw rows may be NaN or infinite; both are gaps.
      if (low - low !== 0) continue
      const high = data[at + columns.max] ?? low
      if (first !== first) first = data[at + columns.first] ?? first
      last = data[at + columns.last] ?? last
      if (low < min) min = low
      if (high > max) max = high
    }
    this.min = min
    this.max = max
    this.first = first
    this.last = last
    const end = base + (to - 1) * stride + (place.by === 'x' ? columns.xLast : columns.atLast)
    this.xLast = place.forth(data[end] ?? 0)
    this.lastRow = row + to * size - 1
    this.pieces += to - from
  }

  /** Writes down what came together, and begins anew. */
  flush(out: PointList): void {
    if (this.pieces === 0) return
    const { xFirst, xLast, first, last, firstRow, lastRow } = this
    const min = Number.isNaN(first) ? first : this.min
    const max = Number.isNaN(first) ? first : this.max
    if (lastRow !== firstRow || this.pieces > 1) {
      out.add({ x: xFirst, min, max, raw: first, row: firstRow })
    }
    out.add({ x: xLast, min, max, raw: last, row: lastRow })
    this.pieces = 0
    this.min = Infinity
    this.max = -Infinity
    this.first = this.last = Number.NaN
  }
}

type Point = Record<'x' | 'min' | 'max' | 'raw' | 'row', number>

class PointList {
  private count = 0
  private x: Float64Array
  private min: Float64Array
  private max: Float64Array
  private raw: Float64Array
  private row: Float64Array

  constructor(room: number) {
    this.x = new Float64Array(room)
    this.min = new Float64Array(room)
    this.max = new Float64Array(room)
    this.raw = new Float64Array(room)
    this.row = new Float64Array(room)
  }

  add({ x, min, max, raw, row }: Point): void {
    if (this.count === this.x.length) this.grow()
    const i = this.count++
    this.x[i] = x
    this.min[i] = min
    this.max[i] = max
    this.raw[i] = raw
    this.row[i] = row
  }

  trimmed(): Points {
    const { count } = this
    const cut = (column: Float64Array): Float64Array => column.subarray(0, count)
    return {
      count,
      x: cut(this.x),
      min: cut(this.min),
      max: cut(this.max),
      raw: cut(this.raw),
      row: cut(this.row)
    }
  }

  private grow(): void {
    const grown = (column: Float64Array): Float64Array => {
      const larger = new Float64Array(Math.max(16, column.length * 2))
      larger.set(column)
      return larger
    }
    this.x = grown(this.x)
    this.min = grown(this.min)
    this.max = grown(this.max)
    this.raw = grown(this.raw)
    this.row = grown(this.row)
  }
}
