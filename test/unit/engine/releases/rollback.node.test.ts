import { describe, expect, it } from 'vitest'
import { RollbackPlan } from '../../../../src-main/contract/releases'
import {
  buildChain,
  judgePromote,
  judgeRestartInPlace,
  judgeRollback,
  planPromote,
  planRollback,
  planRollbackWithOptimizer,
  type ChainRow,
  type IterationFacts,
  type Refusal,
  type RollbackScene,
  type RootState
} from '../../../../src-main/engine/releases'

function row(partial: Partial<ChainRow>): ChainRow {
  return {
    releaseId: 'r',
    parentReleaseId: null,
    contentId: 'c',
    contentKind: 'saved_artifact',
    checkpoint: true,
    recordedAt: null,
    operation: 'training',
    pending: false,
    rollbackTarget: null,
    metrics: {},
    step: null,
    trainingJobId: null,
    rolloutId: null,
    consumed: null,
    ...partial
  }
}

/** r0 creation, r1 saved, r2 live, r3 rejected, r4 saved, r5 unsaved, r6 held, r7 live and served. */
const chain = buildChain(
  [
    row({ releaseId: 'c0', operation: 'creation' }),
    row({ releaseId: 'a', trainingJobId: 'j1', metrics: { 'rollout/rewards': 0.555 } }),
    row({ releaseId: 'live:1:1:2', contentKind: 'live_weights', checkpoint: false }),
    row({
      releaseId: 'live:1:1:2',
      contentKind: 'live_weights',
      checkpoint: false,
      metrics: { selected: false }
    }),
    row({ releaseId: 'b', trainingJobId: 'j4' }),
    row({ releaseId: 'u', checkpoint: false }),
    row({ releaseId: 'p', pending: true }),
    row({
      releaseId: 'live:1:2:7',
      contentKind: 'live_weights',
      checkpoint: false,
      metrics: { 'rollout/rewards': 0.697 }
    })
  ],
  [],
  { exports: [{ path: '/ck/hf/0', rolloutId: 0, jobId: 'j1' }] }
)

const scene: RollbackScene = {
  way: 'redeploy',
  serving: true,
  jobOut: false,
  marker: 'COMPLETE',
  lora: false,
  exportWhole: true,
  trainStep: 921,
  nextAttempt: 3,
  startsTook: [100_000, 348_000, 370_000],
  graceSeconds: 150,
  trackingRun: 'deepmath-s0-a2',
  reportsWaiting: 73,
  checkpoints: 14,
  storage: [{ path: 'storage.agent-record-dir', now: 'work/record', after: 'work-a3/record' }],
  modelPath: 'Qwen/Qwen2.5-1.5B',
  startsFrom: [],
  inside: (path) => path
}

