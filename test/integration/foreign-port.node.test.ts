import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunService } from '../../src-main/engine/stacks'
import { stackProcesses } from '../support/kill-stack'
import {
  ended,
  endEverything,
  makeYard,
  openService,
  until,
  type Yard
} from '../support/run-service'

let yard: Yard
let services: RunService[] = []
let stranger: Server | null = null

beforeEach(async () => {
  yard = await makeYard()
  services = []
})

afterEach(async () => {
  vi.unstubAllEnvs()
  stranger?.closeAllConnections()
  stranger?.close()
  stranger = null
  await endEverything(services)
  await yard.remove()
})

async function open(): Promise<RunService> {
  const service = await openService(yard)
  services.push(service)
  return service
}

const request = (): LaunchRequest => LaunchRequest.parse({ recipe: yard.recipe })

const FOREIGN_STEP = 4_321

/** Somebody else's stack: healthy, far ahead, and with traffic. Remembers which tokens it was shown. */
async function listenAsStranger(port: number): Promise<{ asked: () => number }> {
  let asked = 0
  const scenario = { scenario_step: FOREIGN_STEP, inference_admission: { open: true } }
  const answers: Record<string, unknown> = {
    '/healthz': {},
    '/reef/status': { error: null, scenarios: { foreign: scenario }, training_job: null },
    '/reef/scenarios': { scenarios: [{ scenario: 'foreign' }] }
  }
  stranger = createServer((incoming, response) => {
    asked += 1
    response.end(JSON.stringify(answers[incoming.url ?? ''] ?? {}))
  })
  stranger.listen(port, '127.0.0.1')
  await once(stranger, 'listening')
  return { asked: () => asked }
}

const portOf = (address: string | null): number => Number(new URL(address ?? '').port)

it('a restart takes another port when the old one has become somebody else’s', async () => {
  const service = await open()
  const { run } = await service.start(request())
  const first = await until(service, run, ({ summary }) => summary.state.kind === 'training')
  await service.stop({ run, force: true })
  await until(service, run, ({ summary }) => ended(summary.state))
  const { asked } = await listenAsStranger(portOf(first.address))
  await service.restart({ run })
  const second = await until(
    service,
    run,
    ({ summary }) => summary.attempt === 2 && summary.state.kind === 'training'
  )
  expect(portOf(second.address)).not.toBe(portOf(first.address))
  expect(second.scenarios).toEqual(['practice'])
  expect(second.attempts.at(-1)?.command).toContain(`--reef.port=${portOf(second.address)}`)
  expect(asked()).toBe(0)
})

it('a stranger that answers first is not taken for the stack, and is not asked', async () => {
  vi.stubEnv('STAND_IN_NO_HTTP', '1')
  const service = await open()
  const { run } = await service.start(request())
  const { address } = await service.get(run)
  const { asked } = await listenAsStranger(portOf(address))
  const detail = await until(
    service,
    run,
    ({ services: [driver, reef] }) =>
      driver?.state === 'ready' && /Another program listens/.test(reef?.readiness.en ?? '')
  )
  expect(detail.summary).toMatchObject({ state: { kind: 'starting' }, step: 0, served: null })
  expect(detail.services[1]?.state).toBe('starting')
  expect(asked()).toBe(0)
})

it('a stranger that comes later lends the run none of its counts, and is not talked to', async () => {
  const service = await open()
  const { run, folder } = await service.start(request())
  const before = await until(service, run, ({ summary }) => summary.step >= 2)
  const port = portOf(before.address)
  const processes = await stackProcesses(join(folder, 'logs', 'attempt-1', 'exit.json'))
  process.kill(processes?.launcher ?? 0, 'SIGUSR2')
  await until(service, run, ({ summary }) => summary.state.kind === 'unreachable')
  await listenAsStranger(port)
  const during = await until(
    service,
    run,
    ({ summary: { state } }) =>
      state.kind === 'unreachable' && /Another program listens/.test(state.why.en)
  )
  expect(during.summary.step).toBeLessThan(FOREIGN_STEP)
  expect(during.scenarios).toEqual(['practice'])
  expect((await service.chain({ run })).releases.length).toBeLessThan(100)
  await expect(service.access(run)).rejects.toMatchObject({ failure: { code: 'not-live' } })
})
