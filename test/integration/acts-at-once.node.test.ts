import { afterEach, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import { FailureError } from '../../src-main/engine/lib'
import type { RunService } from '../../src-main/engine/stacks'
import { endEverything, makeYard, openService, until, type Yard } from '../support/run-service'

let yard: Yard
let services: RunService[] = []

beforeEach(async () => {
  yard = await makeYard()
  services = []
})

afterEach(async () => {
  await endEverything(services)
  await yard.remove()
}, 60_000)

async function open(): Promise<RunService> {
  const service = await openService(yard)
  services.push(service)
  return service
}

/** Of acts asked for at once: how many were done, and the codes of the refusals. */
async function outcomes(acts: readonly Promise<unknown>[]): Promise<[number, string[]]> {
  const settled = await Promise.allSettled(acts)
  const codes = settled.flatMap((one) => {
    if (one.status === 'fulfilled') return []
    const reason: unknown = one.reason
    if (!(reason instanceof FailureError)) return String(reason)
    // The second of two equal acts is told that it is done, and as what.
    const { code, what } = reason.failure
    return /^This was done already: r\d+ is served again, as r\d+/.test(what.en) ? code : what.en
  })
  return [settled.length - codes.length, codes]
}

it('does one of two acts at once, in one engine and in two, and names what was served before', async () => {
  const writer = await open()
  const other = await open()
  const { run } = await writer.start(LaunchRequest.parse({ recipe: yard.recipe }))
  await until(writer, run, ({ summary }) => summary.step >= 3, 60_000)
  const acts = async () => {
    const { releases } = await writer.chain({ run })
    return releases.filter(({ operation }) => operation === 'rollback')
  }

  const { expect: agreed } = await writer.rollbackPlan({ run, step: 1 })
  const back = { run, step: 1, why: '', expect: agreed }
  expect(await outcomes([writer.rollback(back), writer.rollback(back)])).toEqual([
    1,
    ['act-overtaken']
  ])
  expect(await acts()).toHaveLength(1)

  const plans = await Promise.all([writer.undoPlan({ run }), other.undoPlan({ run })])
  expect(plans.map(({ way }) => way)).toEqual(['api', 'api'])
  const undone = await outcomes(
    plans.map((plan, at) => (at === 0 ? writer : other).undo({ run, why: '', expect: plan.expect }))
  )
  expect(undone).toEqual([1, ['act-overtaken']])
  expect(await acts()).toHaveLength(2)

  const { releases } = await writer.chain({ run })
  const { events } = await writer.get(run)
  const told = events.filter(({ kind }) => kind === 'rollback')
  expect(told).toHaveLength(2)
  for (const { data } of told) {
    const row = releases.find(({ step }) => `r${step}` === data?.['as'])
    expect(row).toMatchObject({ operation: 'rollback', releaseId: data?.['releaseId'] })
    // Every row of this stack serves: what was served is the row right before.
    expect(data?.['from']).toBe(`r${(row?.step ?? 0) - 1}`)
  }
}, 90_000)