describe('what a step allows', () => {
  const refusals: [string, number, Partial<RollbackScene>, Refusal][] = [
    ['unknown', 99, {}, 'no-such-step'],
    ['served', 7, {}, 'already-served'],
    ['live', 2, {}, 'live-weights'],
    ['rejected', 3, {}, 'nothing-published'],
    ['no checkpoint', 5, {}, 'no-checkpoint'],
    ['held', 6, {}, 'held'],
    ['no way', 1, { way: 'none' }, 'no-way'],
    ['api while down', 1, { way: 'api', serving: false }, 'not-serving'],
    ['an adapter', 1, { lora: true }, 'adapter-as-files'],
    ['no export tied', 4, {}, 'export-unknown'],
    ['export broken', 1, { exportWhole: false }, 'export-broken']
  ]
  it.each(refusals)(
    '%s is refused with its reason in both languages',
    (_name, step, changed, because) => {
      expect(judgeRollback(chain, step, { ...scene, ...changed })).toMatchObject({
        kind: 'refused',
        because
      })
      const plan = planRollback({ chain, step, scene: { ...scene, ...changed } })
      expect(plan.way).toBe('refused')
      expect(plan.reason.en).not.toBe('')
      expect(plan.reason.zh).toMatch(/[一-鿿]/)
      expect(plan.planDiff).toEqual([])
      expect(RollbackPlan.parse(plan)).toEqual(plan)
    }
  )

  it('names the nearest saved release when live weights cannot come back', () => {
    expect(planRollback({ chain, step: 2, scene }).reason.en).toContain('nearest saved one is r1')
  })

  it('goes by the plan: weights that need a redeploy never reach the API', () => {
    expect(judgeRollback(chain, 1, scene).kind).toBe('redeploy')
    expect(judgeRollback(chain, 1, { ...scene, way: 'api' }).kind).toBe('api')
  })

  it('can redeploy a stopped stack, and waits for a job only while one may be out', () => {
    expect(judgeRollback(chain, 1, { ...scene, serving: false, jobOut: null })).toMatchObject({
      kind: 'redeploy',
      wait: 'nothing'
    })
    expect(judgeRollback(chain, 1, { ...scene, jobOut: true })).toMatchObject({ wait: 'commit' })
    expect(judgeRollback(chain, 1, { ...scene, jobOut: null })).toMatchObject({
      wait: 'unknown-job'
    })
  })

  it.each(['RUNNING', 'READY_TO_COMMIT', 'REJECTED', 'unreadable'] as const)(
    'says that a stopped root at %s cannot be undone to',
    (marker) => {
      expect(judgeRollback(chain, 1, { ...scene, serving: false, marker })).toMatchObject({
        kind: 'redeploy',
        undoable: false
      })
      expect(
        planRollback({ chain, step: 1, scene: { ...scene, serving: false, marker } }).undo.en
      ).toContain('COMPLETE')
    }
  )
})

describe('the redeploy plan', () => {
  const plan = planRollback({ chain, step: 1, scene: { ...scene, jobOut: true } })
  it('says content, numbering, what starts anew, down time and tracking', () => {
    expect(plan.title.en).toBe('Go back to r1 by redeploying its checkpoint?')
    expect(plan.changes.map((change) => change.what.en)).toEqual([
      'Served',
      'Numbering',
      'Optimizer moments, critic',
      'Serving',
      'Reports waiting',
      'Tracking run'
    ])
    expect(plan.changes[0]).toMatchObject({
      now: { en: 'r7, live, reward 0.697' },
      after: { en: 'r8 = content of r1, reward 0.555' }
    })
    expect(plan.changes[3]?.after.en).toContain('5 min 48 s, 6 min 10 s')
  })
  it('says what is lost, what it waits for, and shows the difference of the launch', () => {
    expect(plan.lost.map((text) => text.en)).toEqual([
      'r7: live weights, never saved. The nearest saved one is r4.'
    ])
    expect(plan.waitsFor?.en).toContain('150 s')
    expect(plan.planDiff).toEqual([
      { path: 'inference.model-path', now: 'Qwen/Qwen2.5-1.5B', after: '/ck/hf/0' },
      { path: 'storage.agent-record-dir', now: 'work/record', after: 'work-a3/record' }
    ])
    expect(RollbackPlan.parse(plan)).toEqual(plan)
  })
})

describe('the API plan', () => {
  it('stays up, loses only live weights and offers the way back', () => {
    const plan = planRollback({ chain, step: 1, scene: { ...scene, way: 'api' } })
    expect(plan.way).toBe('api')
    expect(plan.waitsFor).toBeNull()
    expect(plan.lost).toHaveLength(1)
    expect(plan.undo.en).toContain('r4')
    const saved = buildChain([
      row({ releaseId: 'c0', operation: 'creation' }),
      row({ releaseId: 'a' })
    ])
    expect(planRollback({ chain: saved, step: 0, scene: { ...scene, way: 'api' } })).toMatchObject({
      lost: [],
      undo: { en: 'Go back to r1.' }
    })
  })
  it('promotes held releases and nothing else', () => {
    expect(planPromote({ chain, step: 6, scene }).title.en).toBe('Promote r6?')
    expect(judgePromote(chain, 1, scene)).toMatchObject({ because: 'not-held' })
    expect(judgePromote(chain, 6, { serving: false, jobOut: null })).toMatchObject({
      because: 'not-serving'
    })
    expect(planPromote({ chain, step: 1, scene }).way).toBe('refused')
  })
})

