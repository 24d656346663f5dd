import type { Curve } from './columns'

/** One drawn point, as a row of a data table. */
export type PointRow = {
  readonly key: string
  readonly attempt: number
  readonly superseded: boolean
  readonly x: number
  readonly min: number
  readonly max: number
  readonly raw: number
  readonly smooth: number | null
}

/** Reads rows of a chart's table by index, without building a table of all of them. */
export type PointTable = {
  readonly count: number
  readonly row: (index: number) => PointRow | null
}

/** The points of some curves, one curve after the other. */
export function pointTable(curves: readonly Curve[]): PointTable {
  const starts: number[] = []
  let count = 0
  for (const curve of curves) {
    starts.push(count)
    count += curve.x.length
  }
  return {
    count,
    row: (index) => {
      let which = starts.length - 1
      while (which > 0 && (starts[which] ?? 0) > index) which--
      const curve = curves[which]
      const start = starts[which]
      if (curve === undefined || start === undefined) return null
      return rowOf(curve, index - start)
    }
  }
}

function rowOf(curve: Curve, index: number): PointRow | null {
  const x = curve.x[index]
  if (x === undefined) return null
  const raw = curve.raw[index] ?? NaN
  // Where every sample is drawn, each stands for itself, though two may share a pixel and its band.
  const alone = curve.total <= curve.x.length
  return {
    key: curve.key,
    attempt: curve.attempt,
    superseded: curve.superseded,
    x,
    min: alone ? raw : (curve.min[index] ?? NaN),
    max: alone ? raw : (curve.max[index] ?? NaN),
    raw,
    smooth: curve.smoothed ? (curve.smooth[index] ?? NaN) : null
  }
}

const CSV_HEAD = 'key,attempt,superseded,x,min,max,raw,smooth'

/** The drawn points as CSV with full precision: RFC 4180, one row a point, gaps as empty fields. */
export function toCsv(curves: readonly Curve[]): string {
  const table = pointTable(curves)
  const lines = [CSV_HEAD]
  for (let index = 0; index < table.count; index++) {
    const row = table.row(index)
    if (row === null) continue
    const numbers = [row.min, row.max, row.raw, row.smooth ?? NaN].map((value) =>
      Number.isNaN(value) ? '' : String(value)
    )
    lines.push([quoted(row.key), row.attempt, row.superseded, row.x, ...numbers].join(','))
  }
  return lines.join('\r\n') + '\r\n'
}

/**
 * A text field of CSV. A leading formula sign gets an apostrophe, because spreadsheets run such fields
 * and metric keys come from the outside.
 */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
