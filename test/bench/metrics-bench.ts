import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { redactor, systemClock } from '../../src-main/engine/lib'
import { Ingest, openMetricStore, type MetricStore } from '../../src-main/engine/metrics'
import { localFiles } from '../../src-main/engine/targets/files/local-files'
import { realisticLog } from './metrics-log'

export interface ThroughputFigures {
  bytes: number
  samples: number
  /** Samples that came out, which must equal `samples`. */
  stored: number
  megabytesPerSecond: number
  readlineMegabytesPerSecond: number
  /** Time of parsing and storing over the time of `node:readline` on the same file. */
  ratio: number
  /** The same with processor time in place of elapsed time: what other programs do on the machine counts less. */
  processorRatio: number
}

async function inTempFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'))
  try {
    return await act(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Elapsed and processor seconds (user and system, all threads of this process). */
async function timed(act: () => Promise<unknown>): Promise<{ elapsed: number; processor: number }> {
  const start = performance.now()
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return { elapsed: (performance.now() - start) / 1000, processor: (user + system) / 1e6 }
}

export async function writeLog(file: string, bytes: number): Promise<number> {
  const handle = await open(file, 'w')
  let samples = 0
  let step = 0
  try {
    for (let written = 0; written < bytes;) {
      const piece = realisticLog(Math.min(4_000_000, bytes - written), step)
      await handle.write(piece.text)
      written += piece.text.length
      samples += piece.samples
      step += piece.steps
    }
  } finally {
    await handle.close()
  }
  return samples
}

async function countLines(file: string): Promise<number> {
  let lines = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.length > 0) lines++
  }
  return lines
}

export async function ingestAll(store: MetricStore, file: string): Promise<void> {
  const ingest = new Ingest({ store, redact: redactor([]), clock: systemClock })
  ingest.setSources([
    { id: '1/driver', attempt: 1, path: file, files: localFiles(), role: 'service' }
  ])
  for (;;) {
    const { behind, unreadable } = await ingest.poll()
    if (unreadable[0] !== undefined) throw new Error(unreadable[0].why)
    if (behind === 0) return
  }
}

/** Parses and stores a real-shaped log, and reads the same file with `node:readline`. */
export function benchThroughput(bytes = 300_000_000): Promise<ThroughputFigures> {
  return inTempFolder(async (folder) => {
    const file = join(folder, 'driver.log')
    const samples = await writeLog(file, bytes)
    const size = (await stat(file)).size
    await countLines(file)
    const readline = await timed(() => countLines(file))
    const store = await openMetricStore(join(folder, 'metrics'))
    const ours = await timed(async () => {
      await ingestAll(store, file)
      await store.close()
    })
    return {
      bytes: size,
      samples,
      stored: store.series().reduce((sum, series) => sum + series.count, 0),
      megabytesPerSecond: size / 1e6 / ours.elapsed,
      readlineMegabytesPerSecond: size / 1e6 / readline.elapsed,
      ratio: ours.elapsed / readline.elapsed,
      processorRatio: ours.processor / readline.processor
    }
  })
}
