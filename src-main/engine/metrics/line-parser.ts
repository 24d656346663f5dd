import type { Axis } from '../../contract/metrics'
import { parseBar, peelHead, stripAnsi, type Bar, type LineHead } from '../logs'
import { recogniseEvent, type Recognised } from './event-patterns'
import type { Row } from './model'
import { pythonNumber, readPythonDict } from './python-literal'

/** What the parser of one source remembers from line to line. Plain JSON, kept in the store's cursor. */
export interface ParserState {
  /** Milliseconds to add to a stamp read as UTC; null until it is known. */
  zone: number | null
  /** Time of the newest line that told it, for lines that do not. */
  last: number | null
  /** NexRL: the training step whose lines come now, and whether it was said to be completed. */
  step: number
  done: boolean
  /** NexRL: keys that came at full precision for `step`; the console's rounded copies of them are passed over. */
  full: string[]
  /** NexRL: whether the text has told which step comes now. A log that is read from its middle tells it late. */
  known: boolean
  /** NexRL: dicts that wait for their step. Values as text, since JSON knows no NaN. */
  held: { at: number; keys: readonly string[]; values: string[] }[]
}

export function freshParserState(): ParserState {
  return { zone: null, last: null, step: 0, done: false, full: [], known: false, held: [] }
}

/** What one unit of text meant. */
export type Meaning =
  | { kind: 'row'; row: Row }
  | { kind: 'event'; event: Recognised; at: number; step?: number }
  | { kind: 'bar'; bar: Bar }
  | { kind: 'text' }

/** What the newest reading went by, for those who want to read lines alike without the parser. */
export interface LineTrace {
  /** The meaning depends on nothing but the line itself. */
  plain: boolean
  /** The time came from a stamp in the line's head. */
  stamped: boolean
  /** The row stands at a step named before its dict, not at its time. */
  numbered: boolean
}

