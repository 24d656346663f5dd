import { expect, it } from 'vitest'
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

it('calls a clean end that nobody asked for a failure where the engine was away', () => {
  const exit = { kind: 'code', code: 0 } as const
  const found = endedWithEngine(exit)
  expect(found?.cause.en).toContain('the engine was restarted')
  expect(found?.cause.zh).toContain('引擎被重启')
  expect(endedWithEngine({ kind: 'code', code: 1 })).toBeNull()
  const away = { kind: 'unreachable', since: 1, why: targetAway('ECONNREFUSED') } as const
  expect(isTargetAway(away)).toBe(true)
  expect(isTargetAway({ ...away, why: { en: 'No answer.', zh: '无应答。' } })).toBe(false)
  if (found === null) throw new Error('not found')
  const end = reduceAttempt(away, { kind: 'exited', at: 2, exit, evidence: [], ...found }, true)
  expect(end).toMatchObject({ kind: 'failed', cause: found.cause })
})
