import { DecimalReader } from './decimal'
import type { LineTrace, Meaning, ParserState } from './line-parser'
import type { Row } from './model'

/** Codes of a shape beyond those of plain bytes: any one digit, a value, the step in front of a dict, a time stamp. */
const DIGIT = 256
const NUMBER = 257
const PLACE = 258
const STAMP = 259
const STAMP_LENGTH = 19

/** Shapes that are remembered. Each is tried only as far as it fits, so that most cost a few comparisons. */
const MOST = 24
/** Longest line that is worth a shape. */
const LONGEST = 4096
/** Longest ordinary text that is. Prompts and answers are longer, and no two of them are alike. */
const LONGEST_TEXT = 320
/** Lines that may be looked at for a new shape before others must have fitted one. */
const CREDIT = 64

/** Longest step: what a double still counts exactly. */
const PLACE_DIGITS = 15

const STAMPED = /\[(?=\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[\] ])/
const TEXT: Meaning = { kind: 'text' }

interface Shape {
  codes: Int16Array
  /** Absent: ordinary text. */
  row?: { axis: Row['axis']; keys: readonly string[]; byTime: boolean }
  used: number
  /** The shape that came after this one the last time. */
  next: Shape | null
}

/**
 * Reads lines that look like earlier ones straight from their bytes. A run prints a few dozen kinds of lines all day;
 * the second of a kind differs from the first in its numbers only, and needs no text, no regular expression and no
 * keys of its own. A shape is learned from a line the parser has read, and kept only if it gives the same for that line.
 */
export class LineShapes {
  private shapes: Shape[] = []
  private last: Shape | null = null
  private clock = 0
  private credit = CREDIT
  private readonly decimal = new DecimalReader()
  private readonly stamp = { bytes: new Uint8Array(STAMP_LENGTH), millis: 0 }
  /** What the last comparison read. */
  private values: number[] = []
  private place = 0
  private time: number | null = null

  constructor(private readonly state: ParserState) {}

  /** What the line means; null for a line of no known shape. */
  read(bytes: Buffer, from: number, to: number, arrival: number): Meaning | null {
    const guess = this.last?.next ?? null
    if (guess !== null && this.fits(guess, bytes, from, to)) return this.found(guess, arrival)
    for (const shape of this.shapes) {
      if (shape !== guess && this.fits(shape, bytes, from, to)) return this.found(shape, arrival)
    }
    return null
  }

  /** Makes a shape of a line that the parser has just read. */
  learn(bytes: Buffer, from: number, to: number, meaning: Meaning, trace: LineTrace): void {
    if (!trace.plain || to - from > LONGEST || this.credit <= 0) return
    if (meaning.kind !== 'row' && (meaning.kind !== 'text' || to - from > LONGEST_TEXT)) return
    this.credit--
    const text = bytes.toString('latin1', from, to)
    const stamp = trace.stamped ? text.search(STAMPED) + 1 : 0
    if (trace.stamped && stamp === 0) return
    const codes =
      meaning.kind === 'row' ? rowCodes(text, stamp, trace.numbered) : textCodes(text, stamp)
    const shape: Shape = { codes, used: this.clock, next: null }
    if (meaning.kind === 'row') {
      const { axis, keys } = meaning.row
      shape.row = { axis, keys, byTime: !trace.numbered }
    }
    if (this.agrees(shape, bytes, from, to, meaning)) this.keep(shape)
  }

  private found(shape: Shape, arrival: number): Meaning {
    if (this.last !== null) this.last.next = shape
    this.last = shape
    shape.used = ++this.clock
    if (this.credit < CREDIT) this.credit++
    const { state, time } = this
    if (time !== null) state.last = time + (state.zone ?? 0)
    if (shape.row === undefined) return TEXT
    const at = state.last ?? arrival
    return { kind: 'row', row: this.rowOf(shape.row, at) }
  }

  private rowOf({ axis, keys, byTime }: NonNullable<Shape['row']>, at: number): Row {
    const { values } = this
    this.values = []
    return { axis, x: byTime ? at : this.place, at, keys, values }
  }

  private keep(shape: Shape): void {
    if (this.shapes.length < MOST) {
      this.shapes.push(shape)
      return
    }
    const oldest = this.shapes.reduce((a, b) => (b.used < a.used ? b : a))
    this.shapes[this.shapes.indexOf(oldest)] = shape
    for (const other of this.shapes) if (other.next === oldest) other.next = null
  }

  /** Whether the shape reads this very line as the parser did. */
  private agrees(shape: Shape, bytes: Buffer, from: number, to: number, meaning: Meaning): boolean {
    if (!this.fits(shape, bytes, from, to)) return false
    const { state, time } = this
    if (time !== null && time + (state.zone ?? 0) !== state.last) return false
    if (meaning.kind !== 'row' || shape.row === undefined) return meaning.kind === 'text'
    const { x, values } = this.rowOf(shape.row, meaning.row.at)
    const wanted = meaning.row.values
    return (
      x === meaning.row.x &&
      values.length === wanted.length &&
      values.every((value, i) => Object.is(value, wanted[i]))
    )
  }

