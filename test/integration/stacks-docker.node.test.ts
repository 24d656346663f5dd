import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import type { RunService } from '../../src-main/engine/stacks'
import { openTarget } from '../../src-main/engine/targets'
import { describeWithDocker, startEngine, type TestEngine } from '../support/docker-engine'
import { bundleHost, comparePractice, killHost, startHost } from '../support/kill-engine'
import {
  ended,
  endEverything,
  openService,
  practiceYard,
  until,
  type Yard
} from '../support/run-service'

describeWithDocker('the practice stack in a container', () => {
  let engine: TestEngine
  let yard: Yard
  let services: RunService[]

  beforeAll(async () => {
    engine = await startEngine()
  }, 60_000)
  afterAll(async () => {
    await engine.dispose()
  })
  beforeEach(async () => {
    yard = await practiceYard()
    services = []
  })
  afterEach(async () => {
    await endEverything(services)
    await yard.remove()
  }, 60_000)

  async function open(): Promise<RunService> {
    const service = await openService(yard, {
      target: (id, installation) =>
        openTarget(
          {
            ...{ kind: 'docker', id, name: 'Docker' },
            via: { kind: 'socket', path: engine.socket }
          },
          { installation, resources: yard.resources, home: yard.home }
        )
    })
    services.push(service)
    return service
  }

  const request = (): LaunchRequest =>
    LaunchRequest.parse({ recipe: yard.recipe, target: 'docker' })

  async function containers(): Promise<string[]> {
    const list = await engine.docker.listContainers({
      all: true,
      filters: { label: ['slipway.run'] }
    })
    return list.map(({ Id }) => Id)
  }

  const kinds = ({ events }: RunDetail): string[] => events.map(({ kind }) => kind)

  async function launch(service: RunService): Promise<string> {
    return (await service.start(request())).run
  }

  it('is stopped while its image is being made, and nothing is left', async () => {
    const service = await open()
    const run = await launch(service)
    const preparing = await until(service, run, ({ summary }) => summary.state.kind === 'preparing')
    expect(preparing.attempts[0]?.image).toBeUndefined()
    await service.stop({ run, force: false })
    const detail = await until(service, run, ({ summary }) => ended(summary.state))
    expect(detail.summary.state.kind).toBe('stopped')
    expect(detail.summary.now.en).toBe('Stopped before the stack was started.')
    expect(await containers()).toEqual([])
    expect(await engine.docker.listImages()).toEqual([])
  }, 60_000)

  it('goes on preparing when the engine that began it is gone', async () => {
    const first = await open()
    const run = await launch(first)
    await until(first, run, ({ summary }) => summary.state.kind === 'preparing')
    await first.dispose()
    services = []
    const second = await open()
    await second.reconcile()
    const serving = await until(second, run, ({ summary }) => summary.step >= 1, 90_000)
    expect(kinds(serving)).toContain('image-built')
    await second.stop({ run, force: true })
    await until(second, run, ({ summary }) => ended(summary.state))
    expect(await containers()).toEqual([])
  }, 120_000)

  it('learns, goes back, and is stopped; its output is here once and its container gone', async () => {
    const service = await open()
    const run = await launch(service)
    const learning = await until(service, run, ({ summary }) => summary.step >= 5, 90_000)
    const [id = ''] = await containers()
    const [image] = await engine.docker.listImages()
    expect(learning.attempts[0]?.image).toMatchObject({ id: image?.Id, engine: 'Docker' })
    expect(learning.services.map(({ name, state }) => [name, state])).toEqual([
      ['slime-driver', 'ready'],
      ['reef', 'ready']
    ])
    await service.rollback({ run, step: 1, why: 'trying' })
    await until(service, run, (detail) => kinds(detail).includes('rollback'))

    await service.stop({ run, force: false })
    // The whole output as the engine has it, taken while the container still ends.
    const whole = engine.docker.getContainer(id).logs({ stdout: true, stderr: false, follow: true })
    const said = new Promise<string>((resolve, reject) => {
      whole.then((stream) => {
        const pieces: Buffer[] = []
        stream.on('data', (piece: Buffer) => pieces.push(piece))
        stream.on('end', () => {
          resolve(unframed(Buffer.concat(pieces)))
        })
      }, reject)
    })
    const { summary } = await until(service, run, (detail) => ended(detail.summary.state), 60_000)
    expect(summary.state).toMatchObject({ kind: 'stopped', exit: { kind: 'code', code: 0 } })
    const copy = await readFile(join(service.paths(run).attempt(1), 'stdout.log'), 'utf8')
    expect(copy.length).toBeGreaterThan(0)
    expect(copy).toBe(await said)
    expect(await containers()).toEqual([])
    await comparePractice(service, run)
  }, 120_000)

  it('says so when someone else removes the container', async () => {
    const service = await open()
    const run = await launch(service)
    await until(service, run, ({ summary }) => summary.step >= 1, 90_000)
    for (const id of await containers())
      await engine.docker.getContainer(id).remove({ force: true })
    const { summary } = await until(service, run, (detail) => ended(detail.summary.state), 60_000)
    expect(summary.state.kind).toBe('failed')
    expect(summary.now.en).toBe('Its container was removed by someone else.')
    expect(await containers()).toEqual([])
  }, 120_000)

  it('is only out of reach while the container engine hangs', async () => {
    const service = await open()
    const run = await launch(service)
    await until(service, run, ({ summary }) => summary.step >= 1, 90_000)
    engine.signal('SIGSTOP')
    try {
      await until(service, run, ({ summary }) => summary.state.kind === 'unreachable', 60_000)
    } finally {
      engine.signal('SIGCONT')
    }
    const back = await until(
      service,
      run,
      ({ summary }) => summary.state.kind === 'training',
      60_000
    )
    expect(back.attempts).toHaveLength(1)
    await service.stop({ run, force: false })
    await until(service, run, ({ summary }) => summary.state.kind === 'stopped', 60_000)
  }, 180_000)

  it('loses and doubles nothing when the engine is killed at random moments', async () => {
    const host = await bundleHost(yard.root)
    // A package that is imported late is looked for beside the bundle.
    await symlink(resolve('node_modules'), join(yard.root, 'node_modules'))
    process.env['TEST_DOCKER_SOCKET'] = engine.socket
    try {
      let watcher = startHost(host, yard, true)
      const run = await watcher.ready
      if (run === null) throw new Error('the host launched nothing')
      for (let round = 0; round < 4; round += 1) {
        await wait(Math.floor(Math.random() * 2500))
        await killHost(watcher)
        watcher = startHost(host, yard, false)
      }
      await watcher.ready
      await killHost(watcher)
      expect(await containers()).toHaveLength(1)
      const service = await open()
      await service.reconcile()
      await until(service, run, ({ summary }) => summary.step >= 6, 90_000)
      await service.stop({ run, force: false })
      await until(service, run, ({ summary }) => summary.state.kind === 'stopped', 60_000)
      await comparePractice(service, run)
      expect(await containers()).toEqual([])
    } finally {
      delete process.env['TEST_DOCKER_SOCKET']
    }
  }, 180_000)

  it('refuses an image that is not there with that cause', async () => {
    const service = await open()
    const recipe = await readFile(yard.recipe, 'utf8')
    const real = join(yard.root, 'real.yaml')
    await writeFile(real, recipe.replace(/^ {2}backend: practice$/m, '  backend: slime'))
    const asked = LaunchRequest.parse({
      ...{ recipe: real, target: 'docker' },
      container: { image: 'no-such-image', models: yard.root, state: join(yard.root, 'state') }
    })
    await expect(service.start(asked)).rejects.toMatchObject({ failure: { code: 'image-missing' } })
    const [run] = (await service.list()).runs
    expect(run?.state.kind).toBe('failed')
  })
})

/** Payloads of Docker's multiplexed stream, joined. */
function unframed(bytes: Buffer): string {
  const pieces: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32BE(at + 4)
    pieces.push(bytes.subarray(at + 8, at + 8 + size))
    at += 8 + size
  }
  return Buffer.concat(pieces).toString('utf8')
}
