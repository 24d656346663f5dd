import type { Axis } from '../../contract/metrics'

/** Rows of one block of the column file. Blocks are written whole. */
export const BLOCK = 256

/** So many backward jumps and non-finite samples are remembered one by one; further ones are only counted. */
const REMEMBERED = 4096

export interface OddSample {
  row: number
  x: number
  at: number
  kind: 'nan' | '+inf' | '-inf'
}

/** What the index keeps of a series besides its rows. */
export interface SeriesRecord {
  id: number
  key: string
  axis: Axis
  attempt: number
  source: string
  written: number
  count: number
  nonFinite: number
  /** Row and x of each. */
  breaks: [number, number][]
  breaksLost: boolean
  odd: OddSample[]
  /** Text for values, since JSON knows no NaN. */
  first: [number, string, number] | null
  last: [number, string, number] | null
  lastFinite: [number, string, number] | null
  xMin: number
  xMax: number
}

export interface Point {
  x: number
  value: number
  at: number
}

/** Where the newest row stands in a series' own numbers (its x, value and time), the newest finite one, and both extremes. */
const At = { last: 0, lastFinite: 3, xMin: 6, xMax: 7 } as const

/** One key of one source within one attempt: its facts, and the rows that are not in column files yet. */
export class Series {
  /** Rows in the column files; a multiple of BLOCK. */
  written = 0
  count = 0
  nonFinite = 0
  /** Rows at which x went back: a resume, a rollback, or lines out of order. Each begins a new pass. */
  readonly breaks: [row: number, x: number][] = []
  breaksLost = false
  readonly odd: OddSample[] = []
  first: Point | null = null
  private hasFinite = false
  /** What every row changes, together in a few bytes; see `At`. */
  private readonly newest = Float64Array.of(0, 0, 0, 0, 0, 0, Infinity, -Infinity)
  private xs: Float64Array = new Float64Array(16)
  private vs: Float64Array = new Float64Array(16)
  private ats: Float64Array = new Float64Array(16)
  /** Somebody may still look at the arrays: they are not written over, only left behind. */
  private lent = false

  constructor(
    readonly id: number,
    readonly key: string,
    readonly axis: Axis,
    readonly attempt: number,
    readonly source: string
  ) {}

  get last(): Point | null {
    return this.count === 0 ? null : this.pointAt(At.last)
  }

  get lastFinite(): Point | null {
    return this.hasFinite ? this.pointAt(At.lastFinite) : null
  }

  get xMin(): number {
    return this.newest[At.xMin] ?? Infinity
  }

  get xMax(): number {
    return this.newest[At.xMax] ?? -Infinity
  }

  /** Adds a row. Times never go back within a series: an earlier one counts as the one before it. */
  push(x: number, value: number, at: number): void {
    const { newest } = this
    const isFirst = this.count === 0
    const lastX = newest[At.last] ?? 0
    const lastAt = newest[At.last + 2] ?? 0
    const place = Number.isFinite(x) ? x : lastX
    const time = isFirst || at > lastAt ? at : lastAt
    if (isFirst) this.first = { x: place, value, at: time }
    else if (place < lastX) this.addBreak(place)
    if (Number.isFinite(value)) {
      this.hasFinite = true
      this.note(At.lastFinite, place, value, time)
    } else this.addOdd(place, value, time)
    this.store(place, value, time)
    this.count++
    this.note(At.last, place, value, time)
    if (place < (newest[At.xMin] ?? 0)) newest[At.xMin] = place
    if (place > (newest[At.xMax] ?? 0)) newest[At.xMax] = place
  }

  /** The rows beyond `written`, as they are now. Later pushes and `drop` do not change what was handed out. */
  pending(): { x: Float64Array; value: Float64Array; at: Float64Array } {
    this.lent = true
    return this.pendingUntilDropped()
  }

  /** The same for one who is done with them when `drop` is called: the arrays are used again then. */
  pendingUntilDropped(): { x: Float64Array; value: Float64Array; at: Float64Array } {
    const length = this.count - this.written
    return {
      x: this.xs.subarray(0, length),
      value: this.vs.subarray(0, length),
      at: this.ats.subarray(0, length)
    }
  }

