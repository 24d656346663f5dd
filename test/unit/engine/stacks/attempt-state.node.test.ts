import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AttemptState } from '../../../../src-main/contract/run'
import {
  type AttemptEvent,
  type AttemptEventKind,
  isFinal,
  reduceAttempt
} from '../../../../src-main/engine/stacks/attempt-state'

const text = { en: 'why', zh: '为什么' }

const states = {
  planned: { kind: 'planned' },
  checking: { kind: 'checking', since: 1 },
  preparing: { kind: 'preparing', since: 1, image: 'reef' },
  starting: { kind: 'starting', since: 1, service: 'slime-driver' },
  serving: { kind: 'serving', since: 1 },
  training: { kind: 'training', since: 1, step: 4 },
  quiet: { kind: 'quiet', since: 1, why: text },
  unreachable: { kind: 'unreachable', since: 1, what: 'stack', why: text },
  stopping: { kind: 'stopping', since: 1, deadline: 151, awaiting: text },
  stopped: { kind: 'stopped', at: 1, exit: { kind: 'code', code: 0 } },
  failed: { kind: 'failed', at: 1, cause: text, evidence: [] }
} as const satisfies Record<AttemptState['kind'], AttemptState>

const end = { at: 9, cause: text, evidence: ['line'], remedy: null }
const events = {
  checking: { kind: 'checking', at: 9 },
  preparing: { kind: 'preparing', at: 9, image: 'reef' },
  starting: { kind: 'starting', at: 9, service: 'reef' },
  ready: { kind: 'ready', at: 9 },
  progressed: { kind: 'progressed', at: 9, step: 5 },
  silent: { kind: 'silent', at: 9, why: text },
  lost: { kind: 'lost', at: 9, what: 'target', why: text },
  'stop-asked': { kind: 'stop-asked', at: 9, deadline: 159, awaiting: text },
  awaiting: { kind: 'awaiting', at: 9, awaiting: text },
  exited: { kind: 'exited', exit: { kind: 'code', code: 0 }, ...end },
  refused: { kind: 'refused', ...end }
} as const satisfies Record<AttemptEventKind, AttemptEvent>

/** `=`: the same state object stays. One row a state, in the order of `events`. */
const columns = Object.keys(events) as AttemptEventKind[]
const table: Record<AttemptState['kind'], readonly (AttemptState['kind'] | '=')[]> = {
  // prettier-ignore
  planned:     ['checking', 'preparing', 'starting', 'serving', 'training', '=', '=', 'stopping', '=', 'failed', 'failed'],
  // prettier-ignore
  checking:    ['=', 'preparing', 'starting', 'serving', 'training', '=', '=', 'stopping', '=', 'failed', 'failed'],
  // prettier-ignore
  preparing:   ['=', '=', 'starting', 'serving', 'training', '=', '=', 'stopping', '=', 'failed', 'failed'],
  // prettier-ignore
  starting:    ['=', '=', 'starting', 'serving', 'training', '=', 'unreachable', 'stopping', '=', 'failed', 'failed'],
  // prettier-ignore
  serving:     ['=', '=', '=', '=', 'training', 'quiet', 'unreachable', 'stopping', '=', 'stopped', 'failed'],
  // prettier-ignore
  training:    ['=', '=', '=', '=', 'training', 'quiet', 'unreachable', 'stopping', '=', 'stopped', 'failed'],
  // prettier-ignore
  quiet:       ['=', '=', '=', '=', 'training', 'quiet', 'unreachable', 'stopping', '=', 'stopped', 'failed'],
  // prettier-ignore
  unreachable: ['=', '=', 'starting', 'serving', 'training', '=', 'unreachable', 'stopping', '=', 'failed', 'failed'],
  // prettier-ignore
  stopping:    ['=', '=', '=', '=', '=', '=', '=', 'stopping', 'stopping', 'stopped', '='],
  // prettier-ignore
  stopped:     ['=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '='],
  // prettier-ignore
  failed:      ['=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=']
}

describe('every pair of state and event', () => {
  for (const state of Object.values(states)) {
    for (const [index, name] of columns.entries()) {
      it(`${state.kind} + ${name}`, () => {
        const wanted = table[state.kind][index]
        const next = reduceAttempt(state, events[name], false)
        if (wanted === '=') expect(next).toBe(state)
        else expect(next.kind).toBe(wanted)
      })
    }
  }
})

describe('what the state alone does not say', () => {
  const exit = (code: number): AttemptEvent => ({ ...events.exited, exit: { kind: 'code', code } })
  const unseen: AttemptEvent = { ...events.exited, exit: { kind: 'unknown' } }

  it('an end before ready is a failure whatever the code', () => {
    for (const code of [0, 1, 137]) {
      expect(reduceAttempt(states.starting, exit(code), false)).toMatchObject({
        kind: 'failed',
        exit: { kind: 'code', code }
      })
    }
  })

  it('a clean end after ready is a stop, an unclean one a failure', () => {
    expect(reduceAttempt(states.training, exit(0), true).kind).toBe('stopped')
    expect(reduceAttempt(states.training, exit(1), true).kind).toBe('failed')
  })

  it('an end that was asked for says so, whatever the code', () => {
    for (const code of [0, 143])
      expect(reduceAttempt(states.stopping, exit(code), true)).toMatchObject({
        kind: 'stopped',
        asked: true
      })
    expect(reduceAttempt(states.training, exit(0), true)).not.toHaveProperty('asked')
  })

  it('an end nobody saw is not called a failure once it was ready', () => {
    expect(reduceAttempt(states.unreachable, unseen, true)).toEqual({
      kind: 'stopped',
      at: 9,
      exit: { kind: 'unknown' }
    })
    expect(reduceAttempt(states.starting, unseen, false).kind).toBe('failed')
  })

  it('an end without a record on a machine that stayed up is a failure, unless it was asked for', () => {
    const killed: AttemptEvent = { ...events.exited, exit: { kind: 'unknown' }, stayedUp: true }
    expect(reduceAttempt(states.training, killed, true)).toMatchObject({
      kind: 'failed',
      exit: { kind: 'unknown' }
    })
    expect(reduceAttempt(states.stopping, killed, true).kind).toBe('stopped')
  })

  it('an end that was asked for is a stop whatever the code', () => {
    expect(reduceAttempt(states.stopping, exit(1), true).kind).toBe('stopped')
  })

  it('silence after being out of reach is quiet only when it had been ready', () => {
    expect(reduceAttempt(states.unreachable, events.silent, true).kind).toBe('quiet')
    expect(reduceAttempt(states.unreachable, events.silent, false)).toBe(states.unreachable)
  })

  it('keeps the beginning of a state that goes on', () => {
    const other = { en: 'other', zh: '别的' }
    expect(reduceAttempt(states.quiet, { ...events.silent, why: other }, true)).toEqual({
      kind: 'quiet',
      since: 1,
      why: other
    })
    expect(reduceAttempt(states.stopping, events['stop-asked'], true)).toMatchObject({
      since: 1,
      deadline: 159
    })
  })

  it('never leaves a final state, whatever comes in whatever order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...Object.values(events)), { maxLength: 30 }),
        (sequence) => {
          let state: AttemptState = states.planned
          for (const event of sequence) {
            const next = reduceAttempt(state, event, false)
            if (isFinal(state)) expect(next).toBe(state)
            state = next
          }
        }
      )
    )
  })
})
