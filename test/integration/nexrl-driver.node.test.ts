import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import { openMetricStore } from '../../src-main/engine/metrics'
import { systemClock } from '../../src-main/engine/lib'
import type { RunService } from '../../src-main/engine/stacks'
import { WeaverClient } from '../../src-main/engine/weaver'
import { makeNexrlYard, openNexrlService, type NexrlYard } from '../support/nexrl-yard'
import { ended, endEverything, until } from '../support/run-service'
import { startWeaver, WEAVER_KEY, type WeaverServer } from '../support/weaver-server'

const KEY = 'sk-yard-0123456789abcdef'

let yard: NexrlYard
let services: RunService[] = []

beforeEach(() => {
  yard = makeNexrlYard()
  services = []
  vi.stubEnv('WEAVER_API_KEY', KEY)
  vi.stubEnv('NEXRL_DATA_PATH', yard.root)
})

afterEach(async () => {
  await endEverything(services)
  vi.unstubAllEnvs()
  await yard.remove()
})

async function launched(
  mode: string,
  more: Partial<LaunchRequest> = {}
): Promise<{ service: RunService; run: string; folder: string }> {
  vi.stubEnv('NEXRL_DRIVER_MODE', mode)
  const service = await openNexrlService(yard)
  services.push(service)
  const started = await service.start(LaunchRequest.parse({ recipe: yard.recipe, ...more }))
  return { service, ...started }
}

async function toTheEnd(mode: string): Promise<RunDetail & { folder: string }> {
  const { service, run, folder } = await launched(mode)
  const detail = await until(service, run, ({ summary }) => ended(summary.state))
  return { ...detail, folder }
}

it('follows a driver to its last step and calls it done, by the log alone', async () => {
  const { summary, nexrl, events, folder } = await toTheEnd('done')
  expect(summary.state).toMatchObject({ kind: 'stopped', exit: { kind: 'code', code: 0 } })
  expect(summary.now.en).toBe('Done: all 3 steps are trained.')
  expect(summary).toMatchObject({ step: 3, served: 'v3', recipe: { dialect: 'nexrl' } })
  expect(nexrl).toMatchObject({
    verdict: 'done',
    model: 'm-1f2e',
    loader: { done: 8, of: 8, exhausted: false },
    workers: { active: 4, of: 4 },
    rewards: { mean: 0.5, groups: 6, equalGroups: 3 },
    pool: { finished: 24 },
    trainer: { steps: 3, of: 3, skipped: 0 },
    sync: { mode: 'sync', version: 3, lag: 0, failures: 0 },
    exportedCount: 3
  })
  expect(nexrl?.exported.at(-1)?.path).toBe('weaver://m-1f2e/checkpoints/step_000003')
  const told = events.map(({ kind }) => kind)
  expect(told).toEqual(expect.arrayContaining(['service-ready', 'nexrl-done', 'weights-expire']))

  // The key stands in the stack's own log, is named with its line, and in nothing that is Slipway's.
  const log = await readFile(join(folder, 'logs/attempt-1/nexrl.log'), 'utf8')
  const line = log.split('\n').findIndex((text) => text.includes(KEY)) + 1
  const clear = events.find(({ kind }) => kind === 'secret-in-clear')
  expect(clear?.data).toMatchObject({ name: 'WEAVER_API_KEY', line })
  for (const file of ['run.json', 'events.jsonl', 'resolved.json']) {
    expect(await readFile(join(folder, file), 'utf8'), file).not.toContain(KEY)
  }

  const metrics = await openMetricStore(join(folder, 'metrics'))
  try {
    const reward = metrics.series().find(({ key }) => key === 'rollout/reward_mean')
    expect(reward).toMatchObject({
      count: 3,
      first: { x: 0, value: 0.25 },
      last: { x: 2, value: 0.5 }
    })
    expect(metrics.keys().map(({ key }) => key)).toEqual(
      expect.arrayContaining(['training/loss:sum', 'training/grad_norm', 'timing/training_time'])
    )
  } finally {
    await metrics.close()
  }
})