  /** Forgets the first `rows` pending rows: they are in the column files now. */
  drop(rows: number): void {
    const length = this.count - this.written
    this.written += rows
    // A log that is caught up with fills as many again; one that is followed needs little room from then on.
    const again = !this.lent && length * 4 >= this.xs.length
    const rest = (from: Float64Array): Float64Array =>
      again ? from.copyWithin(0, rows, length) : copyGrown(from.subarray(rows, length), length)
    this.xs = rest(this.xs)
    this.vs = rest(this.vs)
    this.ats = rest(this.ats)
    this.lent = false
  }

  toRecord(written: number): SeriesRecord {
    return {
      id: this.id,
      key: this.key,
      axis: this.axis,
      attempt: this.attempt,
      source: this.source,
      written,
      count: this.count,
      nonFinite: this.nonFinite,
      breaks: this.breaks.map(([row, x]) => [row, x]),
      breaksLost: this.breaksLost,
      odd: [...this.odd],
      first: stored(this.first),
      last: stored(this.last),
      lastFinite: stored(this.lastFinite),
      xMin: this.count === 0 ? 0 : this.xMin,
      xMax: this.count === 0 ? 0 : this.xMax
    }
  }

  /** @param tail columns x, value, at of the rows beyond `record.written`, one after the other. */
  static fromRecord(record: SeriesRecord, tail: Float64Array): Series {
    const series = new Series(record.id, record.key, record.axis, record.attempt, record.source)
    const length = record.count - record.written
    series.written = record.written
    series.count = record.count
    series.nonFinite = record.nonFinite
    series.breaks.push(...record.breaks)
    series.breaksLost = record.breaksLost
    series.odd.push(...record.odd)
    series.first = pointOf(record.first)
    series.recall(At.last, pointOf(record.last))
    series.hasFinite = series.recall(At.lastFinite, pointOf(record.lastFinite))
    if (record.count > 0) series.newest.set([record.xMin, record.xMax], At.xMin)
    series.xs = tail.subarray(0, length)
    series.vs = tail.subarray(length, 2 * length)
    series.ats = tail.subarray(2 * length, 3 * length)
    return series
  }

  private store(x: number, value: number, at: number): void {
    const place = this.count - this.written
    if (place >= this.xs.length) {
      this.xs = copyGrown(this.xs)
      this.vs = copyGrown(this.vs)
      this.ats = copyGrown(this.ats)
    }
    this.xs[place] = x
    this.vs[place] = value
    this.ats[place] = at
  }

  private note(place: number, x: number, value: number, at: number): void {
    const { newest } = this
    newest[place] = x
    newest[place + 1] = value
    newest[place + 2] = at
  }

  private recall(place: number, point: Point | null): boolean {
    if (point !== null) this.note(place, point.x, point.value, point.at)
    return point !== null
  }

  private pointAt(place: number): Point {
    const { newest } = this
    return { x: newest[place] ?? 0, value: newest[place + 1] ?? 0, at: newest[place + 2] ?? 0 }
  }

  private addBreak(x: number): void {
    if (this.breaks.length < REMEMBERED) this.breaks.push([this.count, x])
    else this.breaksLost = true
  }

  private addOdd(x: number, value: number, at: number): void {
    this.nonFinite++
    if (this.odd.length >= REMEMBERED) return
    const kind = Number.isNaN(value) ? 'nan' : value > 0 ? '+inf' : '-inf'
    this.odd.push({ row: this.count, x, at, kind })
  }
}

function stored(point: Point | null): [number, string, number] | null {
  return point && [point.x, String(point.value), point.at]
}

function pointOf(stored: [number, string, number] | null): Point | null {
  return stored && { x: stored[0], value: Number(stored[1]), at: stored[2] }
}

function copyGrown(from: Float64Array, room = 16): Float64Array {
  const grown = new Float64Array(Math.max(room, from.length * 2))
  grown.set(from)
  return grown
}
