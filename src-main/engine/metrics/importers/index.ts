import { type FileHandle, open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Text } from '../../../contract/text'
import { errorCode, fail } from '../../lib'
import { type PackedEnd, packedFault, unpacked } from '../../logs'
import { DelimitedParser } from './delimited'
import { JsonFileParser } from './json-file'
import { JsonLinesParser } from './json-lines'
import { LogParser } from './log'
import { type ChunkParser, longLine, type Sink, type TrackerParser } from './parser'
import { looksLikeTfEvents, TfEventsParser } from './tfevents'
import { looksLikeWandb, WandbParser } from './wandb'

export { findMetrics, isTrackerFile, readStore } from './folder'
export { isDamage } from './parser'
export type { Problem, TrackerParser } from './parser'

export type MetricFormat = 'log' | 'tfevents' | 'wandb' | 'csv' | 'jsonl' | 'json'

/** What is said of a file that was read to its end and gave nothing, and what would be read. */
export function nothingIn(format: MetricFormat): Text {
  switch (format) {
    case 'log':
      return {
        en: 'Read as a log, and no line of it is a metric of a known stack (Slime, Reef, SGLang, NexRL, HF Trainer). Numbers of another program are read from CSV or JSONL with a step column.',
        zh: '已按日志读取，其中没有任何一行是已知运行栈（Slime、Reef、SGLang、NexRL、HF Trainer）的指标。其他程序的数值请保存为带步数列的 CSV 或 JSONL。'
      }
    case 'tfevents':
      return {
        en: 'Read as a TensorBoard event file, and there is no scalar in it.',
        zh: '已按 TensorBoard 事件文件读取，其中没有标量。'
      }
    case 'wandb':
      return {
        en: 'Read as a W&B offline file, and there is no number in its history.',
        zh: '已按 W&B 离线文件读取，其历史中没有数值。'
      }
    case 'csv':
      return {
        en: 'Read as a table, and no row of it has a number. A head line with names (such as step,loss) and a row for each step are read.',
        zh: '已按表格读取，其中没有任何一行含数值。可读取的是：首行为列名（例如 step,loss），之后每步一行。'
      }
    case 'jsonl':
    case 'json':
      return {
        en: 'Read as JSON, and no record of it has a number. Read are an object a line, a list of objects, and the log_history of a trainer_state.json.',
        zh: '已按 JSON 读取，其中没有任何记录含数值。可读取的是：每行一个对象、对象的列表，或 trainer_state.json 的 log_history。'
      }
  }
}

const CHUNK = 1024 * 1024
const HEAD = 4096

