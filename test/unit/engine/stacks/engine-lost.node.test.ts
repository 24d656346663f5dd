import { expect, it } from 'vitest'
import { AttemptState, type Exit } from '../../../../src-main/contract/run'
import { reduceAttempt } from '../../../../src-main/engine/stacks/attempt-state'
import {
  type ContainerEnd,
  engineLost,
  isTargetAway,
  targetAway
} from '../../../../src-main/engine/stacks/engine-lost'

const code = (number: number): Exit => ({ kind: 'code', code: number })

const end = (change: Partial<ContainerEnd>): ContainerEnd => ({
  exit: code(0),
  at: 1_000,
  engineSince: 500,
  targetAway: false,
  serves: true,
  done: false,
  logSaysWhy: false,
  ...change
})

it('knows the code of an end that the engine did not see, unless the log says more', () => {
  const lost = (exit: Exit, logSaysWhy = false) => engineLost(end({ exit, logSaysWhy }))
  expect(lost(code(255))?.cause.en).toContain('restarted')
  expect(lost(code(255), true)).toBeNull()
  expect(lost(code(1))).toBeNull()
  expect(lost({ kind: 'oom' })).toBeNull()
})

it('knows by the state, and by no words in it, whether the target was away or only the stack', () => {
  const serving = { kind: 'serving', since: 1 } as const
  const why = targetAway('ECONNREFUSED')
  const other = { en: 'No answer.', zh: '无应答。' }
  const lost = (what: 'target' | 'stack', said: typeof why) =>
    reduceAttempt(serving, { kind: 'lost', at: 2, what, why: said }, true)
  expect(isTargetAway(lost('target', other))).toBe(true)
  expect(isTargetAway(lost('stack', why))).toBe(false)
  const both = reduceAttempt(
    lost('stack', other),
    { kind: 'lost', at: 3, what: 'target', why },
    true
  )
  expect(both).toEqual({ kind: 'unreachable', since: 2, what: 'target', why })
  expect(AttemptState.parse(JSON.parse(JSON.stringify(both)))).toEqual(both)
  // A record of before it was told can still be read.
  const old = AttemptState.parse({ kind: 'unreachable', since: 1, why })
  expect(isTargetAway(old)).toBe(false)
})

it('calls a clean end that nobody asked for a failure where the engine was away and started again', () => {
  for (const engineSince of [1_000, 2_000, null]) {
    const found = engineLost(end({ targetAway: true, engineSince }))
    expect(found?.cause.en).toContain('the engine was restarted')
    expect(found?.cause.zh).toContain('引擎被重启')
    if (found === null) throw new Error('not found')
    const away = {
      kind: 'unreachable',
      since: 1,
      what: 'target',
      why: targetAway('ECONNREFUSED')
    } as const
    const exited = { kind: 'exited', at: 2, exit: code(0), evidence: [], ...found } as const
    expect(reduceAttempt(away, exited, true)).toMatchObject({ kind: 'failed', cause: found.cause })
  }
  // Only the way to the engine was cut.
  expect(engineLost(end({ targetAway: true, engineSince: 999 }))).toBeNull()
  expect(engineLost(end({ targetAway: true, done: true }))).toBeNull()
})

it('says of a clean end before a start of its engine that nobody saw that it may not be one', () => {
  const found = engineLost(end({ engineSince: 1_000 }))
  if (found === null) throw new Error('not found')
  const exited = { kind: 'exited', at: 2, exit: code(0), evidence: [], ...found } as const
  const training = { kind: 'training', since: 1, step: 3 } as const
  expect(reduceAttempt(training, exited, true)).toEqual({
    kind: 'stopped',
    at: 2,
    exit: code(0),
    why: found.cause,
    unsure: true
  })
  const stopping = { kind: 'stopping', since: 1, deadline: 9, awaiting: found.cause } as const
  expect(reduceAttempt(stopping, exited, true)).toEqual({
    kind: 'stopped',
    at: 2,
    exit: code(0),
    asked: true
  })
  const starting = { kind: 'starting', since: 1, service: 'reef' } as const
  expect(reduceAttempt(starting, exited, false)).toMatchObject({ kind: 'failed' })
})

it('never doubts an end that its engine has nothing to do with', () => {
  expect(engineLost(end({}))).toBeNull()
  expect(engineLost(end({ engineSince: null }))).toBeNull()
  expect(engineLost(end({ engineSince: 2_000, at: null }))).toBeNull()
  expect(engineLost(end({ engineSince: 2_000, done: true }))).toBeNull()
  expect(engineLost(end({ engineSince: 2_000, serves: false }))).toBeNull()
  expect(engineLost(end({ engineSince: 2_000, exit: code(1) }))).toBeNull()
})

it('names a start of the engine since beside a signal that ended it, unless the log says more', () => {
  for (const number of [137, 143]) {
    const killed = end({ exit: code(number), engineSince: 2_000 })
    expect(engineLost(killed)?.cause.en).toContain('started again since')
    expect(engineLost(killed)).not.toHaveProperty('ending')
    expect(engineLost({ ...killed, logSaysWhy: true })).toBeNull()
    expect(engineLost({ ...killed, engineSince: 500 })).toBeNull()
  }
})
