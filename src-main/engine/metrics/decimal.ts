const ZERO = 48
const NINE = 57
const DOT = 46
const MINUS = 45
const PLUS = 43

/** Powers of ten that a double holds exactly. */
const TENS = Array.from({ length: 23 }, (_, power) => Number(`1e${String(power)}`))
/** Digits that fit a double exactly whatever they are; of more, only numbers up to 2^53 do. */
const SAFE_DIGITS = 15

/** A number read from bytes. `end` is -1 when none stands there. */
export class DecimalReader {
  end = -1

  /**
   * Reads `-12`, `0.25`, `1e-06`, `nan`, `inf` or `-inf` at `at`, correctly rounded: mantissa and power of ten are
   * exact doubles in nearly all numbers, and then one operation rounds once; the others go through `Number`.
   */
  read(bytes: Buffer, at: number): number {
    let p = at
    const negative = bytes[p] === MINUS
    if (negative) p++
    const first = bytes[p] ?? 0
    if (first < ZERO || first > NINE) return this.named(bytes, p, negative)
    let mantissa = 0
    let digits = 0
    let code = first
    for (; code >= ZERO && code <= NINE; code = bytes[++p] ?? 0) {
      mantissa = mantissa * 10 + (code - ZERO)
      if (mantissa !== 0) digits++
    }
    let scale = 0
    if (code === DOT) {
      const dot = p
      code = bytes[++p] ?? 0
      for (; code >= ZERO && code <= NINE; code = bytes[++p] ?? 0) {
        mantissa = mantissa * 10 + (code - ZERO)
        if (mantissa !== 0) digits++
      }
      scale = dot + 1 - p
    }
    if (code === 101 || code === 69) {
      scale += this.exponent(bytes, p + 1)
      if (this.end === -1) return 0
      p = this.end
    }
    this.end = p
    const exact = digits <= SAFE_DIGITS || mantissa <= Number.MAX_SAFE_INTEGER
    if (!exact || scale < -22 || scale > 22) return Number(bytes.toString('latin1', at, p))
    const size = scale < 0 ? mantissa / (TENS[-scale] ?? 1) : mantissa * (TENS[scale] ?? 1)
    return negative ? -size : size
  }

  private exponent(bytes: Buffer, at: number): number {
    let p = at
    let code = bytes[p] ?? 0
    const negative = code === MINUS
    if (negative || code === PLUS) code = bytes[++p] ?? 0
    let value = 0
    const start = p
    for (; code >= ZERO && code <= NINE; code = bytes[++p] ?? 0) value = value * 10 + code - ZERO
    this.end = p === start ? -1 : p
    return negative ? -value : value
  }

  private named(bytes: Buffer, at: number, negative: boolean): number {
    const a = bytes[at]
    const b = bytes[at + 1]
    const c = bytes[at + 2]
    this.end = at + 3
    if (a === 110 && b === 97 && c === 110) return Number.NaN
    if (a === 105 && b === 110 && c === 102) return negative ? -Infinity : Infinity
    this.end = -1
    return 0
  }
}
