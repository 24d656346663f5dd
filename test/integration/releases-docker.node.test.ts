import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import type { RunService } from '../../src-main/engine/stacks'
import { openTarget } from '../../src-main/engine/targets'
import { describeWithDocker, startEngine, type TestEngine } from '../support/docker-engine'
import { endEverything, openService, practiceYard, until, type Yard } from '../support/run-service'

describeWithDocker('a branch redeploy in containers', () => {
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
    const recipe = await readFile(yard.recipe, 'utf8')
    await writeFile(yard.recipe, recipe.replace(/^( *)rollback: .*$/m, '$1rollback: redeploy'))
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
            kind: 'docker',
            id,
            name: 'Docker',
            via: { kind: 'socket', path: engine.socket }
          },
          { installation, resources: yard.resources, home: yard.home }
        )
    })
    services.push(service)
    return service
  }

  const serves =
    (attempt: number) =>
    ({ summary }: RunDetail): boolean =>
      summary.attempt === attempt && ['serving', 'training'].includes(summary.state.kind)

  it('starts from the export as the container sees it, survives its engine, and is taken back', async () => {
    const first = await open()
    const { run } = await first.start(
      LaunchRequest.parse({ recipe: yard.recipe, target: 'docker' })
    )
    await until(first, run, ({ summary }) => summary.step >= 4, 90_000)
    const chain = await first.chain({ run })
    const target = chain.releases.find(
      ({ checkpoint, restorable, served }) => checkpoint !== null && restorable && !served
    )
    if (target === undefined) throw new Error('nothing was saved')
    await first.rollback({ run, step: target.step, why: '' })
    // The engine that began it goes in the middle; the next one finishes.
    await first.dispose()
    services = []
    const second = await open()
    await second.reconcile()
    const branch = await until(second, run, serves(2), 120_000)
    const command = branch.attempts[1]?.command ?? ''
    expect(command).toContain('--inference.model-path=/run/slipway/stack/')
    const containers = await engine.docker.listContainers({ filters: { label: ['slipway.run'] } })
    expect(containers).toHaveLength(1)
    expect((await second.undoPlan({ run })).way).toBe('reopen')
    await second.undo({ run, why: '' })
    await until(second, run, serves(3), 120_000)
    const after = await second.chain({ run })
    expect(after.releases.find(({ served }) => served)?.attempt).not.toBe(2)
  }, 300_000)
})
