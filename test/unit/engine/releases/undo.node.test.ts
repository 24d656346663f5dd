import { describe, expect, it } from 'vitest'
import {
  buildBranchedChain,
  judgeStanding,
  judgeUndo,
  overtakenBy,
  parseReleaseList,
  planUndo,
  standingOf,
  waysBackIn,
  type ActHistory
} from '../../../../src-main/engine/releases'
import type { RollbackScene } from '../../../../src-main/engine/releases'

const rows = (storage: string, count: number, from = 0) =>
  parseReleaseList({
    releases: Array.from({ length: count }, (_, index) => index + from)
      .map((step) => ({
        release_id: `${storage}${step}`,
        parent_release_id: step === 0 ? null : `${storage}${step - 1}`,
        content_id: `ck-${storage}${step}`,
        content_kind: 'saved_artifact',
        checkpoint: true,
        recorded_at: step === 0 ? null : step,
        operation: step === 0 ? 'creation' : 'training',
        pending: false
      }))
      .reverse()
  }).map((row, index) => ({ ...row, step: index + from }))

const attempt = (number: number, storage: number) => ({ number, storage })

const segment = (storage: number, attempts: number[], list: ReturnType<typeof rows>) => ({
  storage,
  rows: list,
  attempts: attempts.map((number) => ({ number, startedAt: number * 1000 })),
  redeployedFrom: storage === 2 ? 1 : null,
  exports: []
})

const brief = (segments: Parameters<typeof buildBranchedChain>[0]) =>
  buildBranchedChain(segments)
    .map(({ step, commitStep, baseStep, served, leftBehind, releaseId }) => ({
      step,
      commitStep,
      baseStep,
      served,
      leftBehind,
      releaseId
    }))
    .reverse()

describe('a chain whose redeploy was taken back', () => {
  const branched = [segment(1, [1], rows('a', 3)), segment(2, [2], rows('b', 2))]

  it('serves what the old folders serve as soon as they are used again', () => {
    const chain = brief([...branched, segment(1, [3], [])])
    expect(chain.find(({ served }) => served)).toMatchObject({ step: 2, releaseId: 'a2' })
    expect(chain.filter(({ leftBehind }) => leftBehind).map(({ releaseId }) => releaseId)).toEqual([
      'b0',
      'b1'
    ])
  })

  it('goes on counting after the branch, from the head of the old folders', () => {
    const before = brief(branched)
    const chain = brief([...branched, segment(1, [3], rows('a', 2, 3))])
    expect(chain.slice(0, before.length).map(({ releaseId }) => releaseId)).toEqual(
      before.map(({ releaseId }) => releaseId)
    )
    expect(chain.slice(before.length)).toEqual([
      {
        step: 5,
        commitStep: 3,
        baseStep: 2,
        served: false,
        leftBehind: false,
        releaseId: 'a3'
      },
      {
        step: 6,
        commitStep: 4,
        baseStep: 5,
        served: true,
        leftBehind: false,
        releaseId: 'a4'
      }
    ])
  })

  it('finds the target of a rollback in the same folders, across the branch', () => {
    const [back] = parseReleaseList({
      releases: [
        {
          release_id: 'a3',
          content_id: 'ck-a1',
          content_kind: 'saved_artifact',
          checkpoint: true,
          recorded_at: 9,
          operation: 'rollback',
          rollback_target_release_id: 'a1',
          pending: false
        }
      ]
    })
    if (back === undefined) throw new Error('no row')
    const chain = buildBranchedChain([...branched, segment(1, [3], [{ ...back, step: 3 }])])
    expect(chain[0]).toMatchObject({ step: 5, rollbackTargetStep: 1, baseStep: 1 })
  })
})

