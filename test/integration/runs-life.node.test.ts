import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import { openMetricStore } from '../../src-main/engine/metrics'
import type { RunService } from '../../src-main/engine/stacks'
import {
  ended,
  endEverything,
  makeYard,
  openService,
  recipeText,
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
  vi.unstubAllEnvs()
  await endEverything(services)
  await yard.remove()
})

async function open(options: Parameters<typeof openService>[1] = {}): Promise<RunService> {
  const service = await openService(yard, options)
  services.push(service)
  return service
}

const request = (more: object = {}): LaunchRequest =>
  LaunchRequest.parse({ recipe: yard.recipe, ...more })

it('calls an end before ready a failure whatever the code, and says why', async () => {
  vi.stubEnv('STAND_IN_FAIL', "service 'slime-driver' exited before ready")
  vi.stubEnv('STAND_IN_FAIL_CODE', '0')
  const service = await open()
  const { run } = await service.start(request())
  const { summary } = await until(service, run, (detail) => ended(detail.summary.state))
  expect(summary.state).toMatchObject({ kind: 'failed', exit: { kind: 'code', code: 0 } })
  if (summary.state.kind !== 'failed') throw new Error('not failed')
  expect(summary.state.evidence.join('\n')).toContain("service 'slime-driver' exited before ready")
  expect(summary.state.cause.en).toContain('One service ended')
})

it('moves a second run to a free port and says so in the plan', async () => {
  const service = await open()
  const first = await service.start(request())
  await until(service, first.run, (detail) => detail.summary.state.kind === 'training')
  const plan = await service.plan(request())
  expect(plan.notes[0]?.en).toMatch(/is taken/)
  const second = await service.start(request())
  await until(service, second.run, (detail) => detail.summary.state.kind === 'training')
  expect((await service.get(first.run)).address).not.toBe((await service.get(second.run)).address)
})

it('waits out the grace period, says so, and ends a deaf stack only by force', async () => {
  vi.stubEnv('STAND_IN_DEAF', '1')
  const service = await open({ graceSeconds: 0.3 })
  const { run } = await service.start(request())
  await until(service, run, (detail) => detail.summary.step > 0)
  await service.stop({ run, force: false })
  await until(
    service,
    run,
    ({ summary: { state } }) =>
      state.kind === 'stopping' && state.awaiting.en.startsWith('The grace period is over')
  )
  await service.stop({ run, force: true })
  const { summary } = await until(service, run, (detail) => ended(detail.summary.state))
  expect(summary.state).toEqual({
    kind: 'stopped',
    asked: true,
    at: expect.any(Number) as number,
    exit: { kind: 'signal', signal: 'SIGKILL' }
  })
})

it('restarts as a new attempt on the same storage', async () => {
  const service = await open()
  const { run, folder } = await service.start(request())
  await until(service, run, (detail) => detail.summary.step >= 3)
  await service.restart({ run })
  const at = await until(
    service,
    run,
    (detail) => detail.summary.attempt === 2 && detail.summary.state.kind === 'training'
  )
  const before = at.summary.step
  await until(service, run, (detail) => detail.summary.step > before)
  await service.stop({ run, force: false })
  await until(service, run, (detail) => ended(detail.summary.state))
  const committed = (await standInJournal(folder)).filter((entry) => entry.kind === 'commit')
  const rows = (await service.store.releases(run)).filter((row) => row.step > 0)
  expect(rows.map((row) => row.step)).toEqual(committed.map((entry) => entry.step))
  const chain = await service.chain({ run })
  expect(new Set(chain.releases.map((release) => release.attempt))).toEqual(new Set([1, 2]))
  expect(await readdir(join(folder, 'logs'))).toEqual(['attempt-1', 'attempt-2'])
})

it('goes back by a redeploy and leaves the old storage as it was', async () => {
  const port = Number(/port: (\d+)/.exec(await readFile(yard.recipe, 'utf8'))?.[1])
  await writeFile(yard.recipe, recipeText(port, 'redeploy'))
  const service = await open()
  const { run, folder } = await service.start(request())
  await until(service, run, (detail) => detail.summary.step >= 3)
  const plan = await service.rollbackPlan({ run, step: 2 })
  expect(plan.way).toBe('redeploy')
  await service.rollback({ run, step: 2, why: 'worse since' })
  const detail = await until(
    service,
    run,
    ({ summary }) => summary.attempt === 2 && summary.state.kind === 'training'
  )
  expect(detail.attempts[1]?.command).toContain(
    `--inference.model-path=${join(folder, 'stack', 'work', 'ckpt', 'hf', '1')}`
  )
  const old = await standInJournal(folder)
  await until(service, run, ({ summary }) => summary.step > detail.summary.step)
  expect(await standInJournal(folder)).toEqual(old)
  const chain = await service.chain({ run })
  const branch = chain.releases.find((release) => release.rollbackTargetStep === 2)
  expect(branch?.operation).toBe('rollback')
  expect(branch?.attempt).toBe(2)
})

