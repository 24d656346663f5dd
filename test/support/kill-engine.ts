import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { build } from 'vite'
import { openMetricStore } from '../../src-main/engine/metrics'
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
  random: () => number
): Promise<void> {
  const first = startHost(host, yard, true)
  const run = await first.ready
  if (run === null) throw new Error('the host launched nothing')
  let engine = first
  for (let round = 0; round < times; round += 1) {
    // Some moments fall into the start of the engine itself, some into its watching.
    await wait(Math.floor(random() * 1200))
    await killHost(engine)
    engine = startHost(host, yard, false)
  }
  await engine.ready
  await killHost(engine)

  const service = await openService(yard)
  try {
    await service.reconcile()
    await until(service, run, (detail) => detail.summary.step > 0)
    await service.stop({ run, force: false })
    await until(service, run, (detail) => detail.summary.state.kind === 'stopped')
    await compare(service, run)
  } finally {
    await service.dispose()
  }
}

async function compare(
  service: Awaited<ReturnType<typeof openService>>,
  run: string
): Promise<void> {
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
    expect(samples, 'samples').toEqual(trained)
  } finally {
    await store.close()
  }
  const detail = await service.get(run)
  const kinds = detail.events.map((event) => event.kind)
  expect(kinds.filter((kind) => kind === 'attempt-started')).toHaveLength(1)
  expect(kinds.filter((kind) => kind === 'exited')).toHaveLength(1)
}
