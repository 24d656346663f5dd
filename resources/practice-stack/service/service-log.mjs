/**
 * A service's log and its share of the practice journal.
 *
 * Every text goes to the log in one write and is then counted in the journal, so that a reader of
 * the log can prove that it has every line once. A kill between the two leaves the log ahead by that
 * write; the next start counts it (`caught-up`).
 */
import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync
} from 'node:fs'
import { join } from 'node:path'

const NEWLINE = 0x0a

/** @param {number} now Unix milliseconds */
export function logTime(now) {
  return new Date(now).toISOString().slice(0, 19).replace('T', ' ')
}

export class ServiceLog {
  /**
   * @param {string} runDir
   * @param {string} service
   */
  constructor(runDir, service) {
    this.service = service
    this.path = join(runDir, service, `${service}.log`)
    this.journalPath = join(runDir, 'practice-journal.jsonl')
    const counted = this.countedBefore()
    this.lines = counted.lines
    this.bytes = counted.bytes
    this.catchUp()
    this.journal({ kind: 'start', pid: process.pid, bytes: this.bytes, lines: this.lines })
  }

  /** The last count of this service in the journal. */
  countedBefore() {
    const counted = { lines: 0, bytes: 0 }
    for (const line of textOf(this.journalPath).split('\n')) {
      if (line === '') continue
      const entry = parseLine(line)
      if (entry?.service !== this.service || typeof entry.bytes !== 'number') continue
      counted.bytes = entry.bytes
      counted.lines = entry.lines
    }
    return counted
  }

  /** Counts what an earlier process wrote and could not count any more. */
  catchUp() {
    const descriptor = openSync(this.path, 'a+', 0o644)
    const { size } = fstatSync(descriptor)
    if (size > this.bytes) {
      const rest = Buffer.alloc(size - this.bytes)
      readSync(descriptor, rest, 0, rest.length, this.bytes)
      if (rest[rest.length - 1] !== NEWLINE) writeSync(descriptor, '\n')
      const lines = rest.filter((byte) => byte === NEWLINE).length
      this.bytes = statSync(this.path).size
      this.lines += rest[rest.length - 1] === NEWLINE ? lines : lines + 1
      this.journal({ kind: 'caught-up', bytes: this.bytes, lines: this.lines })
    }
    closeSync(descriptor)
  }

  /** @param {Record<string, unknown>} entry */
  journal(entry) {
    const line = { at: Date.now() / 1000, service: this.service, ...entry }
    appendFileSync(this.journalPath, `${JSON.stringify(line)}\n`)
  }

  /**
   * Writes whole lines; the service's standard output is its log file.
   * @param {string[]} lines
   */
  write(...lines) {
    const text = Buffer.from(`${lines.join('\n')}\n`)
    const count = text.filter((byte) => byte === NEWLINE).length
    for (let done = 0; done < text.length;) done += writeSync(1, text, done)
    this.bytes += text.length
    this.lines += count
    this.journal({ kind: 'log', bytes: this.bytes, lines: this.lines })
  }

  /**
   * A line with the head that Slime's processes print.
   * @param {string} file `name.py:line`
   * @param {string} message
   */
  say(file, message) {
    this.write(`[${logTime(Date.now())}] ${file} - ${message}`)
  }

  /**
   * A metric line: printed, and kept in the journal with its values.
   * @param {string} prefix actor prefix and place, e.g. `(Actor pid=1) … model.py:918`
   * @param {string} name `step`, `rollout`, …
   * @param {number} number
   * @param {Record<string, number>} values
   */
  metrics(prefix, name, number, values) {
    const from = this.bytes
    this.write(`${prefix} - ${name} ${number}: ${pythonDict(values)}`)
    const exact = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        Number.isFinite(value) ? value : String(value)
      ])
    )
    this.journal({ kind: 'metric', name, number, from, values: exact })
  }
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** @param {string} line */
function parseLine(line) {
  try {
    return JSON.parse(line)
  } catch {
    // A kill can tear the journal's last line; its count is found again by `catchUp`.
    return null
  }
}

/** Keys whose values Python holds as whole numbers. */
const WHOLE = /(^train\/(step|global_batch_size|critic-global_batch_size)$)/

/**
 * Text of a Python float, as `repr` writes it.
 * @param {number} value
 */
export function pythonFloat(value) {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, exponent = '0'] = value.toExponential().split('e')
    const power = Math.abs(Number(exponent)).toString().padStart(2, '0')
    return `${digits}e${Number(exponent) < 0 ? '-' : '+'}${power}`
  }
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}

/**
 * Text of a Python dict of numbers.
 * @param {Record<string, number>} values
 */
export function pythonDict(values) {
  const items = Object.entries(values).map(([key, value]) => {
    const text = WHOLE.test(key) ? String(value) : pythonFloat(value)
    return `'${key}': ${text}`
  })
  return `{${items.join(', ')}}`
}