it('reads what happened while nobody watched, to the end', async () => {
  vi.stubEnv('STAND_IN_EXIT_AFTER', '40')
  vi.stubEnv('STAND_IN_STEP_MS', '40')
  const unwatched = join(yard.root, 'unwatched')
  vi.stubEnv('STAND_IN_HOLD', unwatched)
  const first = await open()
  const { run, folder } = await first.start(request())
  await until(first, run, (detail) => detail.summary.step >= 2)
  await first.dispose()
  await writeFile(unwatched, '')
  services = []
  const second = await open()
  const handle = (await second.store.read(run)).attempts[0]?.handle
  if (handle?.kind !== 'process') throw new Error('no process')
  const target = await second.targetOf(run)
  await new Promise<void>((resolve) => {
    target.onExit(handle, resolve)
  })
  expect((await second.get(run)).summary.state.kind).toBe('training')
  await second.reconcile()
  const { summary } = await until(second, run, (detail) => ended(detail.summary.state))
  expect(summary.state).toMatchObject({ kind: 'stopped', exit: { kind: 'code', code: 0 } })
  const committed = (await standInJournal(folder)).filter((entry) => entry.kind === 'commit')
  expect(committed).toHaveLength(40)
  const rows = (await second.store.releases(run)).filter((row) => row.step > 0)
  expect(rows.map((row) => row.step)).toEqual(committed.map((entry) => entry.step))
  // Each step has its reward by receipt, from the records that were left; the trainer logged the same means.
  expect(summary.reward?.key).toBe('reward/reports')
  const metrics = await openMetricStore(second.paths(run).metrics)
  const points = new Map<number, number>()
  for await (const { x, value } of metrics.samples('reward/reports')) points.set(x, value)
  await metrics.close()
  expect([...points.keys()]).toEqual(rows.map(({ step }) => step))
  for (const [step, value] of points) expect(value).toBeCloseTo(1 - 1 / step, 9)
})

/** A run whose service holds so many records when nobody watches it any more. */
async function unwatched(records: number): Promise<string> {
  vi.stubEnv('STAND_IN_STEP_MS', '0')
  vi.stubEnv('STAND_IN_RECORDS', String(records))
  const first = await open()
  const { run } = await first.start(request())
  await until(first, run, ({ summary }) => summary.state.kind === 'serving')
  await first.dispose()
  services = []
  return run
}

it('reads a long history in one look', async () => {
  const run = await unwatched(60_000)
  const second = await open()
  expect(await second.look(run)).toEqual([])
  expect((await second.get(run)).summary.stages).toMatchObject({ served: 30_000, reported: 30_000 })
})

it('names the time of what a look that took too long has seen', async () => {
  const run = await unwatched(1e9)
  const began = Date.now()
  const second = await open({
    clock: {
      now: () => Date.now(),
      // Six seconds a second: a look is given up after fifteen.
      ticks: () => performance.now() * 6,
      after: (ms, run) => {
        const timer = setTimeout(run, ms / 6)
        return () => {
          clearTimeout(timer)
        }
      }
    }
  })
  const before = (await second.get(run)).summary.stages.served
  const [unseen] = await second.look(run)
  expect(unseen?.seenAt).toBeGreaterThan(began)
  expect((await second.get(run)).summary.stages.served).toBeGreaterThan(before)
})

it('calls silence quiet, with the reason, and never dead', async () => {
  vi.stubEnv('STAND_IN_STEP_MS', '0')
  const service = await open({ quietAfterMs: 500 })
  const { run } = await service.start(request())
  const { summary } = await until(service, run, (one) => one.summary.state.kind === 'quiet')
  expect(summary.now.en).toMatch(/^No request has come yet/)
})

it('ends what does not become ready in time, by a clock that is not ours to wait for', async () => {
  vi.stubEnv('STAND_IN_MUTE', '1')
  const service = await open({
    clock: {
      now: () => Date.now(),
      // A minute a second: the deadline of the driver is two minutes.
      ticks: () => performance.now() * 60,
      after: (ms, run) => {
        const timer = setTimeout(run, ms)
        return () => {
          clearTimeout(timer)
        }
      }
    }
  })
  const { run } = await service.start(request())
  const { summary } = await until(service, run, (detail) => ended(detail.summary.state))
  if (summary.state.kind !== 'failed') throw new Error('not failed')
  expect(summary.state.cause.en).toMatch(/^slime-driver did not become ready within 120 s/)
  const handle = (await service.store.read(run)).attempts[0]?.handle
  if (handle?.kind !== 'process') throw new Error('no process')
  expect((await (await service.targetOf(run)).look(handle)).kind).toBe('exited')
})