it('calls a crash a crash and says what it was', async () => {
  const { summary, nexrl } = await toTheEnd('crash')
  expect(nexrl?.verdict).toBe('crashed')
  expect(summary.state).toMatchObject({ kind: 'failed', exit: { kind: 'code', code: 1 } })
  if (summary.state.kind !== 'failed') throw new Error('not failed')
  expect(summary.state.cause.en).toContain('log-probabilities')
  expect(summary.state.evidence.join('\n')).toContain("Key 'logprobs' not found in Trajectory")
})

it('calls used-up data an early end', async () => {
  const { summary, nexrl } = await toTheEnd('exhausted')
  expect(nexrl?.verdict).toBe('ended-early')
  expect(summary.state.kind).toBe('stopped')
  expect(summary.now.en).toMatch(/^Ended early after 3 steps/)
})

it.each([
  ['health', 'health check found errors', 'System health check'],
  ['liveness', 'a module died', 'dead modules']
])('calls a %s stop a failure although it ends with code 0', async (mode, cause, evidence) => {
  const { summary, nexrl } = await toTheEnd(mode)
  expect(nexrl?.verdict).toBe('failed')
  expect(summary.state).toMatchObject({ kind: 'failed', exit: { kind: 'code', code: 0 } })
  if (summary.state.kind !== 'failed') throw new Error('not failed')
  expect(summary.state.cause.en).toContain(cause)
  expect(summary.state.evidence[0]).toContain(evidence)
})

it('does not count an end without a word as done', async () => {
  const { summary, nexrl } = await toTheEnd('quiet-end')
  expect(nexrl?.verdict).toBe('unknown')
  expect(summary.now.en).toContain('Do not count it as done')
})

it('names the variable whose absence stopped it at start', async () => {
  const { summary } = await toTheEnd('stale')
  if (summary.state.kind !== 'failed') throw new Error('not failed')
  expect(summary.state.cause.en).toContain('WANDB_HOST')
})

it('calls a silent driver unknown after three heartbeats, and stops it', async () => {
  const { service, run } = await launched('silent')
  const quiet = await until(service, run, ({ summary }) => summary.state.kind === 'quiet')
  expect(quiet.nexrl?.verdict).toBe('unknown')
  expect(quiet.summary.now.en).toMatch(/^Not known: no line for \d+ s/)
  expect(quiet.stopCost?.en).toContain('Stopping ends the model')
  await service.stop({ run, force: false })
  const { summary } = await until(service, run, (detail) => ended(detail.summary.state))
  expect(summary.state.kind).toBe('stopped')
})

it('goes on with a driver that another engine started', async () => {
  vi.stubEnv('NEXRL_DRIVER_STEPS', '40')
  const first = await launched('done')
  await until(first.service, first.run, ({ nexrl }) => (nexrl?.trainer.steps ?? 0) >= 2)
  await first.service.dispose()
  services = []
  const second = await openNexrlService(yard, { watch: 'all' })
  services.push(second)
  const { nexrl } = await until(second, first.run, ({ summary }) => ended(summary.state), 60_000)
  expect(nexrl).toMatchObject({ verdict: 'done', trainer: { steps: 40 }, exportedCount: 40 })
})

it('gives a second attempt a folder of its own', async () => {
  const { service, run, folder } = await launched('exhausted')
  await until(service, run, ({ summary }) => ended(summary.state))
  vi.stubEnv('NEXRL_DRIVER_MODE', 'done')
  await service.restart({ run })
  const { attempts, nexrl, events } = await until(
    service,
    run,
    ({ summary }) => summary.attempt === 2 && ended(summary.state)
  )
  const anew = events.filter(({ kind }) => kind === 'nexrl-begins-anew')
  expect(anew).toHaveLength(1)
  expect(anew[0]?.text.en).toContain('begins at step 0 with a new model')
  expect(attempts[1]?.command).toContain('experiment-2')
  expect(nexrl?.verdict).toBe('done')
  for (const number of [1, 2]) {
    const steps = await readFile(join(folder, `experiment-${number}`, 'steps.txt'), 'utf8')
    expect(steps.trim().split('\n')).toEqual(['0', '1', '2'])
  }
})

