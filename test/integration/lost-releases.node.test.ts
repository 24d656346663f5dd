import { readFile, rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
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

async function open(): Promise<RunService> {
  const service = await openService(yard)
  services.push(service)
  return service
}

const told = ({ events }: RunDetail, kind: string): string[] =>
  events.filter((event) => event.kind === kind).map(({ text }) => text.en)

const PATIENCE = 90_000

it('a file of releases that was taken away is noticed, told, and written or read anew', async () => {
  const first = await open()
  const { run } = await first.start(LaunchRequest.parse({ recipe: yard.recipe }))
  const { releases: file } = first.paths(run)
  await until(first, run, ({ summary }) => summary.step >= 3, PATIENCE)

  // While it is watched: what was kept is in memory.
  await rm(file)
  const healed = await until(
    first,
    run,
    (one) => told(one, 'releases-rewritten').length > 0,
    PATIENCE
  )
  expect(told(healed, 'releases-rewritten')).toHaveLength(1)
  const chain = await first.chain({ run })
  expect(chain.releases.map(({ step }) => step)).toContain(0)
  expect(chain.note).toBeUndefined()

  // While nobody looks: the service tells them all again.
  await first.dispose()
  services = []
  await rm(file)
  const second = await open()
  await second.reconcile()
  const { step: reached } = (await second.get(run)).summary
  const again = await until(
    second,
    run,
    (one) => told(one, 'releases-restored').length > 0 && one.summary.step > reached,
    PATIENCE
  )
  expect(told(again, 'releases-restored')).toHaveLength(1)
  await second.stop({ run, force: false })
  await until(second, run, ({ summary }) => ended(summary.state), PATIENCE)
  const whole = await second.chain({ run })
  const steps = whole.releases.map(({ step }) => step)
  expect(steps).toEqual(Array.from({ length: steps.length }, (_, i) => steps.length - 1 - i))
  await second.dispose()
  services = []
  expect(await readFile(file, 'utf8')).not.toBe('')

  // After its end: the stack's own log tells them, and that is said.
  await rm(file)
  const third = await open()
  const read = await third.chain({ run })
  expect(read.releases.map(({ step }) => step)).toEqual(steps)
  expect(read.note?.en).toContain('releases.jsonl')
  expect(read.note?.zh).toContain('releases.jsonl')
}, 240_000)
