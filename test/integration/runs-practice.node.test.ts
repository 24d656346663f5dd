import { afterEach, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import { openMetricStore } from '../../src-main/engine/metrics'
import type { RunService } from '../../src-main/engine/stacks'
import {
  ended,
  endEverything,
  openService,
  practiceYard,
  until,
  type Yard
} from '../support/run-service'

let yard: Yard
let services: RunService[] = []

beforeEach(async () => {
  yard = await practiceYard()
  services = []
})

afterEach(async () => {
  await endEverything(services)
  await yard.remove()
})

it('watches the practice stack learn, takes a release back, and stops it cleanly', async () => {
  const service = await openService(yard)
  services.push(service)
  const { run } = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
  const learning = await until(service, run, (detail) => detail.summary.step >= 4, 60_000)
  expect(learning.services.map(({ name, state }) => [name, state])).toEqual([
    ['slime-driver', 'ready'],
    ['reef', 'ready']
  ])
  const seen = await until(
    service,
    run,
    ({ summary }) => summary.reward?.key === 'reward/reports' && summary.stages.reported > 0
  )
  expect(seen.summary.stages.batchHave).not.toBeNull()
  expect(seen.summary.stages.batchNeed).toBe(48)
  await service.rollback({ run, step: 2, why: 'trying' })
  const chain = await service.chain({ run })
  const back = chain.releases.find((release) => release.operation === 'rollback')
  expect(back === undefined || back.rollbackTargetStep === 2).toBe(true)
  await until(service, run, () => true)
  await service.stop({ run, force: false })
  const { summary } = await until(service, run, (detail) => ended(detail.summary.state), 60_000)
  expect(summary.state.kind).toBe('stopped')
  const after = await service.chain({ run })
  expect(after.releases.map((release) => release.step)).toEqual(
    after.releases.map((_, index) => after.releases.length - 1 - index)
  )
  expect(after.releases.find((release) => release.operation === 'rollback')).toMatchObject({
    rollbackTargetStep: 2
  })
  // What was saved can be compared, whichever way this run goes back.
  for (const { operation, step, checkpoint } of after.releases)
    if (operation === 'training')
      expect([step, checkpoint]).toEqual([step, expect.stringMatching(/\/hf\/\d+$/)])
  // By receipt: the practice trainer logs the mean of the same reports.
  const logged = new Map(
    after.releases.map(({ metrics }) => [metrics['train/step'], metrics['rollout/rewards']])
  )
  const store = await openMetricStore(service.paths(run).metrics)
  let points = 0
  for await (const { x, value } of store.samples('reward/reports')) {
    points += 1
    expect(value).toBeCloseTo(Number(logged.get(x)), 9)
  }
  await store.close()
  expect(points).toBeGreaterThanOrEqual(3)
})