/** How a list of objects begins, and an object that is written over several lines. A log begins with `[2026-…`. */
const LIST = /^\s*\[\s*\{\s*"/
const DOCUMENT = /^\s*(?:\[\s*\{\s*"|\{\s*\n\s*")/

/** Which reader a file wants, by what it begins with and by its name. */
export function formatOf(name: string, head: Buffer): MetricFormat {
  if (looksLikeWandb(head)) return 'wandb'
  if (basename(name).includes('tfevents') || looksLikeTfEvents(head)) return 'tfevents'
  const text = head.toString('latin1', 0, 64).replace(/^\xef\xbb\xbf/, '')
  switch (extname(name).toLowerCase()) {
    case '.csv':
    case '.tsv':
      return 'csv'
    case '.jsonl':
    case '.ndjson':
      return LIST.test(text) ? 'json' : 'jsonl'
    case '.wandb':
      return 'wandb'
    case '.json':
      return /^\s*[[{]/.test(text) ? 'json' : 'log'
    default:
      if (DOCUMENT.test(text)) return 'json'
      return /^\s*\{"/.test(text) ? 'jsonl' : 'log'
  }
}

function parserOf(format: MetricFormat): ChunkParser {
  switch (format) {
    case 'wandb':
      return new WandbParser()
    case 'tfevents':
      return new TfEventsParser()
    case 'csv':
      return new DelimitedParser()
    case 'jsonl':
      return new JsonLinesParser()
    case 'json':
      return new JsonFileParser()
    case 'log':
      return new LogParser()
  }
}

/** A parser that goes on in a tracker's file at a byte that `safe` gave before. */
export function trackerParser(path: string, offset: number): TrackerParser {
  return path.endsWith('.wandb') ? new WandbParser(offset) : new TfEventsParser(offset)
}

/**
 * Reads any supported file of this machine from its beginning: a stack's log, a TensorBoard event file, a W&B offline
 * file, CSV, JSON Lines or a JSON document, packed with gzip or not. Damage ends the reading or passes over a line, and is told to the
 * sink; of a packed file that is cut off the last line is left out, for a number in it may have lost digits.
 * @throws FailureError `metrics-file-not-found`, `metrics-file-unreadable`, `metrics-file-empty`, `metrics-file-binary`,
 * `metrics-file-packed`.
 */
export async function readMetricFile(path: string, sink: Sink): Promise<MetricFormat> {
  const handle = await open(path, 'r').catch((cause: unknown) => unreadable(path, cause))
  try {
    const chunks = chunksOf(handle, path)
    const begin = await chunks.next()
    if (begin.done === true && begin.value !== 'whole') nothingUnpacked(path)
    const first = begin.done === true ? Buffer.alloc(0) : begin.value
    const head = first.subarray(0, HEAD)
    const format = formatOf(path.replace(/\.gz$/i, ''), head)
    if (head.length === 0) emptyFile(path)
    if (format !== 'wandb' && format !== 'tfevents' && isBinary(head)) unknownFormat(path)
    await readChunks(first, chunks, { format, name: basename(path) }, sink)
    return format
  } finally {
    await handle.close()
  }
}

/** No line of numbers is longer; whole files that were written without a line end must not be gathered in memory. */
const LONGEST_LINE = 1024 * 1024
const LINE_FEED = 10

async function readChunks(
  first: Buffer,
  more: Chunks,
  { format, name }: { format: MetricFormat; name: string },
  sink: Sink
): Promise<void> {
  const parser = parserOf(format)
  const lines = format === 'csv' || format === 'jsonl'
  let rest = Buffer.alloc(0)
  let skipping = false
  let position = 0
  let next: IteratorResult<Buffer, PackedEnd> = { done: false, value: first }
  for (; next.done !== true; next = await more.next()) {
    position += next.value.length
    let data = Buffer.concat([rest, next.value])
    if (skipping) {
      const end = data.indexOf(LINE_FEED)
      const over = end === -1 ? data.length : end + 1
      parser.passOver?.(over)
      skipping = end === -1
      data = data.subarray(over)
    }
    rest = data.subarray(parser.push(data, sink))
    if (!lines || rest.length <= LONGEST_LINE) continue
    sink.problem(longLine(position - rest.length, LONGEST_LINE))
    parser.passOver?.(rest.length)
    rest = Buffer.alloc(0)
    skipping = true
  }
  const fault = packedFault(name, next.value)
  if (fault !== null) sink.problem({ code: 'bad-packed', offset: position, what: fault })
  if (fault === null) parser.end(rest, sink)
  else parser.end(Buffer.alloc(0), withoutRows(sink))
}

/** Of a file that is cut off nobody knows whether its table had rows. */
function withoutRows(sink: Sink): Sink {
  return {
    row: (row) => sink.row(row),
    problem: (problem) => {
      if (problem.code !== 'no-rows') sink.problem(problem)
    }
  }
}

type Chunks = AsyncGenerator<Buffer, PackedEnd, undefined>

/** The file from its beginning; a packed one as what was packed, as far as that can be told. */
async function* chunksOf(handle: FileHandle, path: string): Chunks {
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const data = Buffer.alloc(length)
    const { bytesRead } = await handle
      .read(data, 0, length, offset)
      .catch((cause: unknown) => unreadable(path, cause))
    return data.subarray(0, bytesRead)
  }
  if (isGzip(await read(0, GZIP.length))) {
    return yield* unpacked({ read: (_, offset, length) => read(offset, length) }, path)
  }
  for (let offset = 0; ;) {
    const chunk = await read(offset, CHUNK)
    if (chunk.length === 0) return 'whole'
    offset += chunk.length
    yield chunk
  }
}

/** How every gzip file begins (RFC 1952). */
const GZIP = [0x1f, 0x8b]

function isGzip(head: Buffer): boolean {
  return GZIP.every((byte, index) => head[index] === byte)
}

/** Control characters that no text has more of than here and there; colours and bars use the ones left out. */
const MOST_CONTROLS = 1 / 50

/** Whether bytes are no text of any encoding: zero bytes, or control characters all over. */
function isBinary(head: Buffer): boolean {
  let controls = 0
  for (const byte of head) {
    if (byte === 0) return true
    if (byte < 32 && !(byte >= 7 && byte <= 13) && byte !== 27) controls++
  }
  return controls > head.length * MOST_CONTROLS
}

function emptyFile(path: string): never {
  fail({
    code: 'metrics-file-empty',
    what: { en: 'The file is empty.', zh: '文件为空。' },
    where: path,
    remedy: {
      en: 'If a run is to write it, look again when it has begun.',
      zh: '如果它由某个运行写入，请在运行开始后再看。'
    }
  })
}

function nothingUnpacked(path: string): never {
  fail({
    code: 'metrics-file-packed',
    what: {
      en: 'Nothing of this packed file can be unpacked: it is cut short or damaged.',
      zh: '该压缩文件无法解压出任何内容：文件不完整或已损坏。'
    },
    where: path,
    remedy: { en: 'Copy it again from where it came.', zh: '请从原处重新复制。' }
  })
}

function unknownFormat(path: string): never {
  fail({
    code: 'metrics-file-binary',
    what: {
      en: 'The file is neither text nor a TensorBoard or W&B file.',
      zh: '该文件既不是文本，也不是 TensorBoard 或 W&B 文件。'
    },
    where: path,
    remedy: {
      en: 'Readable are logs, TensorBoard event files, W&B offline files, CSV, JSONL and JSON.',
      zh: '可读取日志、TensorBoard 事件文件、W&B 离线文件、CSV、JSONL 和 JSON。'
    }
  })
}

function unreadable(path: string, cause: unknown): never {
  const missing = errorCode(cause) === 'ENOENT'
  fail(
    {
      code: missing ? 'metrics-file-not-found' : 'metrics-file-unreadable',
      what: missing
        ? { en: 'There is no such file.', zh: '没有这个文件。' }
        : { en: 'The file cannot be read.', zh: '无法读取该文件。' },
      where: path,
      remedy: {
        en: 'Check the path and that you may read it.',
        zh: '请检查路径以及是否有读取权限。'
      },
      detail: cause instanceof Error ? cause.message : String(cause)
    },
    cause
  )
}
