import { expect, it } from 'vitest'
import type { Companion } from '../../../../src-main/contract/launch'
import type { AttemptState, Exit } from '../../../../src-main/contract/run'
import {
  companionAct,
  type CompanionFacts,
  companionStatuses,
  failingText,
  failuresInRow,
  restartPause
} from '../../../../src-main/engine/stacks/companion-act'
import { buildStep } from '../../../../src-main/engine/targets'

const good: Exit = { kind: 'code', code: 0 }
const bad: Exit = { kind: 'signal', signal: 'SIGSEGV' }
const companion = { startWhenServing: true, stopWithRun: true, restart: 'on-failure' } as const
const fresh: CompanionFacts = { stack: 'serving', starts: 0, exit: null, sinceEnd: 1e9 }
const running: CompanionFacts = { ...fresh, starts: 1 }
const over = (exit: Exit, sinceEnd = 1e9): CompanionFacts => ({ ...running, exit, sinceEnd })

it.each([
  ['begins when the stack serves', companion, fresh, 'start'],
  ['waits for the stack', companion, { ...fresh, stack: 'starting' }, 'leave'],
  [
    'begins with the stack when told so',
    { ...companion, startWhenServing: false },
    { ...fresh, stack: 'starting' },
    'start'
  ],
  ['is left alone while it runs', companion, running, 'leave'],
  ['goes with the run', companion, { ...running, stack: 'stopping' }, 'stop'],
  [
    'stays when told so',
    { ...companion, stopWithRun: false },
    { ...running, stack: 'stopping' },
    'leave'
  ],
  ['does not begin while stopping', companion, { ...fresh, stack: 'stopping' }, 'leave'],
  ['has finished', companion, over(good), 'leave'],
  ['has crashed', companion, over(bad), 'start'],
  ['has crashed just now', companion, over(bad, 10), 'leave'],
  ['always begins again', { ...companion, restart: 'always' }, over(good), 'start'],
  ['never begins again', { ...companion, restart: 'never' }, over(bad), 'leave'],
  ['does not begin again while stopping', companion, { ...over(bad), stack: 'stopping' }, 'leave']
] as const)('a companion %s', (_, policy, facts, wanted) => {
  expect(companionAct(policy, facts)).toBe(wanted)
})

const handle = { kind: 'container', id: 'c', name: 'c', engine: 'd' } as const
const started = { name: 'agent', starts: 1, exit: null, startedAt: 1_000, handle } as const

it('counts failures in a row, each soon after its start', () => {
  const count = (failures: number, exit: Exit, now: number): number =>
    failuresInRow({ ...started, failures }, exit, now)
  expect(count(2, bad, 2_000)).toBe(3)
  expect(count(2, good, 2_000)).toBe(0)
  // It worked for long before it failed.
  expect(count(2, bad, 61_000)).toBe(1)
  expect(count(2, { kind: 'unknown' }, 2_000)).toBe(0)
  expect(failuresInRow({ ...started, handle: null }, { kind: 'unknown' }, 2_000)).toBe(1)
})

it('is told of when it fails each time, or fails and is not started again', () => {
  const said = (restart: Companion['restart'], exit: Exit, failures = 1, at: object = {}) =>
    failingText({ name: 'agent', restart }, { ...started, ...at, failures }, exit)
  expect(said('on-failure', bad, 2)).toBeNull()
  expect(said('on-failure', bad, 3)?.en).toContain('keeps failing: it ended by SIGSEGV, 3 times')
  expect(said('always', bad, 4)?.zh).toContain('持续失败')
  expect(said('always', good, 0)).toBeNull()
  expect(said('never', good, 0)).toBeNull()
  expect(said('never', { kind: 'unknown' }, 0)).toBeNull()
  expect(said('never', bad)?.en).toContain('is not started again')
  expect(said('never', { kind: 'unknown' }, 1, { handle: null })?.en).toContain(
    'could not be started and is not started again'
  )
})

it('pauses longer each time, up to a minute', () => {
  expect([1, 2, 3, 7, 50].map(restartPause)).toEqual([1000, 2000, 4000, 60_000, 60_000])
})

it('reads the steps of a build', () => {
  expect(buildStep('Step 3/6 : COPY stack/ /opt/practice/')).toEqual({ done: 2, total: 6 })
  expect(buildStep('#7 [tttd 3/12] RUN pip install -e .')).toEqual({ done: 2, total: 12 })
  expect(buildStep('#5 [ 2/6] COPY . /workspace/Reef')).toEqual({ done: 1, total: 6 })
  expect(buildStep('#1 [internal] load build definition')).toBeNull()
  expect(buildStep(' ---> Running in 1f2e')).toBeNull()
})

const serving: AttemptState = { kind: 'serving', since: 0 }
const stopped: AttemptState = { kind: 'stopped', at: 0, exit: good }
const inside = { kind: 'inside', folder: '/x', pid: 1 } as never
const record = (starts: number, exit: Exit | null) => ({
  name: 'agent',
  starts,
  handle: inside,
  exit
})

it.each([
  ['waits for the stack', serving, [], { state: { kind: 'waiting' }, restarts: 0, log: null }],
  ['was never needed', stopped, [], { state: { kind: 'unused' }, log: null }],
  [
    'runs, for the third time',
    serving,
    [record(3, null)],
    { state: { kind: 'running' }, restarts: 2, log: '4/companion-agent' }
  ],
  ['begins again', serving, [record(1, bad)], { state: { kind: 'restarting', exit: bad } }],
  ['is done', serving, [record(1, good)], { state: { kind: 'ended', exit: good } }],
  ['does not begin again', stopped, [record(1, bad)], { state: { kind: 'ended', exit: bad } }],
  [
    'cannot be started',
    serving,
    [{ ...record(2, { kind: 'unknown' }), handle: null }],
    { state: { kind: 'not-started', again: true } }
  ],
  [
    'could not be started',
    stopped,
    [{ ...record(2, { kind: 'unknown' }), handle: null }],
    { state: { kind: 'not-started', again: false } }
  ],
  ['outlived the attempt', stopped, [record(1, null)], { state: { kind: 'left' } }]
] as const)('a companion that %s is shown as such', (_what, state, companions, shown) => {
  const asked: Companion = {
    ...companion,
    name: 'agent',
    command: ['agent'],
    where: 'process',
    environment: []
  }
  const plan = { companions: [asked] } as never
  expect(companionStatuses({ number: 4, plan, state, companions: [...companions] })).toMatchObject([
    { name: 'agent', where: 'process', ...shown }
  ])
})
