import { recordRows, JsonLinesParser } from './json-lines'
import { parsePythonJson } from './json-numbers'
import type { ChunkParser, Problem, Sink } from './parser'

/** A document is understood only as a whole, and must fit in memory. */
const LONGEST = 256 * 1024 * 1024
const LINE_FEED = 10

/**
 * A whole JSON document: a list of records, an object that holds one as `log_history` (`trainer_state.json` of the HF
 * Trainer), or a single record. Records are read as those of JSON Lines, and JSON Lines under this name are read too.
 */
export class JsonFileParser implements ChunkParser {
  private readonly chunks: Buffer[] = []
  private length = 0

  push(chunk: Buffer): number {
    this.length += chunk.length
    if (this.length <= LONGEST) this.chunks.push(chunk)
    return chunk.length
  }

  end(rest: Buffer, sink: Sink): void {
    if (this.length > LONGEST) {
      sink.problem(tooLong())
      return
    }
    const bytes = Buffer.concat([...this.chunks, rest])
    const text = bytes.toString('utf8').replace(/^\ufeff/, '')
    const whole = parsePythonJson(text)
    if (whole !== null) readRecords(recordsOf(whole.value), sink)
    else if (beginsWithRecord(bytes)) readLines(bytes, sink)
    else sink.problem(noJson(text))
  }
}

function recordsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const history = isRecord(value) ? value['log_history'] : undefined
  return Array.isArray(history) ? history : [value]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readRecords(all: readonly unknown[], sink: Sink): void {
  for (const [i, record] of all.entries())
    if (isRecord(record)) for (const row of recordRows(record, i)) sink.row(row)
  const others = all.flatMap((record, i) => (isRecord(record) ? [] : [i + 1]))
  if (others[0] !== undefined) sink.problem(noRecords(others.length, all.length, others[0]))
}

function beginsWithRecord(bytes: Buffer): boolean {
  const end = bytes.indexOf(LINE_FEED)
  return end !== -1 && isRecord(parsePythonJson(bytes.toString('utf8', 0, end))?.value)
}

function readLines(bytes: Buffer, sink: Sink): void {
  const lines = new JsonLinesParser()
  const used = lines.push(bytes, sink)
  lines.end(bytes.subarray(used), sink)
}

function tooLong(): Problem {
  const most = String(LONGEST / 1024 / 1024)
  return {
    code: 'bad-json',
    offset: 0,
    what: {
      en: `One JSON document of more than ${most} MiB is not read; write a record a line (JSONL) instead.`,
      zh: `超过 ${most} MiB 的单个 JSON 文档不予读取，请改为每行一条记录（JSONL）。`
    }
  }
}

function noJson(text: string): Problem {
  const why = reasonOf(text)
  return {
    code: 'bad-json',
    offset: 0,
    what: {
      en: `This is no whole JSON: ${why}. If it is still being written, or was cut off, read it again when it is whole.`,
      zh: `这不是完整的 JSON：${why}。如果文件仍在写入或被截断，请在其完整后再读。`
    }
  }
}

/** The words of the language itself for what is wrong and where. */
function reasonOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

function noRecords(count: number, all: number, first: number): Problem {
  return {
    code: 'bad-line',
    offset: 0,
    what: {
      en: `${count} of ${all} ${all === 1 ? 'entry is' : 'entries are'} no JSON object with names and numbers, the first of them entry ${first}, and ${count === 1 ? 'was' : 'were'} passed over.`,
      zh: `${all} 项中有 ${count} 项不是带名称和数值的 JSON 对象，首个是第 ${first} 项，已跳过。`
    }
  }
}
