import type { Pieces } from './series-reader'

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
 * @param x first and last place of each piece on the axis that is drawn.
 */
export function thin(
  pieces: Pieces,
  x: { first: Float64Array; last: Float64Array },
  window: Window
): Points {
  const out = emptyPoints(pieces.length * 2)
  const width = (window.to - window.from) / window.columns
  const sparse = pieces.length <= window.columns
  let start = 0
  for (let i = 1; i <= pieces.length; i++) {
    const together =
      !sparse &&
      i < pieces.length &&
      columnOf(x.first[i] ?? 0, window, width) === columnOf(x.first[start] ?? 0, window, width)
    if (together) continue
    addColumn(out, pieces, x, start, i)
    start = i
  }
  return trimmed(out)
}

/** Everything left or right of the window counts as one column there. */
export function columnOf(x: number, window: Window, width: number): number {
  if (x < window.from) return -1
  if (x > window.to) return window.columns
  return width > 0 ? Math.min(window.columns - 1, Math.floor((x - window.from) / width)) : 0
}

function addColumn(
  out: Points,
  pieces: Pieces,
  x: { first: Float64Array; last: Float64Array },
  from: number,
  to: number
): void {
  let min = Infinity
  let max = -Infinity
  let first = Number.NaN
  let last = Number.NaN
  for (let i = from; i < to; i++) {
    const low = pieces.min[i] ?? Number.NaN
    if (Number.isNaN(low)) continue
    if (Number.isNaN(first)) first = pieces.first[i] ?? first
    last = pieces.last[i] ?? last
    min = Math.min(min, low)
    max = Math.max(max, pieces.max[i] ?? low)
  }
  if (Number.isNaN(first)) min = max = Number.NaN
  const end = to - 1
  const lastRow = (pieces.row[end] ?? 0) + (pieces.rows[end] ?? 1) - 1
  if (to - from > 1 || (pieces.rows[from] ?? 1) > 1) {
    add(out, x.first[from] ?? 0, min, max, first, pieces.row[from] ?? 0)
  }
  add(out, x.last[end] ?? 0, min, max, last, lastRow)
}

function add(out: Points, x: number, min: number, max: number, raw: number, row: number): void {
  const i = out.count++
  out.x[i] = x
  out.min[i] = min
  out.max[i] = max
  out.raw[i] = raw
  out.row[i] = row
}

function emptyPoints(capacity: number): Points {
  const column = (): Float64Array => new Float64Array(capacity)
  return { count: 0, x: column(), min: column(), max: column(), raw: column(), row: column() }
}

function trimmed(points: Points): Points {
  const { count } = points
  const cut = (column: Float64Array): Float64Array => column.subarray(0, count)
  return {
    count,
    x: cut(points.x),
    min: cut(points.min),
    max: cut(points.max),
    raw: cut(points.raw),
    row: cut(points.row)
  }
}
