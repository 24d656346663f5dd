import type { Axis } from '../../../contract/metrics'
import type { Row } from '../model'
import { timeOf } from './delimited'
import { jsonNumber, numbersOf, parsePythonJson } from './json-numbers'
import { axisOfKey, rowsByAxis, tornTail, type ChunkParser, type Sink } from './parser'

const STEP_KEYS = ['step', '_step', 'iteration', 'global_step']
const TIME_KEYS = ['_timestamp', 'timestamp', 'wall_time', 'time', 'at', 'recorded_at']

/**
 * JSON Lines, an object a line; nested names are joined with `/`. Lines of Reef's commit log
 * (`record: "reef-commit/…"`) give their `metrics` on the commit axis.
 */
export class JsonLinesParser implements ChunkParser {
  private offset = 0
  private row = 0

  push(chunk: Buffer, sink: Sink): number {
    let used = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, used)) {
      this.line(chunk.toString('utf8', used, end), this.offset + used, sink)
      used = end + 1
    }
    this.offset += used
    return used
  }

  passOver(bytes: number): void {
    this.offset += bytes
  }

  end(rest: Buffer, sink: Sink): void {
    const text = rest.toString('utf8').trim()
    if (text === '') return
    if (parsePythonJson(text) === null) sink.problem(tornTail(this.offset, rest.length))
    else this.line(text, this.offset, sink)
  }

  private line(raw: string, offset: number, sink: Sink): void {
    const text = raw.trim()
    if (text === '') return
    const value = parsePythonJson(text)?.value
    const index = this.row++
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      sink.problem({
        code: 'bad-line',
        offset,
        what: {
          en: `The line at byte ${String(offset)} is no JSON object and was passed over.`,
          zh: `第 ${String(offset)} 字节处的行不是 JSON 对象，已跳过。`
        }
      })
      return
    }
    for (const row of recordRows(value, index)) sink.row(row)
  }
}

/** Rows of one record; without a step of its own it stands at `index`. Nested names are joined with `/`. */
export function recordRows(value: object, index: number): Row[] {
  const record = new Map<string, unknown>(Object.entries(value))
  const at = timeOfKeys(record)
  const step = STEP_KEYS.map((key) => jsonNumber(record.get(key))).find((x) => x !== null)
  const commit = String(record.get('record')).startsWith('reef-commit/')
  const numbers = numbersOf(commit ? record.get('metrics') : value, '', '/')
  const named = new Map(numbers)
  const place = (key: string): { axis: Axis; x: number } => {
    if (commit) return { axis: 'commit', x: step ?? index }
    const axis = axisOfKey(key)
    const own = named.get(axis === 'step' ? 'train/step' : `${axis}/step`)
    return { axis, x: own ?? step ?? index }
  }
  const metrics = numbers.filter(([key]) => !STEP_KEYS.includes(key) && !TIME_KEYS.includes(key))
  return rowsByAxis(metrics, at, place)
}

function timeOfKeys(record: ReadonlyMap<string, unknown>): number {
  for (const key of TIME_KEYS) {
    const value = record.get(key)
    if (typeof value === 'number' || typeof value === 'string') return timeOf(String(value))
  }
  return 0
}
