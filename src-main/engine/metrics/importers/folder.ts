import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode, fail } from '../../lib'
import { openMetricStore } from '../metric-store'
import { badChecksum, tornTail, type Sink } from './parser'

/** Folders of a training run are shallow; what lies deeper is not looked for. */
const DEEPEST = 5
/** Entries looked at, so that a home folder given by mistake ends soon. */
const MOST_ENTRIES = 20_000

/** What a path holds: the metrics Slipway keeps of a run, or files to read one by one. */
type MetricPlace = { kind: 'store'; folder: string } | { kind: 'files'; files: string[] }

/**
 * Looks what there is to read at a path: a run folder, its `metrics` folder or the `journal.bin` in there; a folder with
 * TensorBoard or W&B files somewhere inside; a single file.
 * @throws FailureError `metrics-file-not-found`, `metrics-folder-empty`.
 */
export async function findMetrics(path: string): Promise<MetricPlace> {
  const facts = await stat(path).catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT' || errorCode(cause) === 'ENOTDIR') return null
    throw cause
  })
  if (facts === null) notFound(path)
  if (!facts.isDirectory()) {
    return basename(path) === 'journal.bin'
      ? { kind: 'store', folder: dirname(path) }
      : { kind: 'files', files: [path] }
  }
  for (const folder of [path, join(path, 'metrics')]) {
    if (await isFile(join(folder, 'journal.bin'))) return { kind: 'store', folder }
  }
  const files = await trackerFiles(path)
  if (files.length === 0) noMetrics(path)
  return { kind: 'files', files }
}

/** Whether a tracker writes files of this name. */
export function isTrackerFile(name: string): boolean {
  return name.startsWith('events.out.tfevents.') || name.endsWith('.wandb')
}

/** Hands on everything a store keeps, key by key, and what of its journal could not be read. */
export async function readStore(folder: string, sink: Sink): Promise<void> {
  const store = await openMetricStore(folder)
  try {
    for (const { key } of store.keys()) {
      const keys = [key]
      for await (const { axis, x, at, value } of store.samples(key)) {
        sink.row({ axis, x, at, keys, values: [value] })
      }
    }
    const { unread } = store
    if (unread?.kind === 'torn') sink.problem(tornTail(unread.offset, unread.bytes))
    if (unread?.kind === 'damaged') sink.problem(badChecksum(unread.offset))
  } finally {
    await store.close()
  }
}

async function trackerFiles(root: string): Promise<string[]> {
  const found: string[] = []
  let seen = 0
  let level = [root]
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const next: string[] = []
    for (const folder of level) {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (++seen > MOST_ENTRIES) return found.sort()
        if (entry.isDirectory()) next.push(join(folder, entry.name))
        else if (entry.isFile() && isTrackerFile(entry.name)) found.push(join(folder, entry.name))
      }
    }
    level = next
  }
  return found.sort()
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' || errorCode(cause) === 'ENOTDIR') return false
    throw cause
  }
}

function notFound(path: string): never {
  fail({
    code: 'metrics-file-not-found',
    what: { en: 'There is no such file or folder.', zh: '没有这个文件或文件夹。' },
    where: path,
    remedy: { en: 'Check the path.', zh: '请检查路径。' }
  })
}

function noMetrics(path: string): never {
  fail({
    code: 'metrics-folder-empty',
    what: {
      en: 'This folder is no run of Slipway and holds no TensorBoard or W&B files.',
      zh: '该文件夹不是 Slipway 的运行，其中也没有 TensorBoard 或 W&B 文件。'
    },
    where: path,
    remedy: {
      en: 'Name a run folder, a folder with events.out.tfevents.* or *.wandb files, or a single log, CSV or JSONL file.',
      zh: '请指定运行文件夹、含 events.out.tfevents.* 或 *.wandb 的文件夹，或单个日志、CSV、JSONL 文件。'
    }
  })
}
