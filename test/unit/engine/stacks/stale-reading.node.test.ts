import { expect, it } from 'vitest'
import type { AttemptState } from '../../../../src-main/contract/run'
import type { RollbackPlan } from '../../../../src-main/contract/releases'
import { FailureError } from '../../../../src-main/engine/lib'
import type { RunRecord } from '../../../../src-main/engine/runs'
import type { AttemptWatch } from '../../../../src-main/engine/stacks/attempt-watch'
import type { Answer } from '../../../../src-main/engine/stacks/reef-client'
import { republish, type Republish } from '../../../../src-main/engine/stacks/stack-acts'
import { unansweredText, withStaleness } from '../../../../src-main/engine/stacks/stale-reading'
import type { SupervisorOptions } from '../../../../src-main/engine/stacks/supervisor-options'

const said = { en: 'said', zh: '所言' }
const plan: RollbackPlan = {
  way: 'refused',
  reason: said,
  title: said,
  changes: [],
  lost: [],
  kept: [],
  waitsFor: null,
  undo: said,
  planDiff: []
}
const refused = { kind: 'refused', status: 401, text: 'who are you' } as const

it('says of a plan how old what it rests on is, while the service cannot be asked', () => {
  const of = (state: AttemptState): RollbackPlan =>
    withStaleness(plan, { attempts: [{ state }] } as unknown as Pick<RunRecord, 'attempts'>)
  expect(of({ kind: 'serving', since: 0 })).toBe(plan)
  const why = unansweredText(refused)
  const { stale, ...rest } = of({ kind: 'unreachable', since: 0, what: 'stack', why })
  expect(rest).toEqual(plan)
  expect(stale?.en).toContain('was read before 1970-01-01T00:00:00.000Z')
  expect(stale?.en).toContain('refuses the token of this Slipway (HTTP 401): who are you')
  expect(stale?.zh).toContain('拒绝了 Slipway 的 token（HTTP 401）')
})

it('tells a service that refuses us from one that does not answer', () => {
  expect(unansweredText({ ...refused, status: 500 }).en).toContain('does not answer: HTTP 500')
  expect(unansweredText({ kind: 'away', why: 'ECONNREFUSED' }).en).toContain('ECONNREFUSED')
})

it.each([
  [refused, /token: set REEF_TOKEN/, 'HTTP 401: who are you'],
  [{ kind: 'away', why: 'ECONNREFUSED' }, /when the service answers/, 'ECONNREFUSED'],
  [{ kind: 'ok', value: {} }, /answers again/, undefined]
] as const)(
  'changes nothing where what is served is not told, and says why: %j',
  async (now, remedy, detail) => {
    const posted: string[] = []
    const watch = {
      journal: { state: { kind: 'unreachable', since: 0, why: said } },
      chainNow: () => Promise.resolve(null),
      service: {
        address: 'http://127.0.0.1:1',
        status: () => Promise.resolve(now as Answer<unknown>),
        republish: () => Promise.resolve(posted.push('rollback'))
      }
    } as unknown as AttemptWatch
    const act = {
      scenario: 's',
      operation: 'rollback',
      releaseId: 'a',
      step: 1
    } as unknown as Republish
    const thrown: unknown = await republish({ run: 'r' } as SupervisorOptions, watch, act).catch(
      (cause: unknown) => cause
    )
    if (!(thrown instanceof FailureError)) throw new Error('nothing was said')
    expect(thrown.failure.code).toBe('chain-unread')
    expect(thrown.failure.remedy?.en).toMatch(remedy)
    expect(thrown.failure.detail).toBe(detail)
    expect(posted).toEqual([])
  }
)
