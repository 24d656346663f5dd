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
}

export function freshParserState(): ParserState {
  return { zone: null, last: null, step: 0, done: false, full: [] }
}

/** What one unit of text meant. */
export type Meaning =
  | { kind: 'row'; row: Row }
  | { kind: 'event'; event: Recognised; at: number; step?: number }
  | { kind: 'bar'; bar: Bar }
  | { kind: 'text' }

const TEXT: Meaning = { kind: 'text' }
const STAMPED = /\[\d{4}-\d\d-/
const SLIME = /^((?:critic-)?step|rollout|perf|eval|multi_turn|passrate) (\d+): (?=\{)/
const NEXRL_DICT = /^(rollout metrics|combined_metrics|Validation metrics): (?=\{)/
const LOCAL_LOGGER = /^step:(\d+) - /
const TIMER = /^Timer (\S+) end \(elapsed: ([\d.]+)s\)/
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

  constructor(
    readonly state: ParserState,
    private readonly role: 'service' | 'launcher' = 'service'
  ) {}

  /**
   * @param text one unit, without its terminator.
   * @param arrival Unix milliseconds to use when nothing in the source tells the time.
   */
  read(text: string, arrival: number): Meaning {
    if (this.role === 'launcher') return this.launcher(text, arrival)
    const drawn = text.includes('%|') && !STAMPED.test(text) ? this.bar(stripAnsi(text)) : null
    if (drawn !== null) return drawn
    const head = peelHead(text)
    const at = this.timeOf(head, arrival)
    return this.metric(head, at) ?? this.event(head.message, at) ?? this.bar(head.message) ?? TEXT
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
    if (head.stamp !== undefined) this.state.last = head.stamp + (this.state.zone ?? 0)
    return this.state.last ?? arrival
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
        return timer(message, at)
      case 68: // D
        return decodeBatch(head, at)
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
    const before = this.lastKeys.get(word)
    const { keys, values } = readPythonDict(message, whole.length, before)
    const same = before !== undefined && isSame(before, keys)
    if (!same) this.lastKeys.set(word, keys)
    return row(axisOf(word), Number(number), at, same ? before : keys, values)
  }

  private nexrlDict(message: string, at: number): Meaning | null {
    const match = NEXRL_DICT.exec(message)
    if (match === null) return null
    const read = readPythonDict(message, match[0].length)
    const combined = match[1] === 'combined_metrics'
    const keys = combined ? read.keys.map((key) => `training/${key}`) : read.keys
    // The dicts carry no step: they come before their step is said to be completed.
    if (this.state.done) this.enter(this.state.step + 1, false)
    this.state.full.push(...keys)
    return row('step', this.state.step, at, keys, read.values)
  }

  /** `step:4 - a/b:0.5 - c:sum:1.0`, numbers rounded to three places (NexRL's console logger). */
  private localLogger(message: string, at: number): Meaning | null {
    const match = LOCAL_LOGGER.exec(message)
    if (match === null) return null
    const step = Number(match[1])
    const exact = step === this.state.step ? this.state.full : []
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
    if (step > this.state.step) this.enter(step, byTrainer)
    else if (step === this.state.step && byTrainer) this.state.done = true
    return row('step', step, at, keys, values)
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
    if (step !== this.state.step) this.state.full = []
    this.state.step = step
    this.state.done = done
  }

  private bar(message: string): Meaning | null {
    const bar = parseBar(message.startsWith('(') ? peelHead(message).message : message)
    return bar === null ? null : { kind: 'bar', bar }
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i])
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

function timer(message: string, at: number): Meaning | null {
  const match = TIMER.exec(message)
  if (match === null) return null
  return row('wall', at, at, [`timer/${match[1] ?? ''}`], [Number(match[2])])
}

function memory(message: string, at: number): Meaning | null {
  const match = MEMORY.exec(message)
  if (match === null) return null
  const { keys, values } = readPythonDict(message, match[0].length)
  const named = keys.map((key) => `memory/rank${match[1] ?? ''}/${key}`)
  return row('wall', at, at, named, values)
}

function decodeBatch(head: LineHead, at: number): Meaning | null {
  if (!DECODE.test(head.message)) return null
  const keys: string[] = []
  const values: number[] = []
  for (const [, name = '', text = ''] of head.message.matchAll(DECODE_PART)) {
    const value = pythonNumber(text)
    const key = DECODE_KEYS[name]
    if (value === null || key === undefined) continue
    keys.push(key)
    values.push(value)
  }
  return row('wall', at, at, keys, values)
}
