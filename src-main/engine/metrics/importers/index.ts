import { open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { errorCode, fail } from '../../lib'
import { DelimitedParser } from './delimited'
import { JsonLinesParser } from './json-lines'
import { LogParser } from './log'
import type { ChunkParser, Sink } from './parser'
import { looksLikeTfEvents, TfEventsParser } from './tfevents'
import { looksLikeWandb, WandbParser } from './wandb'

export type { Problem, Sink } from './parser'

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

/**
 * Reads any supported file of this machine from its beginning: a stack's log, a TensorBoard event file, a W&B offline
 * file, CSV or JSON Lines. Damage ends the reading or passes over a line, and is told to the sink.
 * @throws FailureError `metrics-file-unreadable`.
 */
export async function readMetricFile(path: string, sink: Sink): Promise<MetricFormat> {
  const handle = await open(path, 'r').catch((cause: unknown) => unreadable(path, cause))
  try {
    const head = Buffer.alloc(HEAD)
    const { bytesRead } = await handle
      .read(head, 0, HEAD, 0)
      .catch((cause: unknown) => unreadable(path, cause))
    const format = formatOf(path, head.subarray(0, bytesRead))
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