const TEXT: Meaning = { kind: 'text' }
const STAMPED = /\[\d{4}-\d\d-/
const SLIME = /^((?:critic-)?step|rollout|perf|eval|multi_turn|passrate) (\d+): (?=\{)/
/**
 * The head of a metric line that stands behind other text: what one process wrote and had not ended with a line feed
 * when another one wrote. And what may follow its dict there: in a text that only quotes such a line, something else does.
 */
const GLUED =
  /\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:,\d+)?\](?: [^\s:\]]+\.py:\d+ - |\[[\w.]+\]\[[A-Z]+\] - )(?=(?:(?:(?:critic-)?step|rollout|perf|eval|multi_turn|passrate) \d+|rollout metrics|combined_metrics|Validation metrics): \{)/g
const DICT_DONE =
  /^\s*(?:, trajectories: \d+)?\s*(?:\[repeated \d+x across cluster\].*|(?:\([^()]+\) )?\[\d{4}-\d\d-\d\d .*)?$/
const WORDS = new Set(['step', 'critic-step', 'rollout', 'perf', 'eval', 'multi_turn', 'passrate'])
const NEXRL_DICT = /^(rollout metrics|combined_metrics|Validation metrics): (?=\{)/
const LOCAL_LOGGER = /^step:(\d+) - /
const TIMER = /^Timer (\S+) end \(elapsed: (\S+)s\)/
const MEMORY = /^\[Rank (\d+)\] Memory-Usage .*?: (?=\{)/
const DECODE = /^Decode batch[.,]/
const DECODE_PART =
  /(#running-req|#token|token usage|gen throughput \(token\/s\)|#queue-req): ([^,\s]+)/g
const DECODE_KEYS: Readonly<Record<string, string>> = {
  '#running-req': 'sglang/running_requests',
  '#token': 'sglang/tokens',
  'token usage': 'sglang/token_usage',
  'gen throughput (token/s)': 'sglang/gen_throughput',
  '#queue-req': 'sglang/queued_requests'
}

/** Turns the text of one source, unit by unit, into what it means. Shapes: Slime, Reef, Ray, SGLang and NexRL. */
export class LineParser {
  /** Keys of the newest dict of each word. Lines that repeat them get the same array. */
  private readonly lastKeys = new Map<string, readonly string[]>()
  private lastHead = { text: '', stamp: 0 }
  readonly trace: LineTrace = { plain: true, stamped: false, numbered: false }
  /** Rows that the newest reading brought besides what it returned. */
  also: Row[] = []

  constructor(
    readonly state: ParserState,
    private readonly role: 'service' | 'launcher' = 'service'
  ) {}

  /**
   * @param text one unit, without its terminator.
   * @param arrival Unix milliseconds to use when nothing in the source tells the time.
   */
  read(text: string, arrival: number): Meaning {
    const { trace } = this
    if (this.also.length > 0) this.also = []
    trace.plain = this.role !== 'launcher'
    trace.stamped = trace.numbered = false
    if (this.role === 'launcher') return this.launcher(text, arrival)
    const quick = this.quickly(text)
    if (quick !== null) return quick
    const drawn = text.includes('%|') && !STAMPED.test(text) ? this.bar(stripAnsi(text)) : null
    if (drawn !== null) return drawn
    const head = peelHead(text)
    const at = this.timeOf(head, arrival)
    return (
      this.metric(head, at) ??
      this.event(head.message, at) ??
      this.bar(head.message) ??
      this.glued(text)
    )
  }

  /** The text has no more: rows whose step nobody told stand at the one they would have had. */
  end(): Row[] {
    this.also = []
    this.release()
    return this.also
  }

  /** A metric line behind text that is none. */
  private glued(text: string): Meaning {
    if (!text.includes(': {')) return TEXT
    const [first, ...more] = this.behind(stripAnsi(text), 1)
    if (first === undefined) return TEXT
    this.also.push(...more)
    return { kind: 'row', row: first }
  }

  /** Rows of the whole metric lines that begin at or behind `from` in a line. */
  private behind(text: string, from: number): Row[] {
    const rows: Row[] = []
    const heads = new RegExp(GLUED)
    heads.lastIndex = from
    for (let match = heads.exec(text); match !== null; match = heads.exec(text)) {
      const brace = text.indexOf('{', heads.lastIndex)
      const { keys, complete, end } = readPythonDict(text, brace)
      const whole = complete && DICT_DONE.test(text.slice(end))
      if (!whole || keys.some((key) => key.startsWith('\\'))) continue
      heads.lastIndex = end
      const head = peelHead(text.slice(match.index, end))
      const meaning = this.metric(head, this.timeOf(head, 0))
      if (meaning?.kind === 'row') rows.push(meaning.row)
    }
    // What follows another text is not what the next line of that shape has.
    if (rows.length > 0) this.trace.plain = false
    return rows
  }

  private launcher(text: string, arrival: number): Meaning {
    const start = text.indexOf('[reef] ')
    if (start === -1) return TEXT
    // The launcher's lines have a whole line of their own; the marker inside one is an echo of something else.
    const head = peelHead(text)
    return head.message.startsWith('[reef] ')
      ? (this.event(head.message, this.timeOf(head, arrival)) ?? TEXT)
      : TEXT
  }

  private timeOf(head: LineHead, arrival: number): number {
    if (head.stamp !== undefined) return this.stampedAt(head.stamp)
    return this.state.last ?? arrival
  }

  private stampedAt(stamp: number): number {
    this.trace.stamped = true
    this.state.last = stamp + (this.state.zone ?? 0)
    return this.state.last
  }

  private metric(head: LineHead, at: number): Meaning | null {
    const message = head.message
    switch (message.charCodeAt(0)) {
      case 115: // s
        return this.slime(message, at) ?? this.localLogger(message, at)
      case 99: // c
      case 114: // r
        return this.slime(message, at) ?? this.nexrlDict(message, at)
      case 101: // e
      case 109: // m
      case 112: // p
        return this.slime(message, at)
      case 86: // V
        return this.nexrlDict(message, at)
      case 84: // T
        return this.timer(message, at)
      case 68: // D
        return this.decodeBatch(message, at)
      case 91: // [
        return memory(message, at)
      default:
        return null
    }
  }

  private slime(message: string, at: number): Meaning | null {
    const match = SLIME.exec(message)
    if (match === null) return null
    const [whole, word = '', number = ''] = match
    return this.dictRow(word, Number(number), at, message, whole.length)
  }

  private dictRow(word: string, x: number, at: number, text: string, brace: number): Meaning {
    this.trace.numbered = true
    const before = this.lastKeys.get(word)
    const { keys, values, end } = readPythonDict(text, brace, before)
    if (keys !== before) this.lastKeys.set(word, keys)
    if (text.indexOf(': {', end) !== -1) this.also.push(...this.behind(stripAnsi(text), end))
    return row(axisOf(word), x, at, keys, values)
  }

  /**
   * The same as peeling the head and reading a Slime metric line, for the exact shape that nearly all of them have
   * (Ray prefix or none, stamp, `file:line - word N: {`). Null for anything else, which then goes the long way.
   */
  private quickly(text: string): Meaning | null {
    const colon = text.indexOf(': {')
    if (colon === -1) return null
    let digits = colon
    while (isDigit(text.charCodeAt(digits - 1))) digits--
    const dash = text.indexOf(' - ')
    if (digits === colon || dash === -1 || text.charCodeAt(digits - 1) !== 32) return null
    const word = text.slice(dash + 3, digits - 1)
    if (!WORDS.has(word)) return null
    const head = this.headOf(text.slice(0, dash + 3))
    if (head === null) return null
    return this.dictRow(word, Number(text.slice(digits, colon)), head, text, colon + 2)
  }

  /** Time of a head that is nothing but a head; heads repeat, so the last one is remembered. */
  private headOf(text: string): number | null {
    if (text === this.lastHead.text) return this.stampedAt(this.lastHead.stamp)
    const head = peelHead(text)
    if (head.stamp === undefined || head.logger === undefined || head.message !== '') return null
    this.lastHead = { text, stamp: head.stamp }
    return this.stampedAt(head.stamp)
  }

  private nexrlDict(message: string, at: number): Meaning | null {
    const match = NEXRL_DICT.exec(message)
    if (match === null) return null
    this.trace.plain = false
    const read = readPythonDict(message, match[0].length)
    const combined = match[1] === 'combined_metrics'
    const keys = combined ? read.keys.map((key) => `training/${key}`) : read.keys
    // The dicts carry no step: they come before their step is said to be completed.
    if (this.state.done) this.enter(this.state.step + 1, false)
    this.state.full.push(...keys)
    if (message.indexOf(': {', read.end) !== -1)
      this.also.push(...this.behind(stripAnsi(message), read.end))
    if (this.state.known) return row('step', this.state.step, at, keys, read.values)
    this.state.held.push({ at, keys, values: read.values.map(String) })
    return TEXT
  }

  /** Hands on what waited for its step. */
  private release(): void {
    const { held, step } = this.state
    this.state.known = true
    if (held.length === 0) return
    this.state.held = []
    for (const { at, keys, values } of held)
      this.also.push({ axis: 'step', x: step, at, keys, values: values.map(Number) })
  }

  /** `step:4 - a/b:0.5 - c:sum:1.0`, numbers rounded to three places (NexRL's console logger). */
  private localLogger(message: string, at: number): Meaning | null {
    const match = LOCAL_LOGGER.exec(message)
    if (match === null) return null
    this.trace.plain = false
    const step = Number(match[1])
    const exact = step === this.state.step || !this.state.known ? this.state.full : []
    const keys: string[] = []
    const values: number[] = []
    for (const part of message.slice(match[0].length).split(' - ')) {
      const colon = part.lastIndexOf(':')
      const value = colon <= 0 ? null : pythonNumber(part.slice(colon + 1).trim())
      if (value === null) continue
      const key = part.slice(0, colon)
      if (exact.includes(key)) continue
      keys.push(key)
      values.push(value)
    }
    const byTrainer = message.includes('training/global_step:')
    if (step > this.state.step || !this.state.known) this.enter(step, byTrainer)
    else if (step === this.state.step && byTrainer) this.state.done = true
    return row('step', step, at, keys, values)
  }

  private timer(message: string, at: number): Meaning | null {
    const match = TIMER.exec(message)
    const elapsed = pythonNumber(match?.[2] ?? '')
    if (match === null || elapsed === null) return null
    const keys = this.same(`timer ${match[1] ?? ''}`, [`timer/${match[1] ?? ''}`])
    return row('wall', at, at, keys, [elapsed])
  }

  private decodeBatch(message: string, at: number): Meaning | null {
    if (!DECODE.test(message)) return null
    const keys: string[] = []
    const values: number[] = []
    for (const [, name = '', text = ''] of message.matchAll(DECODE_PART)) {
      const value = pythonNumber(text)
      const key = DECODE_KEYS[name]
      if (value === null || key === undefined) continue
      keys.push(key)
      values.push(value)
    }
    return row('wall', at, at, this.same('Decode batch', keys), values)
  }

  /** The array of keys that lines of this name had before, when it holds the same. */
  private same(name: string, keys: readonly string[]): readonly string[] {
    const before = this.lastKeys.get(name)
    if (before?.length === keys.length && before.every((key, i) => key === keys[i])) return before
    this.lastKeys.set(name, keys)
    return keys
  }

  private event(message: string, at: number): Meaning | null {
    const event = recogniseEvent(message)
    if (event === null) return null
    if (event.kind === 'step-completed') {
      const step = Number(event.data['step'])
      this.enter(step, true)
      return { kind: 'event', event, at, step }
    }
    if (event.kind === 'nexrl-boot') this.enter(0, false)
    return { kind: 'event', event, at }
  }

  private enter(step: number, done: boolean): void {
    if (step !== this.state.step && this.state.known) this.state.full = []
    this.state.step = step
    this.state.done = done
    if (!this.state.known) this.release()
  }

  private bar(message: string): Meaning | null {
    const bar = parseBar(message.startsWith('(') ? peelHead(message).message : message)
    return bar === null ? null : { kind: 'bar', bar }
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function row(
  axis: Axis,
  x: number,
  at: number,
  keys: readonly string[],
  values: number[]
): Meaning {
  return keys.length === 0 ? TEXT : { kind: 'row', row: { axis, x, at, keys, values } }
}

function axisOf(word: string): Axis {
  switch (word) {
    case 'step':
    case 'critic-step':
      return 'step'
    case 'eval':
      return 'eval'
    default:
      return 'rollout'
  }
}

function memory(message: string, at: number): Meaning | null {
  const match = MEMORY.exec(message)
  if (match === null) return null
  const { keys, values } = readPythonDict(message, match[0].length)
  const named = keys.map((key) => `memory/rank${match[1] ?? ''}/${key}`)
  return row('wall', at, at, named, values)
}
