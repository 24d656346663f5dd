import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { redactor, systemClock } from '../../src-main/engine/lib'
import { Ingest, openMetricStore, type MetricStore } from '../../src-main/engine/metrics'
import { LEVELS, WIDTH } from '../../src-main/engine/metrics/level-row'
import { localFiles } from '../../src-main/engine/targets/files/local-files'
import { realisticLog } from './metrics-log'

export interface ThroughputFigures {
  bytes: number
  samples: number
  /** Samples that came out, in the turn with the fewest; they must equal `samples`. */
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
async function timed(act: () => Promise<unknown>): Promise<Cost> {
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

interface Cost {
  elapsed: number
  processor: number
}

/**
 * Parses and stores a real-shaped log, and reads the same file with `node:readline`: in turns, so that whatever else the
 * machine does meets both. The least time of each counts, because other programs only ever add to it.
 */
export function benchThroughput(bytes = 300_000_000, turns = 3): Promise<ThroughputFigures> {
  return inTempFolder(async (folder) => {
    const file = join(folder, 'driver.log')
    const samples = await writeLog(file, bytes)
    const size = (await stat(file)).size
    await countLines(file)
    const never = { elapsed: Infinity, processor: Infinity }
    let [ours, readline, stored] = [never, never, Infinity]
    for (let turn = 0; turn < turns; turn += 1) {
      readline = lesser(readline, await timed(() => countLines(file)))
      const metrics = join(folder, `metrics-${turn}`)
      const store = await openMetricStore(metrics)
      const cost = await timed(async () => {
        await ingestAll(store, file)
        await store.close()
      })
      ours = lesser(ours, cost)
      stored = Math.min(stored, countOf(store))
      await rm(metrics, { recursive: true })
    }
    return {
      bytes: size,
      samples,
      stored,
      megabytesPerSecond: size / 1e6 / ours.elapsed,
      readlineMegabytesPerSecond: size / 1e6 / readline.elapsed,
      ratio: ours.elapsed / readline.elapsed,
      processorRatio: ours.processor / readline.processor
    }
  })
}

function lesser(a: Cost, b: Cost): Cost {
  return {
    elapsed: Math.min(a.elapsed, b.elapsed),
    processor: Math.min(a.processor, b.processor)
  }
}

function countOf(store: MetricStore): number {
  return store.series().reduce((sum, series) => sum + series.count, 0)
}

export interface QueryFigures {
  samples: number
  /** Milliseconds of a query of 1,500 columns, the middle of several: the whole series, and at deeper and deeper zoom. */
  milliseconds: number[]
  worstMilliseconds: number
  /** The greatest over all zooms of the time of a query over that of reading the bytes of the level it uses. */
  worstRatio: number
}

export interface OpeningFigures {
  small: { samples: number; milliseconds: number }
  large: { samples: number; milliseconds: number }
  ratio: number
}

const KEYS = Array.from({ length: 200 }, (_, i) => `group/key_${String(i)}`)

/** A settled store with `samples` samples over 200 keys (or over one). */
async function fill(folder: string, samples: number, keys: readonly string[]): Promise<void> {
  const store = await openMetricStore(folder)
  const steps = Math.ceil(samples / keys.length)
  const perFrame = Math.max(1, Math.floor(50_000 / keys.length))
  for (let from = 0; from < steps; from += perFrame) {
    const rows = Array.from({ length: Math.min(perFrame, steps - from) }, (_, i) => {
      const x = from + i
      const values = keys.map((_key, k) => Math.sin(x / 100 + k))
      return { axis: 'step' as const, x, at: x * 1000, keys, values }
    })
    await store.append({ source: '1/driver', attempt: 1, from, to: from + rows.length, rows })
  }
  await store.close()
}

const COLUMNS = 1500
/** A query and the reading it is held against, and openings, are each done so often. */
const REPEATS = 40

interface Times {
  middle: number
  /** What other programs do to the machine only ever adds: this one is disturbed the least. */
  least: number
}

/** Times in milliseconds of two acts done in turns, so that whatever else the machine does meets both. */
async function timesOf(acts: {
  asked: () => Promise<unknown>
  read: () => Promise<unknown>
}): Promise<{ asked: Times; read: Times }> {
  const asked: number[] = []
  const read: number[] = []
  for (let i = 0; i < REPEATS; i++) {
    asked.push((await timed(acts.asked)).elapsed * 1000)
    read.push((await timed(acts.read)).elapsed * 1000)
  }
  return { asked: ofSorted(asked), read: ofSorted(read) }
}

function ofSorted(times: number[]): Times {
  times.sort((a, b) => a - b)
  return { middle: times[times.length >> 1] ?? 0, least: times[0] ?? 0 }
}

/** Reads what a query of so many rows needs: the coarsest level that has two pieces for each column, or the rows. */
async function readLevel(columns: string, from: number, span: number): Promise<void> {
  let level = LEVELS.length - 1
  while (level > 0 && span / (LEVELS[level] ?? 1) < 2 * COLUMNS) level--
  const size = LEVELS[level] ?? 1
  const width = level === 0 ? 24 : WIDTH * 8
  const handle = await open(join(columns, level === 0 ? '0.rows' : `0.level${level}`), 'r')
  try {
    const bytes = new Float64Array(Math.ceil((span / size) * (width / 8)))
    await handle.read(bytes, 0, bytes.byteLength, Math.floor(from / size) * width)
  } finally {
    await handle.close()
  }
}

/** Chart queries on one series of `samples` samples. */
export function benchQuery(samples = 10_000_000): Promise<QueryFigures> {
  return inTempFolder(async (folder) => {
    await fill(folder, samples, ['k'])
    const store = await openMetricStore(folder)
    const milliseconds: number[] = []
    let worstRatio = 0
    for (let zoom = 1; samples / zoom > COLUMNS; zoom *= 8) {
      const start = Math.floor(samples / 3)
      const query = {
        run: '',
        keys: ['k'],
        axis: 'native' as const,
        range: [start, start + samples / zoom] as [number, number],
        columns: COLUMNS,
        smoothing: { kind: 'none' as const }
      }
      await store.query(query)
      const span = Math.min(samples - start, samples / zoom)
      const { asked, read } = await timesOf({
        asked: () => store.query(query),
        read: () => readLevel(join(folder, 'columns'), start, span)
      })
      milliseconds.push(asked.middle)
      worstRatio = Math.max(worstRatio, asked.least / read.least)
    }
    await store.close()
    return { samples, milliseconds, worstMilliseconds: Math.max(...milliseconds), worstRatio }
  })
}

/** Opening a large run against opening a small one, both of 200 keys; the least of several openings each. */
export function benchOpening(large = 10_000_000, small = 10_000): Promise<OpeningFigures> {
  return inTempFolder(async (folder) => {
    const least = { small: Infinity, large: Infinity }
    await fill(join(folder, 'small'), small, KEYS)
    await fill(join(folder, 'large'), large, KEYS)
    for (let i = 0; i < REPEATS; i++) {
      for (const which of ['small', 'large'] as const) {
        const { elapsed } = await timed(async () => {
          const store = await openMetricStore(join(folder, which))
          store.keys()
          await store.close()
        })
        least[which] = Math.min(least[which], elapsed * 1000)
      }
    }
    return {
      small: { samples: small, milliseconds: least.small },
      large: { samples: large, milliseconds: least.large },
      ratio: least.large / least.small
    }
  })
}
