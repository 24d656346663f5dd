import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Alert } from '../../../../src-main/contract/alerts'
import type { RunEvent, RunSummary } from '../../../../src-main/contract/run'
import { AlertWatch } from '../../../../src-main/engine/alerts'
import { alertsOf } from '../../../../src-main/engine/alerts/judge'
import { Changes, systemClock } from '../../../../src-main/engine/lib'
import { nothingSeen } from '../../../../src-main/engine/runs/run-record'

const text = { en: 'said', zh: '所言' }

function run(state: RunSummary['state'], attempt = 1): RunSummary {
  const target = { id: 'local', name: 'here', kind: 'process' } as const
  const recipe = {
    name: 'r',
    path: '/r',
    dialect: 'reef-v2',
    family: null,
    practice: true
  } as const
  return {
    id: 'run-1',
    folder: '/f',
    name: 'My run',
    tags: [],
    starred: false,
    archived: false,
    ...{
      recipe: { ...recipe, model: null },
      target,
      attempt,
      state,
      step: 7,
      trainStep: 7,
      served: 'r6'
    },
    startedAt: 0,
    endedAt: null,
    lastSampleAt: null,
    reward: null,
    now: text,
    stages: nothingSeen.stages
  }
}

const event = (kind: string, at: number, step?: number): RunEvent => ({
  at,
  attempt: 1,
  kind,
  text,
  ...(step === undefined ? {} : { step })
})

const failed = (at: number): RunSummary['state'] => ({
  kind: 'failed',
  at,
  cause: text,
  evidence: []
})

it('tells a crash, long quiet, NaN, a collapse and a filling disk, and nothing of an ordinary run', () => {
  const kinds = (summary: RunSummary, events: RunEvent[], now = 0): string[] =>
    alertsOf(summary, events, now, 1_000).map(({ kind }) => kind)
  expect(kinds(run(failed(5)), [])).toEqual(['crash'])
  const stopped = { kind: 'stopped', at: 5, exit: { kind: 'code', code: 0 }, why: text } as const
  expect(kinds(run(stopped), [])).toEqual([])
  expect(kinds(run({ ...stopped, unsure: true }), [])).toEqual(['unsure-end'])
  const quiet = run({ kind: 'quiet', since: 0, why: text })
  expect(kinds(quiet, [], 999)).toEqual([])
  expect(kinds(quiet, [], 1_000)).toEqual(['quiet'])
  const training = run({ kind: 'training', since: 0, step: 7 })
  expect(kinds(training, [event('service-ready', 1), event('stop-asked', 2)])).toEqual([])
  const signs = ['not-finite', 'nan-gradient', 'reward-collapse', 'disk-filling']
  expect(
    kinds(
      training,
      signs.map((kind) => event(kind, 1, 3))
    )
  ).toEqual([...['not-finite', 'reward-collapse', 'disk']])
})

it('tells of each companion that fails once an attempt', () => {
  const failing = (name: string, at: number, attempt = 1): RunEvent => ({
    ...event('companion-failing', at),
    attempt,
    data: { name }
  })
  const events = [failing('a', 1), failing('b', 2), failing('a', 3), failing('a', 4, 2)]
  const found = alertsOf(run({ kind: 'serving', since: 0 }), events, 9, 1_000)
  expect(found.map(({ kind, at }) => [kind, at])).toEqual([
    ['companion', 1],
    ['companion', 2],
    ['companion', 4]
  ])
})

it('tells each fault of a metric once, whatever the attempt', () => {
  const unhealthy = (fault: string, at: number, attempt = 1): RunEvent => ({
    ...event('metric-unhealthy', at, 3),
    attempt,
    data: { key: `metric-unhealthy ${fault}` }
  })
  const training = run({ kind: 'training', since: 0, step: 7 })
  const events = [
    unhealthy('1 a', 1),
    unhealthy('1 b', 2),
    unhealthy('1 a', 3, 2),
    unhealthy('2 a', 4, 2)
  ]
  const found = alertsOf(training, events, 9, 1_000)
  expect(found.map(({ kind, at }) => [kind, at])).toEqual([
    ['unhealthy', 1],
    ['unhealthy', 2],
    ['unhealthy', 4]
  ])
  expect(new Set(found.map(({ id }) => id)).size).toBe(3)
})

let home: string
const open: AlertWatch[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-alerts-'))
})

afterEach(async () => {
  for (const watch of open.splice(0)) await watch.dispose()
  await rm(home, { recursive: true })
})

/** Runs that change when told to. */
class Runs {
  private readonly changes = new Changes()
  events: RunEvent[] = []
  constructor(private summary: RunSummary) {}
  readonly store = { events: () => Promise.resolve(this.events) }
  set(summary: RunSummary): void {
    this.summary = summary
    this.changes.mark()
  }
  async *watch(signal: AbortSignal) {
    for await (const _ of this.changes.watch(0, signal)) {
      void _
      yield { runs: [this.summary], damaged: [] }
    }
  }
}

async function watch(runs: Runs, told: Alert[]): Promise<AlertWatch> {
  const notify = (alert: Alert): Promise<void> => {
    told.push(alert)
    return Promise.resolve()
  }
  const made = await AlertWatch.open({ home, runs, clock: systemClock, notify })
  open.push(made)
  return made
}

async function until(alerts: AlertWatch, count: number): Promise<Alert[]> {
  for await (const { alerts: shown } of alerts.watch()) if (shown.length === count) return shown
  throw new Error('ended')
}

it('tells each thing once, also after a restart, and not what was before the first start', async () => {
  const told: Alert[] = []
  const runs = new Runs(run(failed(1)))
  const first = await watch(runs, told)
  runs.set(run(failed(Date.now() + 1), 2))
  const [crash] = await until(first, 1)
  expect(crash).toMatchObject({ kind: 'crash', run: 'run-1', runName: 'My run', step: 7 })
  await first.dispose()
  const second = await watch(runs, told)
  runs.events = [event('reward-collapse', Date.now() + 1, 12)]
  runs.set(run(failed(Date.now() + 2), 2))
  expect((await until(second, 2)).map(({ kind, step }) => [kind, step])).toEqual([
    ['reward-collapse', 12],
    ['crash', 7]
  ])
  expect(told.map(({ kind }) => kind)).toEqual(['crash', 'reward-collapse'])
})

it('knows what nobody has looked at, also after a restart', async () => {
  const unseen = async (alerts: AlertWatch): Promise<number> => {
    for await (const { unseen: count } of alerts.watch()) return count
    throw new Error('ended')
  }
  const runs = new Runs(run(failed(Date.now() + 1)))
  const first = await watch(runs, [])
  await until(first, 1)
  expect(await unseen(first)).toBe(1)
  await first.see()
  expect(await unseen(first)).toBe(0)
  runs.set(run(failed(Date.now() + 2), 2))
  await until(first, 2)
  expect(await unseen(first)).toBe(1)
  await first.dispose()
  expect(await unseen(await watch(runs, []))).toBe(1)
})
