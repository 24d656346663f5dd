import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import { describeWithDocker } from '../support/docker-engine'
import { dockerRuns, killOverDocker, kinds } from '../support/docker-runs'
import { comparePractice } from '../support/kill-engine'
import { ended, until } from '../support/run-service'

describeWithDocker('the practice stack in a container', () => {
  const runs = dockerRuns()
  const { open, launch, containers } = runs

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
    expect(await runs.engine.docker.listImages()).toEqual([])
  }, 60_000)

  it('goes on preparing when the engine that began it is gone', async () => {
    const first = await open()
    const run = await launch(first)
    await until(first, run, ({ summary }) => summary.state.kind === 'preparing')
    await runs.leave()
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
    const [image] = await runs.engine.docker.listImages()
    expect(learning.attempts[0]?.image).toMatchObject({ id: image?.Id, engine: 'Docker' })
    expect(learning.services.map(({ name, state }) => [name, state])).toEqual([
      ['slime-driver', 'ready'],
      ['reef', 'ready']
    ])
    await service.rollback({ run, step: 1, why: 'trying' })
    await until(service, run, (detail) => kinds(detail).includes('rollback'))

    await service.stop({ run, force: false })
    // The whole output as the engine has it, taken while the container still ends.
    const whole = runs.engine.docker
      .getContainer(id)
      .logs({ stdout: true, stderr: false, follow: true })
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
      await runs.engine.docker.getContainer(id).remove({ force: true })
    const { summary } = await until(service, run, (detail) => ended(detail.summary.state), 60_000)
    expect(summary.state.kind).toBe('failed')
    expect(summary.now.en).toBe('Its container was removed by someone else.')
    expect(await containers()).toEqual([])
  }, 120_000)

  it('is only out of reach while the container engine hangs', async () => {
    const service = await open()
    const run = await launch(service)
    await until(service, run, ({ summary }) => summary.step >= 1, 90_000)
    runs.engine.signal('SIGSTOP')
    try {
      await until(service, run, ({ summary }) => summary.state.kind === 'unreachable', 60_000)
    } finally {
      runs.engine.signal('SIGCONT')
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

  it('loses and doubles nothing when the engine is killed at twenty random moments', async () => {
    await killOverDocker(runs, 20)
    expect.hasAssertions()
  }, 300_000)

  it('refuses an image that is not there with that cause', async () => {
    const service = await open()
    const recipe = await readFile(runs.yard.recipe, 'utf8')
    const real = join(runs.yard.root, 'real.yaml')
    await writeFile(real, recipe.replace(/^ {2}backend: practice$/m, '  backend: slime'))
    const asked = LaunchRequest.parse({
      recipe: real,
      target: 'docker',
      container: {
        image: 'no-such-image',
        models: runs.yard.root,
        state: join(runs.yard.root, 'state')
      }
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
