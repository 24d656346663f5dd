import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Companion } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import type { RunService } from '../../src-main/engine/stacks'
import { AGENT_KEY, agentSecret, client, told, withoutTraffic } from '../support/companions'
import { describeWithDocker } from '../support/docker-engine'
import { dockerRuns } from '../support/docker-runs'
import { ended, until } from '../support/run-service'

describeWithDocker('companions of a stack in a container', () => {
  const runs = dockerRuns()

  /** One that ends only when it is asked to, whatever becomes of the stack. */
  const patient = (image: string): Companion => ({
    name: 'patient',
    command: ['sh', '-c', 'trap "exit 5" TERM; while :; do sleep 1; done'],
    where: 'own-container',
    image,
    environment: [],
    startWhenServing: false,
    stopWithRun: true,
    restart: 'never'
  })

  const containers = (): ReturnType<typeof runs.engine.docker.listContainers> =>
    runs.engine.docker.listContainers({ all: true, filters: { label: ['slipway.run'] } })

  /** Kills the command of the second start inside, as the system does when memory is out. */
  async function killInside(): Promise<void> {
    const [stack] = (await containers()).filter(({ Labels }) => !('slipway.companion' in Labels))
    const exec = await runs.engine.docker.getContainer(stack?.Id ?? '').exec({
      AttachStdout: true,
      AttachStderr: true,
      Cmd: [
        ...['sh', '-c'],
        'read -r pid began < /run/slipway/logs/attempt-1/companion-inside/2/pid; read -r child rest < "/proc/$pid/task/$pid/children"; kill -KILL "$child"'
      ]
    })
    await once((await exec.start({})).resume(), 'end')
    expect((await exec.inspect()).ExitCode).toBe(0)
  }

  async function killBeside(): Promise<void> {
    const found = (await containers()).filter(
      ({ Labels, State }) => Labels['slipway.companion'] === 'beside' && State === 'running'
    )
    expect(found).toHaveLength(1)
    await runs.engine.docker.getContainer(found[0]?.Id ?? '').kill()
  }

  const started = (service: RunService, run: string, count: number): Promise<RunDetail> =>
    until(
      service,
      run,
      (detail) =>
        told(detail, 'companion-started', 'inside').length === count &&
        told(detail, 'companion-started', 'beside').length === count,
      120_000
    )

  it('drive it to releases, crash, are found again, killed and started again, and leave nothing', async () => {
    await withoutTraffic(runs.yard.recipe)
    const first = await runs.open({ secret: agentSecret })
    const { image } = await first.plan(runs.request())
    const companions = [
      await client({ name: 'inside', where: 'stack-container' }),
      await client({ name: 'beside', where: 'own-container', image: image ?? '' }),
      patient(image ?? '')
    ]
    const { run } = await first.start({ ...runs.request(), companions })
    const crashed = await started(first, run, 2)
    for (const name of ['inside', 'beside'])
      expect(told(crashed, 'companion-ended', name)).toMatchObject([
        { start: 1, exit: { kind: 'code', code: 3 } }
      ])

    // The engine goes away and another one takes over: both are the same ones.
    await runs.leave()
    // As if it had died before it wrote down what it had started again.
    const record = first.paths(run).record
    const cut = (await readFile(record, 'utf8')).replaceAll(
      /("name": "(?:inside|beside)",\s*"starts": 2,\s*"handle": )\{[^}]*\}/g,
      '$1null'
    )
    expect(cut.match(/"handle": null/g)).toHaveLength(2)
    await writeFile(record, cut)
    const second = await runs.open({ secret: agentSecret })
    await second.reconcile()
    await until(second, run, ({ summary }) => summary.step >= 2, 120_000)
    expect(await containers()).toHaveLength(3)
    await Promise.all([killInside(), killBeside()])
    const again = await started(second, run, 3)
    for (const name of ['inside', 'beside'])
      expect(told(again, 'companion-ended', name)).toMatchObject([
        { start: 1 },
        { start: 2, exit: { kind: 'code', code: 137 } }
      ])
    const { step } = again.summary
    await until(second, run, ({ summary }) => summary.step > step, 120_000)

    await second.stop({ run, force: false })
    const over = await until(second, run, ({ summary }) => ended(summary.state), 120_000)
    expect(over.summary.state.kind).toBe('stopped')
    for (const name of ['inside', 'beside'])
      expect(told(over, 'companion-ended', name)).toHaveLength(3)
    expect(told(over, 'companion-ended', 'patient')).toMatchObject([{ exit: { code: 5 } }])
    expect(told(over, 'companion-left', 'beside')).toEqual([])
    expect(await containers()).toEqual([])
    const paths = second.paths(run)
    for (const name of ['inside', 'beside']) {
      const log = await readFile(join(paths.attempt(1), `companion-${name}.log`), 'utf8')
      expect(log).toContain('asking practice, for the first time')
      expect(log).toContain('crashing, as asked')
      expect(log.split('asking practice, again')).toHaveLength(3)
    }
    for (const file of [paths.record, paths.events])
      expect(await readFile(file, 'utf8')).not.toContain(AGENT_KEY)
  }, 300_000)
})
