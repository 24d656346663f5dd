const ZERO = 48
const NINE = 57
const DOT = 46
const MINUS = 45
const PLUS = 43

/** Powers of ten that a double holds exactly. */
const TENS = Array.from({ length: 23 }, (_, power) => Number(`1e${String(power)}`))
const LARGEST_TEN = 22

/** Digits in each of the two whole numbers that a mantissa is read into. */
const HALF = 9
/** Splits a double into two of 26 bits (Dekker, "A floating-point technique for extending the available precision"). */
const SPLIT = 2 ** 27 + 1
/** Far above the error of a quotient made of two doubles, far below the half of its last place. */
const DOUBT = 2 ** -90

/** A number read from bytes. `end` is -1 when none stands there. */
export class DecimalReader {
  end = -1
  /** The first nine significant digits, the next nine, and how many there are in all. */
  private high = 0
  private low = 0
  private digits = 0

  /**
   * Reads `-12`, `0.25`, `1e-06`, `nan`, `inf` or `-inf` at `at`, correctly rounded: what `Number` makes of the text.
   * Up to 18 digits and powers of ten up to 22 are done in doubles, the others go through `Number`.
   */
  read(bytes: Buffer, at: number): number {
    let p = at
    const negative = bytes[p] === MINUS
    if (negative) p++
    const first = bytes[p] ?? 0
    if (first < ZERO || first > NINE) return this.named(bytes, p, negative)
    this.high = this.low = this.digits = 0
    p = this.readDigits(bytes, p)
    let scale = 0
    if (bytes[p] === DOT) {
      const dot = p + 1
      p = this.readDigits(bytes, dot)
      scale = dot - p
    }
    const code = bytes[p]
    if (code === 101 || code === 69) {
      scale += this.exponent(bytes, p + 1)
      if (this.end === -1) return 0
      p = this.end
    }
    this.end = p
    const size = this.scaled(scale)
    if (size === null) return Number(bytes.toString('latin1', at, p))
    return negative ? -size : size
  }

  private readDigits(bytes: Buffer, at: number): number {
    let { high, low, digits } = this
    let p = at
    for (let code = bytes[p] ?? 0; code >= ZERO && code <= NINE; code = bytes[++p] ?? 0) {
      if (digits >= HALF) {
        if (digits < 2 * HALF) low = low * 10 + (code - ZERO)
        digits++
      } else {
        high = high * 10 + (code - ZERO)
        if (high !== 0) digits++
      }
    }
    this.high = high
    this.low = low
    this.digits = digits
    return p
  }

  /** The digits times ten to the power `scale`; null when that takes more than these doubles hold. */
  private scaled(scale: number): number | null {
    const { high, low, digits } = this
    if (digits > 2 * HALF || scale < -LARGEST_TEN || scale > LARGEST_TEN) return null
    // Exact: nine digits times a power of five are below 2^53, and the power of two beside it costs nothing.
    const head = digits > HALF ? high * (TENS[digits - HALF] ?? 1) : high
    const mantissa = head + low
    if (mantissa <= Number.MAX_SAFE_INTEGER) {
      return scale < 0 ? mantissa / (TENS[-scale] ?? 1) : mantissa * (TENS[scale] ?? 1)
    }
    if (scale === 0) return mantissa
    return scale < 0 ? quotient(mantissa, low - (mantissa - head), TENS[-scale] ?? 1) : null
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

/**
 * `(a + b) / divisor`, rounded once; `b` is less than the last place of `a`. A first quotient, and a second one of what
 * is left over, which is known exactly but for a tiny part. Null when that part could decide the rounding.
 */
function quotient(a: number, b: number, divisor: number): number | null {
  const first = a / divisor
  const product = first * divisor
  const left = a - product - lostOf(first, divisor, product) + b
  const second = left / divisor
  const doubt = first * DOUBT
  const size = first + (second - doubt)
  return size === first + (second + doubt) ? size : null
}

/** What rounding took from the product of two doubles, exactly (Dekker's product). */
function lostOf(a: number, b: number, product: number): number {
  const wideA = SPLIT * a
  const highA = wideA - (wideA - a)
  const lowA = a - highA
  const wideB = SPLIT * b
  const highB = wideB - (wideB - b)
  const lowB = b - highB
  return lowA * lowB - (product - highA * highB - lowA * highB - highA * lowB)
}
