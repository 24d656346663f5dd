import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { redactor, systemClock } from '../../src-main/engine/lib'
import { LogBook } from '../../src-main/engine/logs'
import { Ingest, openMetricStore } from '../../src-main/engine/metrics'
import { localFiles } from '../../src-main/engine/targets/files/local-files'

export interface BarFigures {
  updates: number
  bytes: number
  /** Most bytes that reading the line for metrics kept at any time, garbage collected. */
  kept: number
  /** Milliseconds until the last lines of the log can be shown: of this one, and of an empty one. */
  milliseconds: number
  emptyMilliseconds: number
}

const TIMES = 15
const POLL_BYTES = 2 * 1024 * 1024

/** Twelve hours of a progress bar in one line: what reading it keeps, and how soon the log page has its lines. */
export async function benchBars(updates = 432_000): Promise<BarFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'))
  try {
    const path = join(folder, 'bars.log')
    const empty = join(folder, 'empty.log')
    await writeBars(path, updates)
    await writeFile(empty, '')
    return {
      updates,
      bytes: (await stat(path)).size,
      kept: await keptWhileReading(path, join(folder, 'metrics')),
      milliseconds: await opening(path, join(folder, 'index')),
      emptyMilliseconds: await opening(empty, join(folder, 'no-index'))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeBars(path: string, updates: number): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (let from = 0; from < updates; from += 10_000) {
      const some = Array.from({ length: Math.min(10_000, updates - from) }, (_, i) => {
        const done = from + i
        const share = Math.floor((done / updates) * 100)
        return `\rRollout generation: ${String(share).padStart(3)}%|${'█'.repeat(share / 10).padEnd(10)}| ${String(done)}/${String(updates)} [04:42<07:33,  1.88it/s]`
      })
      await file.write(some.join(''))
    }
  } finally {
    await file.close()
  }
}

async function keptWhileReading(path: string, folder: string): Promise<number> {
  const store = await openMetricStore(folder)
  const ingest = new Ingest({
    store,
    redact: redactor([]),
    clock: systemClock,
    maxBytes: POLL_BYTES
  })
  ingest.setSources([{ id: '1/a', attempt: 1, path, files: localFiles(), role: 'service' }])
  await ingest.poll()
  const before = await bytesInUse()
  let most = 0
  for (let behind = 1; behind > 0;) {
    behind = (await ingest.poll()).behind
    most = Math.max(most, (await bytesInUse()) - before)
  }
  await store.close()
  return most
}

/** Least time of several, each with a book of its own; the line index stands on disk from the first. */
async function opening(path: string, cacheFolder: string): Promise<number> {
  let least = Infinity
  for (let i = 0; i < TIMES; i++) {
    const book = new LogBook({ redact: redactor([]), cacheFolder })
    book.setSources([{ id: '1/a', attempt: 1, service: 'a', path, files: localFiles() }])
    const start = performance.now()
    await book.sources()
    await book.read('1/a', -200, 200)
    least = Math.min(least, performance.now() - start)
  }
  return least
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

function isAct(value: unknown): value is () => void {
  return typeof value === 'function'
}

/** Buffers are given back a moment after the collection that found them unused. */
async function bytesInUse(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    if (isAct(collect)) collect()
    await new Promise((done) => setImmediate(done))
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
