import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunService } from '../../src-main/engine/stacks'
import {
  ended,
  endEverything,
  makeYard,
  openService,
  standInJournal,
  until,
  type Yard
} from '../support/run-service'

let yard: Yard
let services: RunService[] = []

beforeEach(async () => {
  yard = await makeYard()
  services = []
})

afterEach(async () => {
  await endEverything(services)
  await yard.remove()
})

async function open(options: Parameters<typeof openService>[1] = {}): Promise<RunService> {
  const service = await openService(yard, options)
  services.push(service)
  return service
}

it('launches, learns, goes back, stops, and keeps every row once', async () => {
  const service = await open()
  const { run, folder } = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
  await until(service, run, (detail) => detail.summary.step >= 3)
  const plan = await service.rollbackPlan({ run, step: 1 })
  expect(plan.way).toBe('api')
  const { releaseId } = await service.rollback({ run, step: 1, why: 'reward fell' })
  await until(service, run, (detail) =>
    detail.events.some((event) => event.kind === 'rollback' && event.data?.['to'] === 'r1')
  )
  const chain = await service.chain({ run })
  await until(service, run, (detail) => detail.summary.step > (chain.releases[0]?.step ?? 0))
  const after = await service.chain({ run })
  const row = after.releases.find((release) => release.releaseId === releaseId)
  expect(row?.operation).toBe('rollback')
  expect(row?.rollbackTargetStep).toBe(1)
  await service.stop({ run, force: false })
  const detail = await until(service, run, (one) => ended(one.summary.state))
  expect(detail.summary.state.kind).toBe('stopped')

  const journal = await standInJournal(folder)
  const committed = journal.filter((entry) => entry.kind === 'commit')
  const rows = await service.store.releases(run)
  expect(rows.filter((one) => one.step > 0).map((one) => one.step)).toEqual(
    committed.map((entry) => entry.step)
  )
  expect(await readFile(join(folder, 'recipe.yaml'), 'utf8')).toBe(
    await readFile(yard.recipe, 'utf8')
  )
})
