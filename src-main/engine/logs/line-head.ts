/** What stands before the message of a log line. Absent parts are undefined. */
export interface LineHead {
  /** Ray actor class (`RolloutManager`), `raylet`, `autoscaler`, … */
  actor?: string
  pid?: number
  /** Address of another node. */
  ip?: string
  /** The stamp, read as if it were UTC: Unix milliseconds. The line does not say its time zone. */
  stamp?: number
  /** Logger name (`nexrl.trainer`) or file (`model.py`). */
  logger?: string
  level?: 'debug' | 'info' | 'warning' | 'error'
  /** SGLang worker rank of the head, e.g. `TP0`. */
  rank?: string
  /** How often Ray's log deduplication says it saw the line. */
  repeated?: number
  message: string
}

// eslint-disable-next-line no-control-regex -- colours are control characters
const ANSI = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g
const RAY = /^\(([^()\s]+)?(?: ?pid=(\d+))?(?:, ip=([^)\s]+))?(?: \+[\dhms]+)?\)\s/
const STAMP = /^\[(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?([^\]]*)\]/
const BAR_END = /(?:\||\])(\([^()]+\) )?$/
const PYTHON_HEAD = /^ ([^\s:\]]+):(\d+) - /
const HYDRA_HEAD = /^\[([^\]]+)\]\[([A-Z]+)\] - /
const REPEATED = / ?\[repeated (\d+)x across cluster\](?: \(Ray deduplicates logs.*)?$/

/** Takes terminal colours and other escape sequences out. */
export function stripAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(ANSI, '') : text
}

/**
 * Peels a line: Ray's prefix and repeat note (Ray log deduplication), then the heads that Slime's
 * `logging.basicConfig`, Hydra and SGLang write.
 */
export function peelHead(line: string): LineHead {
  const head: LineHead = { message: stripAnsi(line) }
  peelRay(head)
  peelStamp(head)
  if (head.message.endsWith(')') || head.message.endsWith(']')) peelRepeat(head)
  return head
}

/** Prefixes seen, for a run has few of them and repeats each on nearly every line. */
const seenPrefixes = new Map<string, RegExpExecArray | null>()
const MOST_PREFIXES = 512

function peelRay(head: LineHead): void {
  if (!head.message.startsWith('(')) return
  const prefix = head.message.slice(0, head.message.indexOf(')') + 2)
  if (peelPrefix(head, prefix)) head.message = head.message.slice(prefix.length)
}

/** Notes what Ray's prefix says; false when it is none. */
function peelPrefix(head: LineHead, prefix: string): boolean {
  let match = seenPrefixes.get(prefix)
  if (match === undefined) {
    match = RAY.exec(prefix)
    if (seenPrefixes.size < MOST_PREFIXES) seenPrefixes.set(prefix, match)
  }
  if (match === null) return false
  if (match[1] !== undefined) head.actor = match[1]
  if (match[2] !== undefined) head.pid = Number(match[2])
  if (match[3] !== undefined) head.ip = match[3]
  return true
}

function peelStamp(head: LineHead): void {
  const text = head.message
  const open = text.startsWith('[') ? 0 : text.search(/\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/)
  if (open < 0) return
  if (open > 0) {
    // A bar has no line end of its own: a log line can stand right behind it, Ray's prefix first.
    const bar = BAR_END.exec(text.slice(0, open))
    if (bar === null) return
    if (bar[1] !== undefined && !peelPrefix(head, bar[1])) return
  }
  const rest = open === 0 ? text : text.slice(open)
  if (rest.charCodeAt(20) === 93 && rest.startsWith(lastSecond.text, 1) && lastSecond.text !== '') {
    head.stamp = lastSecond.millis
    head.message = rest.slice(21)
    peelLogger(head)
    return
  }
  const match = STAMP.exec(rest)
  if (match === null) return
  head.stamp = stampOf(match)
  const rank = match[8]?.trim()
  if (rank) head.rank = rank
  head.message = rest.slice(match[0].length)
  peelLogger(head)
}

function peelLogger(head: LineHead): void {
  const python = PYTHON_HEAD.exec(head.message)
  if (python !== null) {
    if (python[1] !== undefined) head.logger = python[1]
    head.message = head.message.slice(python[0].length)
    return
  }
  const hydra = HYDRA_HEAD.exec(head.message)
  if (hydra !== null) {
    if (hydra[1] !== undefined) head.logger = hydra[1]
    const level = levelOf(hydra[2])
    if (level !== undefined) head.level = level
    head.message = head.message.slice(hydra[0].length)
    return
  }
  if (head.message.startsWith(' ')) head.message = head.message.slice(1)
}

function peelRepeat(head: LineHead): void {
  if (!head.message.includes('[repeated ')) return
  const match = REPEATED.exec(head.message)
  if (match === null) return
  head.repeated = Number(match[1])
  head.message = head.message.slice(0, match.index)
}

let lastSecond = { text: '', millis: 0 }

/** Lines come in bursts of the same second: its number is worked out once. */
function stampOf(match: RegExpExecArray): number {
  const second = match[0].slice(1, 20)
  if (second !== lastSecond.text) lastSecond = { text: second, millis: secondOf(match) }
  const fraction = match[7]
  return (
    lastSecond.millis + (fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * 1000))
  )
}

function secondOf(match: RegExpExecArray): number {
  const [, year, month, day, hour, minute, second] = match.map(Number)
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second)
}

function levelOf(name: string | undefined): LineHead['level'] {
  switch (name) {
    case 'DEBUG':
      return 'debug'
    case 'INFO':
      return 'info'
    case 'WARN':
    case 'WARNING':
      return 'warning'
    case 'ERROR':
    case 'CRITICAL':
    case 'FATAL':
      return 'error'
    default:
      return undefined
  }
}
