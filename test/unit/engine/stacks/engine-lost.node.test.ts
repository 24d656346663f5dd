import { expect, it } from 'vitest'
import { AttemptState } from '../../../../src-main/contract/run'
import { reduceAttempt } from '../../../../src-main/engine/stacks/attempt-state'
import {
  endedWithEngine,
  engineLost,
  isTargetAway,
  targetAway
} from '../../../../src-main/engine/stacks/engine-lost'

it('knows the code of an end that the engine did not see, unless the log says more', () => {
  expect(engineLost({ kind: 'code', code: 255 }, false)?.cause.en).toContain('restarted')
  expect(engineLost({ kind: 'code', code: 255 }, true)).toBeNull()
  expect(engineLost({ kind: 'code', code: 1 }, false)).toBeNull()
  expect(engineLost({ kind: 'oom' }, false)).toBeNull()
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

it('calls a clean end that nobody asked for a failure where the engine was away', () => {
  const exit = { kind: 'code', code: 0 } as const
  const found = endedWithEngine(exit)
  expect(found?.cause.en).toContain('the engine was restarted')
  expect(found?.cause.zh).toContain('引擎被重启')
  expect(endedWithEngine({ kind: 'code', code: 1 })).toBeNull()
  const away = {
    kind: 'unreachable',
    since: 1,
    what: 'target',
    why: targetAway('ECONNREFUSED')
  } as const
  if (found === null) throw new Error('not found')
  const end = reduceAttempt(away, { kind: 'exited', at: 2, exit, evidence: [], ...found }, true)
  expect(end).toMatchObject({ kind: 'failed', cause: found.cause })
})