describe('what undo means', () => {
  const history = (change: Partial<ActHistory>): ActHistory => ({
    attempts: [attempt(1, 1)],
    next: null,
    acts: [],
    ...change
  })

  it.each<[string, Partial<ActHistory>, ReturnType<typeof judgeUndo>]>([
    ['nothing done', {}, { kind: 'nothing' }],
    ['a restart is no change', { attempts: [attempt(1, 1), attempt(2, 1)] }, { kind: 'nothing' }],
    ['a rollback', { acts: [{ attempt: 1, from: 7 }] }, { kind: 'api', step: 7 }],
    ['a rollback of what nobody saw', { acts: [{ attempt: 1, from: null }] }, { kind: 'nothing' }],
    [
      'a redeploy, restarted since',
      { attempts: [attempt(1, 1), attempt(2, 2), attempt(3, 2)] },
      { kind: 'reopen', storage: 1, calledOff: false }
    ],
    [
      'a rollback older than the redeploy',
      { attempts: [attempt(1, 1), attempt(2, 2)], acts: [{ attempt: 1, from: 4 }] },
      { kind: 'reopen', storage: 1, calledOff: false }
    ],
    [
      'a rollback after the redeploy',
      { attempts: [attempt(1, 1), attempt(2, 2)], acts: [{ attempt: 2, from: 4 }] },
      { kind: 'api', step: 4 }
    ],
    [
      'an undo goes to the branch again',
      { attempts: [attempt(1, 1), attempt(2, 2), attempt(3, 1)] },
      { kind: 'reopen', storage: 2, calledOff: false }
    ],
    [
      'a redeploy not yet begun',
      { next: { reason: 'redeploy' } },
      { kind: 'reopen', storage: 1, calledOff: true }
    ],
    ['a restart not yet begun', { next: { reason: 'restart' } }, { kind: 'nothing' }]
  ])('%s', (_, change, verdict) => {
    expect(judgeUndo(history(change))).toEqual(verdict)
  })

  const scene: RollbackScene = {
    way: 'redeploy',
    serving: true,
    jobOut: true,
    marker: 'COMPLETE',
    lora: false,
    exportWhole: null,
    trainStep: 3,
    nextAttempt: 3,
    startsTook: [],
    graceSeconds: 150,
    trackingRun: null,
    reportsWaiting: 3,
    checkpoints: 2,
    storage: [],
    modelPath: 'm',
    startsFrom: [],
    inside: (path) => path
  }

  it('says what is served after, and refuses folders that would not start', () => {
    const chain = buildBranchedChain([segment(1, [1], rows('a', 3)), segment(2, [2], rows('b', 2))])
    const request = {
      chain,
      history: history({ attempts: [attempt(1, 1), attempt(2, 2)] }),
      scene,
      hindered: null,
      planDiff: []
    }
    const plan = planUndo(request)
    expect(plan.way).toBe('reopen')
    expect(plan.changes[0]).toMatchObject({ now: { en: 'r4' }, after: { en: 'r2' } })
    expect(plan.waitsFor?.en).toContain('waits for its commit')
    const refused = planUndo({ ...request, hindered: { en: 'RUNNING', zh: 'RUNNING' } })
    expect(refused).toMatchObject({ way: 'refused', reason: { en: 'RUNNING' } })
  })
})

describe('what an undo goes back to', () => {
  const row = (step: number, operation: string, releaseId = `a${step}`) => ({
    release_id: releaseId,
    parent_release_id: null,
    content_id: `ck-${releaseId}`,
    content_kind: 'saved_artifact',
    checkpoint: true,
    recorded_at: step,
    operation,
    pending: false
  })
  const chain = buildBranchedChain([
    segment(
      1,
      [1],
      parseReleaseList({
        releases: [
          row(4, 'training'),
          row(3, 'rollback', 'back'),
          row(2, 'training'),
          row(1, 'training'),
          row(0, 'creation')
        ]
      }).map((one, index) => ({ ...one, step: index }))
    )
  ])

  it('is the row right before the rollback, also when it was published after the asking', () => {
    expect(waysBackIn(chain, [attempt(1, 1)])).toEqual([{ attempt: 1, step: 3, from: 2 }])
  })

  it('is what the same folders served, not the branch in between', () => {
    const back = parseReleaseList({ releases: [row(9, 'rollback', 'again')] })
    const branched = buildBranchedChain([
      segment(1, [1], rows('a', 3)),
      segment(2, [2], rows('b', 2)),
      segment(
        1,
        [3],
        back.map((one) => ({ ...one, step: 3 }))
      )
    ])
    const attempts = [attempt(1, 1), attempt(2, 2), attempt(3, 1)]
    // The first row of a redeploy reads like a rollback, and is none of the service's.
    expect(waysBackIn(branched, attempts)).toEqual([{ attempt: 3, step: 5, from: 2 }])
  })

  it('lets an act go on after training, and refuses it after another act', () => {
    const standing = standingOf(chain, { attempts: [{ number: 1 }], next: null })
    expect(standing).toEqual({ attempt: 1, next: null, act: 3, served: 4 })
    const verdicts = [
      standing,
      { ...standing, served: 5 },
      { ...standing, act: 5, served: 5 },
      { ...standing, next: 'undo' as const },
      { ...standing, attempt: 2 }
    ].map((now) => judgeStanding(standing, now))
    expect(verdicts.map(({ kind }) => kind)).toEqual([
      'same',
      'trained-on',
      'went-back',
      'moved',
      'moved'
    ])
    expect(verdicts.map((verdict) => overtakenBy(verdict)?.code ?? null)).toEqual([
      null,
      null,
      'act-overtaken',
      'act-overtaken',
      'act-overtaken'
    ])
  })
})
