/** The numbers of a Python dict's text, in order. Nested dicts come flattened with `/`. */
export interface DictNumbers {
  /** The very array of expected keys when exactly those came. */
  keys: readonly string[]
  values: number[]
  /** False when the text ended or broke inside the dict; what stood whole before that is kept. */
  complete: boolean
  /** Index just after what was read. */
  end: number
}

const NAMED_NUMBER = /[-+]?(?:nan|inf(?:inity)?)/iy
const WRAPPER = /[A-Za-z_][\w.]*\(/y
const WORD = /[A-Za-z_][\w.]*/y
const DEEPEST = 16

class Broken extends Error {}

/**
 * Reads `repr(dict)` as the stacks print it: quoted keys; ints, floats, `nan`, `inf`, booleans, `None`,
 * NumPy scalars (`np.float64(0.25)`, NumPy ≥ 2) and tensors (`tensor(0.2, device='cuda:0')`).
 * What is not a number (strings, lists, `None`) is passed over. Never throws.
 * @param at index of the opening brace.
 * @param expected keys of the last such dict: where they come again, the same strings are handed out,
 *   which saves making and hashing them.
 */
export function readPythonDict(
  text: string,
  at: number,
  expected: readonly string[] = []
): DictNumbers {
  const reader = new Reader(text, at, expected)
  let complete = false
  try {
    reader.dict('', 0)
    complete = true
  } catch (cause) {
    if (!(cause instanceof Broken)) throw cause
  }
  return { keys: reader.foundKeys(), values: reader.values, complete, end: reader.position }
}

/** `inf`, `-nan`, `1_000`, `1e-06` → number; NaN text → NaN. Null when it is none. */
export function pythonNumber(text: string): number | null {
  const code = text.charCodeAt(0)
  if ((code >= 48 && code <= 57) || code === 45 || code === 46 || code === 43) {
    const plain = Number(text)
    if (plain === plain) return plain
  }
  switch (text.toLowerCase().replace(/^[-+]/, '')) {
    case 'nan':
      return Number.NaN
    case 'inf':
    case 'infinity':
      return text.startsWith('-') ? -Infinity : Infinity
    default: {
      if (!text.includes('_')) return null
      const plain = Number(text.replaceAll('_', ''))
      return Number.isNaN(plain) ? null : plain
    }
  }
}

class Reader {
  readonly values: number[] = []
  /** Own list of keys, begun where they first differ from the expected ones. */
  private keys: string[] | null = null

  constructor(
    private readonly text: string,
    public position: number,
    private readonly expected: readonly string[]
  ) {}

  foundKeys(): readonly string[] {
    const { expected, values, keys } = this
    if (keys !== null) return keys
    return values.length === expected.length ? expected : expected.slice(0, values.length)
  }

  private found(key: string, value: number): void {
    const at = this.values.push(value) - 1
    if (this.keys !== null) this.keys.push(key)
    else if (key !== this.expected[at]) this.keys = [...this.expected.slice(0, at), key]
  }

  dict(prefix: string, depth: number, muted = false): void {
    if (depth > DEEPEST) throw new Broken()
    this.expect(123)
    this.space()
    if (this.take(125)) return
    for (;;) {
      const key = this.expectedKey() ?? this.key()
      this.space()
      this.expect(58)
      this.space()
      this.entry(prefix === '' ? key : `${prefix}/${key}`, depth, muted)
      this.space()
      if (this.take(125)) return
      this.expect(44)
      this.space()
      if (this.take(125)) return
    }
  }

  private entry(name: string, depth: number, muted: boolean): void {
    if (this.code() === 123) {
      this.dict(name, depth + 1, muted)
      return
    }
    const value = this.value(depth)
    // A number at the very end of the text may be cut: only one with something behind it counts.
    if (value === null || muted || this.position >= this.text.length) return
    this.found(name, value)
  }

  private expectedKey(): string | null {
    const key = this.expected[this.values.length]
    if (key === undefined || !this.text.startsWith(key, this.position + 1)) return null
    const quote = this.code()
    const end = this.position + 1 + key.length
    if ((quote !== 39 && quote !== 34) || this.text.charCodeAt(end) !== quote) return null
    this.position = end + 1
    return key
  }

  private key(): string {
    const code = this.code()
    if (code === 39 || code === 34) return this.string()
    // Keys that are not text (an int, a tuple) are named by their own text.
    const start = this.position
    while (this.position < this.text.length && this.code() !== 58) this.position++
    return this.text.slice(start, this.position).trim()
  }

  private value(depth: number): number | null {
    if (depth > DEEPEST) throw new Broken()
    const code = this.code()
    if (code === 39 || code === 34) {
      this.string()
      return null
    }
    if (code === 91 || code === 40) return this.sequence(depth)
    if (code === 123) {
      this.dict('', depth + 1, true)
      return null
    }
    const number = this.number()
    if (number !== null) return number
    return this.atWrapper() ? this.wrapped(depth) : this.word()
  }

  private number(): number | null {
    const start = this.position
    const code = this.text.charCodeAt(start)
    const digits = (code >= 48 && code <= 57) || code === 46
    const end =
      digits || (code === 45 && isDigit(this.text.charCodeAt(start + 1)))
        ? this.endOfDigits(start + 1)
        : this.endOfNamed(start)
    if (end === start || isWordCode(this.text.charCodeAt(end))) return null
    const value = pythonNumber(this.text.slice(start, end))
    if (value !== null) this.position = end
    return value
  }

  private endOfDigits(from: number): number {
    let end = from
    for (; ; end++) {
      const code = this.text.charCodeAt(end)
      if (isDigit(code) || code === 46 || code === 95) continue
      if (code !== 101 && code !== 69) return end
      const sign = this.text.charCodeAt(end + 1)
      if (sign === 43 || sign === 45) end++
    }
  }

  private endOfNamed(start: number): number {
    NAMED_NUMBER.lastIndex = start
    return NAMED_NUMBER.test(this.text) ? NAMED_NUMBER.lastIndex : start
  }

  /** Whether a name and an opening bracket stand here; leaves the regular expression's index behind them. */
  private atWrapper(): boolean {
    WRAPPER.lastIndex = this.position
    return WRAPPER.test(this.text)
  }

  /** `np.float64(0.25)`, `tensor([0.25], device='cuda:0')`: the first argument. */
  private wrapped(depth: number): number | null {
    this.position = WRAPPER.lastIndex
    this.space()
    if (this.take(41)) return null
    const value = this.value(depth + 1)
    this.skipToClose()
    return value
  }

  private word(): number | null {
    WORD.lastIndex = this.position
    const match = WORD.exec(this.text)
    if (match === null) throw new Broken()
    this.position += match[0].length
    // Bytes and raw strings: b'…'.
    if (this.code() === 39 || this.code() === 34) this.string()
    return match[0] === 'True' ? 1 : match[0] === 'False' ? 0 : null
  }

  /** A list or tuple; its value is that of its only element, if it is one number. */
  private sequence(depth: number): number | null {
    const close = this.code() === 91 ? 93 : 41
    this.position++
    let only: number | null = null
    let count = 0
    for (;;) {
      this.space()
      if (this.take(close)) return count === 1 ? only : null
      if (count > 0) {
        this.expect(44)
        this.space()
        if (this.take(close)) return count === 1 ? only : null
      }
      only = this.value(depth + 1)
      count++
    }
  }

  private skipToClose(): void {
    let open = 1
    while (this.position < this.text.length) {
      const code = this.code()
      if (code === 39 || code === 34) {
        this.string()
        continue
      }
      this.position++
      if (code === 40) open++
      else if (code === 41 && --open === 0) return
    }
    throw new Broken()
  }

  private string(): string {
    const quote = this.code()
    const start = ++this.position
    let escaped = false
    for (; this.position < this.text.length; this.position++) {
      const code = this.code()
      if (code === 92) {
        escaped = true
        this.position++
      } else if (code === quote) {
        const raw = this.text.slice(start, this.position++)
        return escaped ? unescapePython(raw) : raw
      }
    }
    throw new Broken()
  }

  private code(): number {
    return this.text.charCodeAt(this.position)
  }

  private space(): void {
    while (this.code() === 32) this.position++
  }

  private take(code: number): boolean {
    if (this.code() !== code) return false
    this.position++
    return true
  }

  private expect(code: number): void {
    if (!this.take(code)) throw new Broken()
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isWordCode(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95
  )
}

/** The escapes that `repr` writes. */
function unescapePython(raw: string): string {
  return raw.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g,
    (whole: string, x?: string, u?: string, long?: string, single?: string) => {
      const hex = x ?? u ?? long
      if (hex !== undefined) {
        const point = Number.parseInt(hex, 16)
        return point <= 0x10ffff ? String.fromCodePoint(point) : whole
      }
      const named: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
      return single === undefined ? whole : (named[single] ?? single)
    }
  )
}
