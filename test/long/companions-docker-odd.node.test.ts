import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Companion } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import type { RunService } from '../../src-main/engine/stacks'
import { told } from '../support/companions'
import { describeWithDocker, makeBusybox } from '../support/docker-engine'
import { dockerRuns } from '../support/docker-runs'
import { ended, until } from '../support/run-service'

const PATIENCE = 120_000
const LOUD_BYTES = 50_000_000

describeWithDocker('companions that misbehave', () => {
  const runs = dockerRuns()

  const shell = (name: string, script: string, part: Partial<Companion>): Companion => ({
    name,
    command: ['sh', '-c', script],
    where: 'own-container',
    environment: [],
    startWhenServing: true,
    stopWithRun: true,
    restart: 'never',
    ...part
  })

  const deaf = (name: string, part: Partial<Companion>): Companion =>
    shell(name, 'trap "" TERM; while :; do sleep 1; done', part)

  async function imageOf(service: RunService): Promise<string> {
    return (await service.plan(runs.request())).image ?? ''
  }

  /** When each start of a companion was told, in ms. */
  const starts = ({ events }: RunDetail, name: string): number[] =>
    events.flatMap(({ kind, data, at }) =>
      kind === 'companion-started' && data?.['name'] === name ? [at] : []
    )

  it('are refused without their image, tried again where it went, paused longer each time, and killed when deaf', async () => {
    const service = await runs.open()
    const image = await imageOf(service)
    const lost = shell('lost', 'exit 0', { image: 'companion-lost:1', restart: 'on-failure' })
    await expect(service.start({ ...runs.request(), companions: [lost] })).rejects.toMatchObject({
      failure: { code: 'companion-image', where: 'companion-lost:1' }
    })
    expect((await service.list()).runs).toEqual([])

    const busybox = await makeBusybox(runs.engine.docker)
    const { run } = await service.start({
      ...runs.request(),
      companions: [
        shell('clash', 'exit 0', { image, restart: 'on-failure' }),
        shell('hasty', 'exit 0', { image, restart: 'always' }),
        shell('loud', `head -c ${LOUD_BYTES} /dev/zero | tr "\\0" x | fold -w 99`, { image }),
        deaf('deaf-beside', { image }),
        deaf('deaf-inside', { where: 'stack-container' }),
        deaf('deaf-here', { where: 'process' })
      ]
    })
    // While the stack's image is still being made, somebody takes the name that its first start is to have.
    const other = await runs.engine.docker.createContainer({
      Image: busybox,
      Cmd: ['true'],
      name: `slipway-${run}-1-clash-1`
    })
    const seen = await until(
      service,
      run,
      (detail) => starts(detail, 'hasty').length >= 4,
      PATIENCE
    )
    const [first = 0, second = 0, third = 0, fourth = 0] = starts(seen, 'hasty')
    expect(second - first).toBeGreaterThanOrEqual(1_000)
    expect(third - second).toBeGreaterThanOrEqual(2_000)
    expect(fourth - third).toBeGreaterThanOrEqual(4_000)

    expect(told(seen, 'companion-not-started', 'clash')).toMatchObject([{ start: 1 }])
    expect(told(seen, 'companion-started', 'clash')).toMatchObject([{ start: 2 }])
    await other.remove()

    const after = await until(
      service,
      run,
      (detail) => told(detail, 'companion-ended', 'loud').length > 0,
      PATIENCE
    )
    expect(told(after, 'companion-ended', 'loud')).toMatchObject([{ exit: { code: 0 } }])
    const attempt = service.paths(run).attempt(1)
    expect((await stat(join(attempt, 'companion-loud.log'))).size).toBeGreaterThan(LOUD_BYTES)
    const { step } = after.summary
    await until(service, run, ({ summary }) => summary.step > step, PATIENCE)

    await service.stop({ run, force: false })
    const over = await until(service, run, ({ summary }) => ended(summary.state), PATIENCE)
    expect(over.summary.state.kind).toBe('stopped')
    for (const name of ['deaf-beside', 'deaf-inside', 'deaf-here'])
      expect(told(over, 'companion-ended', name), name).toHaveLength(1)
    expect(over.events.filter(({ kind }) => kind === 'companion-left')).toEqual([])
    expect(await runs.containers()).toEqual([])
  }, 300_000)

  it('end, or are killed, when somebody removes the stack’s container', async () => {
    const service = await runs.open()
    const image = await imageOf(service)
    const { run } = await service.start({
      ...runs.request(),
      companions: [
        deaf('deaf-beside', { image }),
        deaf('inside', { where: 'stack-container', restart: 'always' }),
        deaf('deaf-here', { where: 'process' })
      ]
    })
    const begun = await until(
      service,
      run,
      (detail) => starts(detail, 'deaf-here').length === 1,
      PATIENCE
    )
    expect(starts(begun, 'deaf-beside')).toHaveLength(1)
    const list = await runs.engine.docker.listContainers({ filters: { label: ['slipway.run'] } })
    const stack = list.find(({ Labels }) => !('slipway.companion' in Labels))
    await runs.engine.docker.getContainer(stack?.Id ?? '').remove({ force: true })
    const over = await until(service, run, ({ summary }) => ended(summary.state), PATIENCE)
    expect(over.summary.state.kind).toBe('failed')
    expect(over.summary.now.en).toBe('Its container was removed by someone else.')
    for (const name of ['deaf-beside', 'inside', 'deaf-here'])
      expect(told(over, 'companion-ended', name), name).toHaveLength(1)
    expect(await runs.containers()).toEqual([])
  }, 300_000)
})