it('is launched on GPUs of one’s own, with the addresses of services that run already', async () => {
  const asked: unknown[] = []
  const services = createServer((request, response) => {
    asked.push(request.headers['x-asked-for'])
    response.end('{}')
  })
  await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve))
  try {
    const address = services.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    vi.stubEnv('INFERENCE_BASE_URL', `127.0.0.1:${address.port}`)
    vi.stubEnv('API_SERVER_URL', `127.0.0.1:${address.port}`)
    const { service, run } = await launched('done', { recipe: yard.selfHosted })
    const { summary, nexrl } = await until(service, run, (detail) => ended(detail.summary.state))
    expect(summary.state).toMatchObject({ kind: 'stopped' })
    expect(nexrl).toMatchObject({ verdict: 'done', plan: { service: 'own', mode: 'self-hosted' } })
    expect(asked).toEqual(['INFERENCE_BASE_URL', 'API_SERVER_URL'])
  } finally {
    services.close()
  }
})

/** A server that has the weights of so many steps. */
async function weaverWith(steps: number): Promise<WeaverServer> {
  const server = await startWeaver()
  const [sample] = server.checkpoints
  if (sample === undefined) throw new Error('no checkpoint')
  server.checkpoints = Array.from({ length: steps }, (_, index) => ({
    ...sample,
    id: `cp-${index + 1}`,
    path: `weaver://m-1f2e/checkpoints/step_${String(index + 1).padStart(6, '0')}`
  }))
  return server
}

it('takes up a rule that is made while it runs', async () => {
  const server = await weaverWith(60)
  try {
    vi.stubEnv('NEXRL_DRIVER_STEPS', '60')
    const access = { server: server.url, key: WEAVER_KEY, clock: systemClock }
    const service = await openNexrlService(yard, {
      weaver: () => Promise.resolve(new WeaverClient(access))
    })
    services.push(service)
    const { run } = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
    await until(service, run, ({ nexrl }) => (nexrl?.trainer.steps ?? 0) >= 2)
    expect(server.requests).toEqual([])
    await service.update({ run, extendEvery: 3 })
    const { nexrl } = await until(service, run, ({ nexrl: now }) =>
      (now?.exported ?? []).some(({ expiresAt }) => expiresAt === null)
    )
    expect(nexrl?.plan.extendEvery).toBe(3)
    expect(server.requests.map(({ method }) => method)).toContain('PATCH')
  } finally {
    await server.close()
  }
})

it('keeps every second step’s weights for good while it watches, and says so', async () => {
  const server = await weaverWith(4)
  try {
    vi.stubEnv('NEXRL_DRIVER_STEPS', '4')
    const access = { server: server.url, key: WEAVER_KEY, clock: systemClock }
    const service = await openNexrlService(yard, {
      weaver: () => Promise.resolve(new WeaverClient(access))
    })
    services.push(service)
    const nexrl = { extendEvery: 2 }
    const { run } = await service.start(LaunchRequest.parse({ recipe: yard.recipe, nexrl }))
    const detail = await until(service, run, ({ summary }) => ended(summary.state))
    const extended = server.requests.filter(({ method }) => method === 'PATCH')
    expect(extended.map(({ body }) => body)).toEqual(
      [2, 4].map((step) => ({
        path: `weaver://m-1f2e/checkpoints/step_00000${step}`,
        ttl_seconds: null
      }))
    )
    expect(detail.nexrl?.exported.map(({ expiresAt }) => expiresAt === null)).toEqual([
      ...[false, true, false, true]
    ])
    expect(detail.events.filter(({ kind }) => kind === 'weaver-extended')).toHaveLength(2)
  } finally {
    await server.close()
  }
})