  /** Compares, and leaves the numbers in `values`, `place` and `time`. */
  private fits(shape: Shape, bytes: Buffer, from: number, to: number): boolean {
    if (this.values.length > 0) this.values = []
    this.time = null
    const { codes } = shape
    const { length } = codes
    let p = from
    for (let i = 0; i < length; i++) {
      const code = codes[i] ?? 0
      if (code < DIGIT) {
        if (bytes[p] !== code) return false
        p++
      } else {
        p = this.slot(code, bytes, p)
        if (p === -1) return false
      }
    }
    return p === to
  }

  /** Reads what may differ from line to line; returns the place behind it, or -1. */
  private slot(code: number, bytes: Buffer, at: number): number {
    switch (code) {
      case NUMBER: {
        const value = this.decimal.read(bytes, at)
        if (this.decimal.end !== -1) this.values.push(value)
        return this.decimal.end
      }
      case PLACE:
        return this.readPlace(bytes, at)
      case STAMP:
        return this.readStamp(bytes, at) ? at + STAMP_LENGTH : -1
      default:
        return isDigit(bytes[at]) ? at + 1 : -1
    }
  }

  private readPlace(bytes: Buffer, at: number): number {
    let p = at
    let value = 0
    for (let byte = bytes[p]; byte !== undefined && isDigit(byte); byte = bytes[++p]) {
      value = value * 10 + byte - 48
    }
    this.place = value
    return p === at || p - at > PLACE_DIGITS ? -1 : p
  }

  /** `2026-03-04 10:15:22`, as if it were UTC. Lines come in bursts of the same second. */
  private readStamp(bytes: Buffer, at: number): boolean {
    const { stamp } = this
    for (let i = 0; i < STAMP_LENGTH; i++) {
      if (bytes[at + i] !== stamp.bytes[i]) return this.readNewStamp(bytes, at)
    }
    this.time = stamp.millis
    return true
  }

  private readNewStamp(bytes: Buffer, at: number): boolean {
    for (let i = 0; i < STAMP_LENGTH; i++) {
      const byte = bytes[at + i]
      const legal =
        i === 4 || i === 7
          ? byte === 45
          : i === 10
            ? byte === 32 || byte === 84
            : i === 13 || i === 16
              ? byte === 58
              : isDigit(byte)
      if (!legal) return false
    }
    const two = (from: number): number =>
      ((bytes[at + from] ?? 0) - 48) * 10 + ((bytes[at + from + 1] ?? 0) - 48)
    const year = two(0) * 100 + two(2)
    this.time = Date.UTC(year, two(5) - 1, two(8), two(11), two(14), two(17))
    this.stamp.bytes.set(bytes.subarray(at, at + STAMP_LENGTH))
    this.stamp.millis = this.time
    return true
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}

/** Ordinary text: the digits may be others, nothing else. */
function textCodes(text: string, stamp: number): Int16Array {
  const codes: number[] = []
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (stamp > 0 && i === stamp) {
      codes.push(STAMP)
      i += STAMP_LENGTH - 1
    } else codes.push(isDigit(code) ? DIGIT : code)
  }
  return Int16Array.from(codes)
}

const STEP = /\d+(?=: \{)/y
/** Behind `: ` or an opening bracket: values of a dict, of `np.float64(…)`, of `name: value` lists. */
const VALUE = /(?:-?\d[\d.]*(?:[eE][-+]?\d+)?|nan|-?inf)(?=[,})\]s]|$)/y

/** A line of numbers: each may be any other, everything else is as it was. */
function rowCodes(text: string, stamp: number, numbered: boolean): Int16Array {
  const codes: number[] = []
  let placed = !numbered
  for (let i = 0; i < text.length;) {
    const code = text.charCodeAt(i)
    if (stamp > 0 && i === stamp) {
      codes.push(STAMP)
      i += STAMP_LENGTH
      continue
    }
    const before = text.charCodeAt(i - 1)
    let end = 0
    const step = !placed
    if (step) {
      if (before === 32) end = endOf(STEP, text, i)
      placed = end > 0
    } else if (before === 40 || (before === 32 && text.charCodeAt(i - 2) === 58)) {
      end = endOf(VALUE, text, i)
    }
    codes.push(end === 0 ? code : step ? PLACE : NUMBER)
    i = end === 0 ? i + 1 : end
  }
  return Int16Array.from(codes)
}

/** Where a match of the sticky expression at `at` ends; 0 when there is none. */
function endOf(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : 0
}
