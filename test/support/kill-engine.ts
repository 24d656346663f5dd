import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { build } from 'vite'
import { openMetricStore } from '../../src-main/engine/metrics'
import type { RunService } from '../../src-main/engine/stacks'
import { openService, standInJournal, until, type Yard } from './run-service'

/** Bundles the engine host for plain Node, as the app's engine is. */
export async function bundleHost(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'node18',
      ssr: resolve('test/support/engine-host.ts'),
      rollupOptions: { output: { format: 'cjs', entryFileNames: 'engine-host.cjs' } }
    }
  })
  return join(folder, 'engine-host.cjs')
}

export interface Host {
  child: ChildProcess
  /** Resolves with the run it launched, null when it launched none. */
  ready: Promise<string | null>
}

export function startHost(host: string, yard: Yard, launch: boolean): Host {
  const child = spawn(
    process.execPath,
    [host, yard.home, yard.resources, ...(launch ? ['launch', yard.recipe] : [])],
    {
      cwd: resolve('.'),
      stdio: ['pipe', 'pipe', 'inherit'],
      // Resolved from the bundle's folder, which is outside the checkout.
      env: { ...process.env, NODE_PATH: resolve('node_modules'), STAND_IN_STEP_MS: '60' }
    }
  )
  const ready = (async (): Promise<string | null> => {
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as { run: string | null }
      return said.run
    }
    return null
  })()
  return { child, ready }
}

export async function killHost({ child }: Host): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/**
 * Kills the watching engine `times` times at random moments, then compares what the run kept with what the stack's own
 * journal says: no release, sample or record may be missing or double.
 */
export async function killAndCompare(
  host: string,
  yard: Yard,
  times: number,
  compare: Compare = compareStandIn
): Promise<void> {
  const first = startHost(host, yard, true)
  const run = await first.ready
  if (run === null) throw new Error('the host launched nothing')
  let engine = first
  for (let round = 0; round < times; round += 1) {
    // Some moments fall into the start of the engine itself, some into its watching.
    await wait(Math.floor(Math.random() * 1200))
    await killHost(engine)
    engine = startHost(host, yard, false)
  }
  await engine.ready
  await killHost(engine)

  const service = await openService(yard)
  try {
    await service.reconcile()
    // Enough of everything that a gap or a double would show.
    await until(service, run, (detail) => detail.summary.step >= 8, 90_000)
    await service.stop({ run, force: false })
    await until(service, run, (detail) => detail.summary.state.kind === 'stopped')
    await compare(service, run)
  } finally {
    await service.dispose()
  }
}

/** Compares a stopped run with what its stack says that it did. */
export type Compare = (service: RunService, run: string) => Promise<void>

async function compareStandIn(service: RunService, run: string): Promise<void> {
  const { folder, metrics } = service.paths(run)
  const journal = await standInJournal(folder)
  const committed = journal.filter((entry) => entry.kind === 'commit').map((entry) => entry.step)
  const rows = await service.store.releases(run)
  const steps = rows.filter((row) => row.step > 0).map((row) => row.step)
  expect(steps, 'releases').toEqual(committed)

  const trained = journal.flatMap((entry) => {
    const step = /- step (\d+): /.exec(entry.text ?? '')?.[1]
    return step === undefined ? [] : [Number(step)]
  })
  const store = await openMetricStore(metrics)
  try {
    const samples: number[] = []
    for await (const sample of store.samples('train/loss')) samples.push(sample.x)
    expect(trained.length).toBeGreaterThan(10)
    expect(samples, 'samples').toEqual(trained)
  } finally {
    await store.close()
  }
  await compareEvents(service, run)
}

async function compareEvents(service: RunService, run: string): Promise<void> {
  const detail = await service.get(run)
  const kinds = detail.events.map((event) => event.kind)
  expect(kinds.filter((kind) => kind === 'attempt-started')).toHaveLength(1)
  expect(kinds.filter((kind) => kind === 'exited')).toHaveLength(1)
}

interface PracticeEntry {
  service: string
  kind: string
  bytes?: number
  scenario?: string
  step?: number
  release_id?: string
  /** Of a metric line: the byte of the log it begins at. */
  from?: number
  values?: Record<string, number | string>
}

/** The practice stack's journal of one attempt, as docs/practice-stack.md describes it. */
async function practiceJournal(runDir: string): Promise<PracticeEntry[]> {
  const text = await readFile(join(runDir, 'practice-journal.jsonl'), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PracticeEntry)
}

/** Lines with a key that the driver printed behind the last metric line it counted. */
async function printedUncounted(
  runDir: string,
  journal: readonly PracticeEntry[],
  key: string
): Promise<number> {
  const counted = journal.filter(
    ({ service, kind }) => service === 'slime-driver' && kind === 'metric'
  )
  const log = await readFile(join(runDir, 'slime-driver', 'slime-driver.log'))
  const lines = log
    .subarray(counted.at(-1)?.from ?? 0)
    .toString('utf8')
    .split('\n')
  return lines.slice(1).filter((line) => line.includes(`'${key}': `)).length
}

/** The same comparison against the practice stack's journal: every key's values, every release, every byte of the logs. */
export async function comparePractice(service: RunService, run: string): Promise<void> {
  const attempt = (await service.store.read(run)).attempts[0]
  if (attempt === undefined) throw new Error('no attempt')
  const journal = await practiceJournal(attempt.runDir)
  const committed = journal.filter((entry) => entry.kind === 'commit')
  const rows = (await service.store.releases(run)).filter((row) => row.step > 0)
  expect(
    rows.map((row) => [row.scenario, row.step]),
    'releases'
  ).toEqual(committed.map((entry) => [entry.scenario, entry.step]))

  const store = await openMetricStore(service.paths(run).metrics)
  try {
    for (const key of ['train/loss', 'rollout/rewards', 'train/grad_norm']) {
      const wanted = journal.flatMap((entry) => entry.values?.[key] ?? [])
      const samples: number[] = []
      for await (const sample of store.samples(key)) samples.push(sample.value)
      expect(wanted.length).toBeGreaterThan(3)
      expect(samples.slice(0, wanted.length), key).toEqual(wanted)
      // The stack prints before it counts: what it was killed in between is in its log alone.
      const printed = await printedUncounted(attempt.runDir, journal, key)
      expect(samples.length - wanted.length, `${key} beyond what the stack counted`).toBe(printed)
    }
    for (const name of ['slime-driver', 'reef']) {
      const log = await readFile(join(attempt.runDir, name, `${name}.log`))
      const read = store.cursor(`1/${name}`)?.offset ?? 0
      // A tail that measures nothing may wait for the frame after it; numbers may not.
      expect(log.subarray(read).toString('utf8'), `unread of ${name}`).not.toMatch(/\{'/)
    }
  } finally {
    await store.close()
  }
  await compareEvents(service, run)
}
