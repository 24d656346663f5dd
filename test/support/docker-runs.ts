import { randomInt } from 'node:crypto'
import { once, on } from 'node:events'
import { watch } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import type { TargetSpec } from '../../src-main/contract/targets'
import type { RunService, RunServiceOptions } from '../../src-main/engine/stacks'
import { createProcessTarget, openTarget, type Target } from '../../src-main/engine/targets'
import { bundleHost, comparePractice, type Host, killHost, startHost } from './kill-engine'
import { startEngine, type TestEngine } from './own-engine'
import { endEverything, openService, practiceYard, until, type Yard } from './run-service'

/** A Docker engine for a file of tests, and a home and a recipe for each of them. */
export interface DockerRuns {
  readonly engine: TestEngine
  readonly yard: Yard
  /** A service whose only target is the engine; put down after the test. */
  open: (options?: Pick<RunServiceOptions, 'secret'>) => Promise<RunService>
  /** Puts every service down; their stacks go on. */
  leave: () => Promise<void>
  request: () => LaunchRequest
  launch: (service: RunService) => Promise<string>
  /** Ids of the containers of runs, ended ones too. */
  containers: () => Promise<string[]>
}

/** How the services reach the engine. */
interface EngineWay {
  via: Extract<TargetSpec, { kind: 'docker' }>['via']
  sshConfig?: string
}

/** This machine, where companions may run as processes. */
function here({ resources, home }: Yard, installation: string): Promise<Target> {
  const spec = { kind: 'process', id: 'local', name: 'This machine', python: null } as const
  return Promise.resolve(createProcessTarget({ spec, installation, resources, home }))
}

const bySocket = ({ socket }: TestEngine): EngineWay => ({ via: { kind: 'socket', path: socket } })

/**
 * Makes the engine before the tests of a file and removes it after them. `start`: Docker's own unless another is told.
 * `way`: by its socket unless another is told.
 */
export function dockerRuns(
  start: () => Promise<TestEngine> = () => startEngine(),
  way: (engine: TestEngine) => EngineWay = bySocket
): DockerRuns {
  let engine: TestEngine
  let yard: Yard
  let services: RunService[] = []

  beforeAll(async () => {
    engine = await start()
  }, 60_000)
  afterAll(() => engine.dispose(), 60_000)
  beforeEach(async () => {
    yard = await practiceYard()
    services = []
  })
  afterEach(async () => {
    await endEverything(services)
    await yard.remove()
  }, 90_000)

  const runs: DockerRuns = {
    get engine() {
      return engine
    },
    get yard() {
      return yard
    },
    open: async (options) => {
      const service = await openService(yard, {
        ...options,
        target: (id, installation) => {
          if (id === 'local') return here(yard, installation)
          const { via, ...surroundings } = way(engine)
          const { resources, home } = yard
          return openTarget(
            { kind: 'docker', id, name: 'Docker', via },
            { installation, resources, home, ...surroundings }
          )
        }
      })
      services.push(service)
      return service
    },
    leave: async () => {
      for (const service of services) await service.dispose()
      services = []
    },
    request: () => LaunchRequest.parse({ recipe: yard.recipe, target: 'docker' }),
    launch: async (service) => (await service.start(runs.request())).run,
    containers: async () => {
      const list = await engine.docker.listContainers({
        all: true,
        filters: { label: ['slipway.run'] }
      })
      return list.map(({ Id }) => Id)
    }
  }
  return runs
}

export const kinds = ({ events }: RunDetail): string[] => events.map(({ kind }) => kind)

/** Hands `use` the bundle of an engine whose only target is the engine of these runs. */
export async function withHost(
  runs: DockerRuns,
  use: (host: string) => Promise<void>
): Promise<void> {
  const { yard, engine } = runs
  const host = await bundleHost(yard.root)
  // A package that is imported late is looked for beside the bundle.
  await symlink(resolve('node_modules'), join(yard.root, 'node_modules'))
  process.env['TEST_DOCKER_SOCKET'] = engine.socket
  try {
    await use(host)
  } finally {
    delete process.env['TEST_DOCKER_SOCKET']
  }
}

/** Launches from an engine that dies when it starts the stack, before its container is made or before that runs. */
export async function launchAndDie(runs: DockerRuns, moment: 'before' | 'made'): Promise<void> {
  await withHost(runs, async (host) => {
    process.env['TEST_DIE'] = moment
    try {
      const { child } = startHost(host, runs.yard, true)
      await once(child, 'exit')
    } finally {
      delete process.env['TEST_DIE']
    }
  })
}

/** Milliseconds in which an engine has started and taken up its run. */
const STARTING_MS = 500
/** Most writes into a run's figures that a kill waits for. */
const FEW_WRITES = 2

/** A moment that falls into the start of an engine, or, one time in three, behind its start or a write of what it read. */
async function randomMoment(host: Host, metrics: string): Promise<void> {
  if (randomInt(0, 3) > 0) {
    await wait(randomInt(0, STARTING_MS))
    return
  }
  await host.ready
  await writes(host, metrics, randomInt(0, FEW_WRITES + 1))
}

/** Resolves when the engine has written so often into a run's figures. */
async function writes({ child }: Host, metrics: string, times: number): Promise<void> {
  if (times === 0) return
  const watcher = watch(metrics)
  const alone = (): void => {
    watcher.emit('error', new Error('the engine ended by itself'))
  }
  child.once('exit', alone)
  let left = times
  for await (const _ of on(watcher, 'change')) {
    void _
    left -= 1
    if (left === 0) break
  }
  child.off('exit', alone)
  watcher.close()
}

/**
 * Kills the engine that watches a container `times` times at random moments. Afterwards the one container is there and
 * no other, and what the run kept is compared with what the stack wrote down.
 */
export async function killOverDocker(runs: DockerRuns, times: number): Promise<void> {
  const { yard } = runs
  await withHost(runs, async (host) => {
    let watcher = startHost(host, yard, true)
    const run = await watcher.ready
    if (run === null) throw new Error('the host launched nothing')
    const metrics = join(yard.home, 'runs', run, 'metrics')
    // Before the image is made there is nothing to lose, and each kill would have it made anew.
    await writes(watcher, metrics, 1)
    for (let round = 0; round < times; round += 1) {
      await randomMoment(watcher, metrics)
      await killHost(watcher)
      expect((await runs.containers()).length, `containers after kill ${round}`).toBeLessThan(2)
      watcher = startHost(host, yard, false)
    }
    await watcher.ready
    await killHost(watcher)
    const service = await runs.open()
    await service.reconcile()
    await until(service, run, ({ summary }) => summary.step >= 6, 120_000)
    expect(await runs.containers()).toHaveLength(1)
    await service.stop({ run, force: false })
    await until(service, run, ({ summary }) => summary.state.kind === 'stopped', 90_000)
    await comparePractice(service, run)
    expect(await runs.containers()).toEqual([])
  })
}
