import { createRouterClient } from '@orpc/server'
import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openEngine, type Engine } from '../../src-main/engine'
import { event, scalar } from '../support/tracker-files'

export interface LatencyFigures {
  /** Samples that were waited for. */
  samples: number
  /** Milliseconds from the writing of a line to the engine's answer with its curve. */
  median: number
  p95: number
}

const EVERY = 100
const METRICS = 20

/**
 * A practice stack beside which a tracker writes 200 metrics a second, and a client that follows as the page does: told
 * of a change, it asks for the curve again. What the page adds is its pace of at most ten drawings a second, and a frame.
 */
export async function benchLatency(samples = 100): Promise<LatencyFigures> {
  const root = await mkdtemp(join(tmpdir(), 'slipway-bench-'))
  const engine = await openEngine({
    home: join(root, 'home'),
    resources: resolve('resources'),
    recipes: resolve('recipes'),
    version: '0',
    host: null,
    watch: 'all'
  })
  const client = createRouterClient(engine.router)
  const ended = new AbortController()
  let run: string | null = null
  try {
    const recipe = resolve('recipes/practice-sao.yaml')
    const started = await client.launch.start({ recipe })
    run = started.run
    for await (const detail of await client.runs.follow({ run }, { signal: ended.signal }))
      if (detail.summary.state.kind === 'training') break
    const file = await trackerFile(started.folder)
    const written: number[] = []
    const write = async (): Promise<void> => {
      written.push(performance.now())
      const step = BigInt(written.length)
      const names = Array.from({ length: METRICS }, (_, i) => `probe/${String(i)}`)
      await appendFile(file, event(step, ...names.map((name) => scalar(name, written.length))))
    }
    await write()
    const late: number[] = []
    let writing: Promise<void> | null = null
    for await (const _ of await client.metrics.watch({ run }, { signal: ended.signal })) {
      void _
      const seen = await pointsOf(engine, run)
      const now = performance.now()
      // A new file is found by a search now and then; the measuring begins when it was.
      if (seen === 0) continue
      writing ??= keepWriting(write, samples)
      while (late.length < seen) late.push(now - (written[late.length] ?? now))
      if (late.length > samples) break
    }
    await writing
    late.shift()
    late.sort((a, b) => a - b)
    const share = (part: number): number => late[Math.floor(late.length * part)] ?? 0
    return { samples: late.length, median: share(0.5), p95: share(0.95) }
  } finally {
    ended.abort()
    if (run !== null) await client.runs.stop({ run, force: true }).catch(() => undefined)
    await engine.dispose()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

async function keepWriting(write: () => Promise<void>, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await write()
    await wait(EVERY)
  }
}

async function pointsOf(engine: Engine, run: string): Promise<number> {
  const { parts } = await createRouterClient(engine.router).metrics.series({
    run,
    keys: ['probe/0'],
    axis: 'native',
    columns: 1500,
    smoothing: { kind: 'none' }
  })
  return parts.reduce((sum, { total }) => sum + total, 0)
}

async function trackerFile(folder: string): Promise<string> {
  const record = await readFile(join(folder, 'run.json'), 'utf8')
  const runDir = /"runDir": "([^"]+)"/.exec(record)?.[1]
  if (runDir === undefined) throw new Error('run.json names no folder of the stack')
  const tb = join(runDir, 'tb')
  await mkdir(tb, { recursive: true })
  return join(tb, 'events.out.tfevents.1.bench')
}