describe('restart in place', () => {
  const good: RootState = {
    marker: { status: 'COMPLETE', jobId: 'j9', rolloutId: 8 },
    tracker: 8,
    newestRecord: { jobId: 'j9', rolloutId: 8 },
    headJobId: 'j9'
  }
  it('is offered when all four name one job', () => {
    expect(judgeRestartInPlace(good)).toEqual({ kind: 'offered', rolloutId: 8, jobId: 'j9' })
  })
  const bad: [string, Partial<RootState>][] = [
    ['no marker', { marker: null }],
    ['a broken marker', { marker: { status: 'unreadable', jobId: null, rolloutId: null } }],
    ...(
      [
        'RUNNING',
        'CHECKPOINT',
        'UPDATING_WEIGHTS',
        'READY_TO_COMMIT',
        'HEAD_COMMITTED',
        'REJECTING',
        'REJECTED'
      ] as const
    ).map((status): [string, Partial<RootState>] => [
      status,
      { marker: { status, jobId: 'j9', rolloutId: 8 } }
    ]),
    ['an older tracker', { tracker: 7 }],
    ['no tracker', { tracker: null }],
    ['a record of another job', { newestRecord: { jobId: 'j8', rolloutId: 8 } }],
    ['no record', { newestRecord: null }],
    ['a head of another job', { headJobId: 'j8' }],
    ['no head', { headJobId: null }],
    ['a marker of another rollout', { marker: { status: 'COMPLETE', jobId: 'j9', rolloutId: 7 } }]
  ]
  it.each(bad)('is not offered with %s', (_name, changed) => {
    expect(judgeRestartInPlace({ ...good, ...changed }).kind).toBe('not-offered')
  })
})

describe('going back with the optimizer', () => {
  const facts: Extract<IterationFacts, { kind: 'ready' }> = {
    kind: 'ready',
    rollout: 0,
    tracker: 6,
    critic: true,
    copied: 2_000_000,
    linked: 25_000_000_000,
    newer: 6
  }

  it('says what is kept and lost, and leaves the reference model as it is', () => {
    const startsFrom = [{ path: 'training.options.ref-load', now: 'base' }]
    const plan = planRollbackWithOptimizer(
      { chain, step: 1, scene: { ...scene, startsFrom } },
      facts
    )
    expect(RollbackPlan.parse(plan)).toEqual(plan)
    expect(plan.way).toBe('redeploy')
    const said = plan.changes.map(({ what, after }) => `${what.en}: ${after.en}`).join('\n')
    expect(said).toContain('Optimizer moments, critic: as saved with iteration 0')
    expect(said).toContain('goes on at iteration 1')
    expect(said).toContain('Newer checkpoints: not in the copy')
    expect(said).toContain('Reports waiting: 0')
    expect(plan.kept.map(({ en }) => en).join(' ')).toMatch(/2\.0 MB.*25000 MB/)
    expect(plan.lost.length).toBeGreaterThan(0)
    expect(plan.planDiff).toContainEqual({
      path: 'latest_checkpointed_iteration.txt',
      now: '6',
      after: '0'
    })
    expect(plan.planDiff.map(({ path }) => path)).not.toContain('training.options.ref-load')
  })

  it.each([
    'elsewhere',
    'loads-nothing',
    'no-optimizer',
    'adapter',
    'not-a-rollout',
    'no-trainer-state',
    'not-whole',
    'no-export',
    'critic-missing',
    'being-deleted',
    'marker-open',
    'marker-unreadable'
  ] as const)('is refused with a reason: %s', (because) => {
    const plan = planRollbackWithOptimizer({ chain, step: 1, scene }, { kind: 'refused', because })
    expect(plan.way).toBe('refused')
    expect(plan.reason.en).toContain('Without the optimizer it can be redeployed')
    expect(plan.reason.zh).toMatch(/[一-鿿]/)
  })

  it('is planned as without it where nothing is redeployed', () => {
    const request = { chain, step: 1, scene: { ...scene, way: 'api' as const } }
    expect(planRollbackWithOptimizer(request, facts)).toEqual(planRollback(request))
  })
})
