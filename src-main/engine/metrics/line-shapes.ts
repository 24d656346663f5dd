import { DecimalReader } from './decimal'
import type { LineTrace, Meaning, ParserState } from './line-parser'
import type { Row } from './model'

/** Codes of a shape beyond those of plain bytes: any one digit, a value, the step in front of a dict, a time stamp. */
const DIGIT = 256
const NUMBER = 257
const PLACE = 258
const STAMP = 259
const STAMP_LENGTH = 19
const NONE = -1

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
  /** What stands between the slots, one after the other, each beginning at a multiple of four. */
  fixed: Uint8Array
  /** The same, four bytes at a time. */
  words: Int32Array
  /** For each piece: its length in bytes, the slot behind it (NONE at the end), and how many such slots in a row. */
  pieces: Int16Array
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
  /** What the last comparison read; an array of doubles from the beginning, of which a copy is cheap. */
  private readonly values = [Number.NaN]
  private count = 0
  private place = 0
  private time: number | null = null

  /** The bytes compared at the moment, to be read four at a time. */
  private view: DataView = new DataView(new ArrayBuffer(0))
  private viewed: Buffer | null = null

  constructor(private readonly state: ParserState) {}

  /** Lets go of the bytes that were read last. */
  release(): void {
    this.viewed = null
    this.view = new DataView(new ArrayBuffer(0))
  }

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
    const shape: Shape = { ...compiled(codes), used: this.clock, next: null }
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
    const values = this.values.slice(0, this.count)
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
    if (bytes !== this.viewed) this.look(bytes)
    this.count = 0
    this.time = null
    const { fixed, words, pieces } = shape
    const { view } = this
    let p = from
    let word = 0
    for (let i = 0; i < pieces.length; i += 3) {
      const length = pieces[i] ?? 0
      const end = p + length
      if (end > to) return false
      for (; p <= end - 4; p += 4) if (view.getInt32(p, true) !== words[word++]) return false
      if (p < end) {
        for (let at = word * 4; p < end; p++, at++) if (bytes[p] !== fixed[at]) return false
        word++
      }
      const slot = pieces[i + 1] ?? NONE
      if (slot === NONE) break
      p = slot === NUMBER ? this.readValue(bytes, p) : this.slot(slot, pieces[i + 2] ?? 1, bytes, p)
      if (p === -1) return false
    }
    return p === to
  }

  private look(bytes: Buffer): void {
    this.viewed = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  private readValue(bytes: Buffer, at: number): number {
    const value = this.decimal.read(bytes, at)
    if (this.decimal.end !== -1) this.values[this.count++] = value
    return this.decimal.end
  }

  /** Reads what may differ from line to line; returns the place behind it, or -1. */
  private slot(code: number, times: number, bytes: Buffer, at: number): number {
    switch (code) {
      case PLACE:
        return this.readPlace(bytes, at)
      case STAMP:
        return this.readStamp(bytes, at) ? at + STAMP_LENGTH : -1
      default:
        for (let p = at; p < at + times; p++) if (!isDigit(bytes[p])) return -1
        return at + times
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

/** The shape of a line from its codes, ready to be compared. */
function compiled(codes: Int16Array): Pick<Shape, 'fixed' | 'words' | 'pieces'> {
  const fixed: number[] = []
  const pieces: number[] = []
  for (let i = 0; i < codes.length;) {
    const start = i
    while (i < codes.length && (codes[i] ?? 0) < DIGIT) fixed.push(codes[i++] ?? 0)
    const length = i - start
    while (fixed.length % 4 !== 0) fixed.push(0)
    const slot = codes[i] ?? NONE
    const behind = i
    while (i < codes.length && codes[i] === slot && (i === behind || slot === DIGIT)) i++
    pieces.push(length, slot, i - behind)
  }
  const bytes = Uint8Array.from(fixed)
  const words = new Int32Array(bytes.length / 4)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < words.length; i++) words[i] = view.getInt32(i * 4, true)
  return { fixed: bytes, words, pieces: Int16Array.from(pieces) }
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
