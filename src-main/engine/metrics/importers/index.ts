import { open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { errorCode, fail } from '../../lib'
import { DelimitedParser } from './delimited'
import { JsonLinesParser } from './json-lines'
import { LogParser } from './log'
import type { ChunkParser, Sink, TrackerParser } from './parser'
import { looksLikeTfEvents, TfEventsParser } from './tfevents'
import { looksLikeWandb, WandbParser } from './wandb'

export { findMetrics, isTrackerFile, readStore } from './folder'
export type { Problem, TrackerParser } from './parser'

export type MetricFormat = 'log' | 'tfevents' | 'wandb' | 'csv' | 'jsonl'

const CHUNK = 1024 * 1024
const HEAD = 4096

/** Which reader a file wants, by what it begins with and by its name. */
export function formatOf(name: string, head: Buffer): MetricFormat {
  if (looksLikeWandb(head)) return 'wandb'
  if (basename(name).includes('tfevents') || looksLikeTfEvents(head)) return 'tfevents'
  switch (extname(name).toLowerCase()) {
    case '.csv':
    case '.tsv':
      return 'csv'
    case '.jsonl':
    case '.ndjson':
      return 'jsonl'
    case '.wandb':
      return 'wandb'
    default:
      return /^\s*\{"/.test(head.toString('latin1', 0, 64)) ? 'jsonl' : 'log'
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
 * file, CSV or JSON Lines. Damage ends the reading or passes over a line, and is told to the sink.
 * @throws FailureError `metrics-file-not-found`, `metrics-file-unreadable`, `metrics-file-empty`, `metrics-file-binary`.
 */
export async function readMetricFile(path: string, sink: Sink): Promise<MetricFormat> {
  const handle = await open(path, 'r').catch((cause: unknown) => unreadable(path, cause))
  try {
    const head = Buffer.alloc(HEAD)
    const { bytesRead } = await handle
      .read(head, 0, HEAD, 0)
      .catch((cause: unknown) => unreadable(path, cause))
    const format = formatOf(path, head.subarray(0, bytesRead))
    if (bytesRead === 0) emptyFile(path)
    if (format !== 'wandb' && format !== 'tfevents' && isBinary(head.subarray(0, bytesRead))) {
      unknownFormat(path)
    }
    const parser = parserOf(format)
    let rest = Buffer.alloc(0)
    for (let position = 0; ;) {
      const chunk = Buffer.alloc(CHUNK)
      const read = await handle.read(chunk, 0, CHUNK, position)
      if (read.bytesRead === 0) break
      position += read.bytesRead
      const data = Buffer.concat([rest, chunk.subarray(0, read.bytesRead)])
      rest = data.subarray(parser.push(data, sink))
    }
    parser.end(rest, sink)
    return format
  } finally {
    await handle.close()
  }
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

function unknownFormat(path: string): never {
  fail({
    code: 'metrics-file-binary',
    what: {
      en: 'The file is neither text nor a TensorBoard or W&B file.',
      zh: '该文件既不是文本，也不是 TensorBoard 或 W&B 文件。'
    },
    where: path,
    remedy: {
      en: 'Readable are logs, TensorBoard event files, W&B offline files, CSV and JSONL.',
      zh: '可读取日志、TensorBoard 事件文件、W&B 离线文件、CSV 和 JSONL。'
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
