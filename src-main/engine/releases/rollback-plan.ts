import type { Release, RollbackPlan } from '../../contract/releases'
import type { Text } from '../../contract/text'
import { refusalText } from './refusal-text'
import {
  judgePromote,
  judgeRollback,
  type RollbackFacts,
  type RollbackVerdict,
  type WaitReason
} from './rollback-verdict'

/** What the plan's sentences need besides the verdict. Null: not known, and then not spoken of. */
export interface RollbackScene extends RollbackFacts {
  /** Newest optimizer step. */
  trainStep: number | null
  /** Number the redeployed attempt will get. */
  nextAttempt: number
  /** How long earlier starts took until serving, milliseconds, newest last. */
  startsTook: readonly number[]
  /** Seconds the stack gets to end by itself. */
  graceSeconds: number
  /** Name of the tracking run that writes now. */
  trackingRun: string | null
  /** Reports that wait for a batch. */
  reportsWaiting: number | null
  /** Checkpoints in the old root. */
  checkpoints: number | null
  /** Fields the new attempt changes, with their present values; `inference.model-path` is added here. */
  storage: readonly { path: string; now: string; after: string }[]
  modelPath: string
}

export interface RollbackRequest {
  /** Newest first, as buildChain gives it. */
  chain: readonly Release[]
  step: number
  scene: RollbackScene
}

const REWARD_KEYS = ['rollout/rewards', 'tttd/reward_mean', 'rollout/raw_reward'] as const

/** The reward a release was measured with, in the keys stacks log it under. */
export function rewardOf(release: Release): number | null {
  for (const key of REWARD_KEYS) {
    const value = release.metrics[key]
    if (typeof value === 'number' && Number.isFinite(value)) return value
  }
  return null
}

function described(release: Release | undefined): Text {
  if (release === undefined) return { en: 'nothing', zh: '无' }
  const reward = rewardOf(release)
  const live = release.contentKind === 'live_weights'
  const en = [
    `r${release.step}`,
    ...(live ? ['live'] : []),
    ...(reward === null ? [] : [`reward ${reward.toFixed(3)}`])
  ]
  const zh = [
    `r${release.step}`,
    ...(live ? ['实时权重'] : []),
    ...(reward === null ? [] : [`奖励 ${reward.toFixed(3)}`])
  ]
  return { en: en.join(', '), zh: zh.join('，') }
}

/** The newest saved release at or before a step that a person could go back to. */
export function nearestSaved(chain: readonly Release[], step: number): Release | null {
  const saved = chain.filter(
    (release) => release.restorable && release.result !== 'pending' && !release.leftBehind
  )
  return saved.find((release) => release.step < step) ?? saved.at(-1) ?? null
}

/** Releases whose only copy is in the engine's memory now. */
function unsavedNow(chain: readonly Release[]): Release[] {
  const served = chain.find((release) => release.served)
  return served !== undefined && !served.restorable ? [served] : []
}

function listed(releases: readonly Release[]): string {
  return releases
    .map((release) => `r${release.step}`)
    .reverse()
    .join(', ')
}

function lostLive(chain: readonly Release[]): Text[] {
  const live = unsavedNow(chain)
  const first = live.at(-1)
  if (first === undefined) return []
  const nearest = nearestSaved(chain, first.step)
  return [
    {
      en: `${listed(live)}: live weights, never saved.${nearest === null ? '' : ` The nearest saved one is r${nearest.step}.`}`,
      zh: `${listed(live)}：实时权重，从未保存。${nearest === null ? '' : `最近的已保存发布是 r${nearest.step}。`}`
    }
  ]
}

function span(milliseconds: number): Text {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 90) return { en: `${seconds} s`, zh: `${seconds} 秒` }
  return {
    en: `${Math.floor(seconds / 60)} min ${seconds % 60} s`,
    zh: `${Math.floor(seconds / 60)} 分 ${seconds % 60} 秒`
  }
}

function downTime(took: readonly number[]): Text {
  const last = took.slice(-2).map(span)
  if (last.length === 0)
    return { en: 'down until the new attempt serves', zh: '停止服务，直到新的尝试开始服务' }
  return {
    en: `down about as long as a start takes (last: ${last.map((text) => text.en).join(', ')})`,
    zh: `停止服务，时长约等于一次启动（最近：${last.map((text) => text.zh).join('、')}）`
  }
}

function waiting(wait: WaitReason, stop: number | null): Text | null {
  const then: Text =
    stop === null
      ? { en: '', zh: '' }
      : {
          en: ` Then it stops the stack with ${stop} s of grace.`,
          zh: `随后停止训练栈，并留出 ${stop} 秒的收尾时间。`
        }
  switch (wait) {
    case 'nothing':
      return null
    case 'commit':
      return {
        en: `A training job is out. Slipway waits for its commit.${then.en}`,
        zh: `有训练任务正在进行。Slipway 会等待其提交完成。${then.zh}`
      }
    case 'unknown-job':
      return {
        en: `Whether a training job is out is not known; Slipway asks the service first and waits for a commit if one is.${then.en}`,
        zh: `尚不清楚是否有训练任务正在进行；Slipway 会先询问服务，如有则等待提交。${then.zh}`
      }
  }
}

function nextStep(chain: readonly Release[]): number {
  return (chain[0]?.step ?? -1) + 1
}

function servedChange(
  chain: readonly Release[],
  release: Release
): RollbackPlan['changes'][number] {
  const after = described(release)
  return {
    what: { en: 'Served', zh: '服务中' },
    now: described(chain.find((other) => other.served)),
    after: {
      en: `r${nextStep(chain)} = content of ${after.en}`,
      zh: `r${nextStep(chain)} = ${after.zh} 的内容`
    }
  }
}

function apiPlan(request: RollbackRequest, release: Release, wait: WaitReason): RollbackPlan {
  const { chain, scene } = request
  const promote = release.result === 'pending'
  const served = chain.find((other) => other.served)
  const next = nextStep(chain)
  const changes = [
    servedChange(chain, release),
    {
      what: { en: 'Numbering', zh: '编号' },
      now: { en: `r${next - 1}`, zh: `r${next - 1}` },
      after: { en: `goes on at r${next}; nothing is rewound`, zh: `从 r${next} 继续，不会倒回` }
    },
    {
      what: { en: 'Serving', zh: '服务' },
      now: { en: 'up', zh: '运行中' },
      after: {
        en: 'stays up; answers pause while weights load',
        zh: '保持运行；加载权重时短暂停顿'
      }
    }
  ]
  if (scene.trackingRun !== null && !promote)
    changes.push({
      what: { en: 'Tracking run', zh: '跟踪运行' },
      now: { en: scene.trackingRun, zh: scene.trackingRun },
      after: { en: 'a new run in the same group', zh: '同组中的新运行' }
    })
  return {
    way: 'api',
    reason: promote
      ? {
          en: 'The service can serve a held release under a new number.',
          zh: '服务可以用新的编号提供待定发布。'
        }
      : {
          en: 'The service can serve a saved release again under a new number.',
          zh: '服务可以用新的编号重新提供已保存的发布。'
        },
    title: promote
      ? { en: `Promote r${release.step}?`, zh: `提升 r${release.step}？` }
      : { en: `Go back to r${release.step}?`, zh: `回退到 r${release.step}？` },
    changes,
    lost: lostLive(chain),
    kept: [
      {
        en: 'Every release and every checkpoint; the rows in between stay in the chain, left behind.',
        zh: '所有发布和 checkpoint；中间的发布仍保留在链中，标记为已离开主线。'
      }
    ],
    waitsFor: waiting(wait, null),
    undo: undoByApi(chain, served),
    planDiff: []
  }
}

function undoByApi(chain: readonly Release[], served: Release | undefined): Text {
  if (served?.restorable === true)
    return { en: `Go back to r${served.step}.`, zh: `回退到 r${served.step}。` }
  const nearest = nearestSaved(chain, served?.step ?? 0)
  return nearest === null
    ? { en: 'Cannot be undone: nothing else was saved.', zh: '无法撤销：没有其他已保存的发布。' }
    : {
        en: `Go back to r${nearest.step}, the nearest saved one; the live weights served now cannot come back.`,
        zh: `回退到最近的已保存发布 r${nearest.step}；当前服务的实时权重无法恢复。`
      }
}

type Redeploy = Extract<RollbackVerdict, { kind: 'redeploy' }>

function redeployChanges(request: RollbackRequest, verdict: Redeploy): RollbackPlan['changes'] {
  const { chain, scene } = request
  const next = nextStep(chain)
  const step = scene.trainStep
  const changes: RollbackPlan['changes'] = [
    servedChange(chain, verdict.release),
    {
      what: { en: 'Numbering', zh: '编号' },
      now: {
        en: step === null ? `r${next - 1}` : `r${next - 1}, step ${step}`,
        zh: step === null ? `r${next - 1}` : `r${next - 1}，第 ${step} 步`
      },
      after: { en: `new branch r${next}, steps from 0`, zh: `新分支 r${next}，步数从 0 开始` }
    },
    {
      what: { en: 'Optimizer moments, critic', zh: '优化器动量、critic' },
      now: { en: 'those of the running attempt', zh: '当前尝试的状态' },
      after: { en: 'start anew', zh: '重新开始' }
    },
    {
      what: { en: 'Serving', zh: '服务' },
      now: scene.serving ? { en: 'up', zh: '运行中' } : { en: 'down', zh: '已停止' },
      after: downTime(scene.startsTook)
    }
  ]
  if (scene.reportsWaiting !== null && scene.reportsWaiting > 0)
    changes.push({
      what: { en: 'Reports waiting', zh: '等待中的反馈' },
      now: { en: String(scene.reportsWaiting), zh: String(scene.reportsWaiting) },
      after: {
        en: '0: the new record folder starts empty',
        zh: '0：新的记录目录从空开始'
      }
    })
  if (scene.trackingRun !== null)
    changes.push({
      what: { en: 'Tracking run', zh: '跟踪运行' },
      now: { en: scene.trackingRun, zh: scene.trackingRun },
      after: { en: 'a new run in the same group', zh: '同组中的新运行' }
    })
  return changes
}

function redeployPlan(request: RollbackRequest, verdict: Redeploy): RollbackPlan {
  const { chain, scene } = request
  const { release, checkpoint } = verdict
  const kept = scene.checkpoints
  return {
    way: 'redeploy',
    reason: {
      en: `Weights on this runtime cannot be swapped while it runs, so this starts attempt ${scene.nextAttempt} from ${checkpoint}. Nothing is deleted.`,
      zh: `该运行时无法在运行中替换权重，因此会从 ${checkpoint} 启动第 ${scene.nextAttempt} 次尝试。不会删除任何内容。`
    },
    title: {
      en: `Go back to r${release.step} by redeploying its checkpoint?`,
      zh: `通过重新部署 checkpoint 回退到 r${release.step}？`
    },
    changes: redeployChanges(request, verdict),
    lost: lostLive(chain),
    kept: [
      {
        en: `The old folders as they are${kept === null ? '' : `, with ${kept} checkpoints`}, optimizer moments, critic and records in them; the new attempt writes into new, empty ones.`,
        zh: `原有目录保持不变${kept === null ? '' : `（含 ${kept} 个 checkpoint）`}，其中的优化器动量、critic 和记录都在；新的尝试写入全新的空目录。`
      }
    ],
    waitsFor: waiting(verdict.wait, scene.graceSeconds),
    undo: verdict.undoable
      ? {
          en: 'Stop the new attempt and start the old folders again.',
          zh: '停止新的尝试，并用原有目录重新启动。'
        }
      : {
          en: 'The old folders would not start again as they are: their job marker is not COMPLETE. They are kept for repair by hand.',
          zh: '原有目录目前无法直接重新启动：任务标记不是 COMPLETE。目录会保留，供手动修复。'
        },
    planDiff: [
      { path: 'inference.model-path', now: scene.modelPath, after: checkpoint },
      ...scene.storage.map(({ path, now, after }) => ({ path, now, after }))
    ]
  }
}

function refusedPlan(
  request: RollbackRequest,
  verdict: Extract<RollbackVerdict, { kind: 'refused' }>,
  promote: boolean
): RollbackPlan {
  const name = `r${request.step}`
  return {
    way: 'refused',
    reason: refusalText(
      verdict.because,
      verdict.release,
      nearestSaved(request.chain, request.step)
    ),
    title: promote
      ? { en: `${name} cannot be promoted`, zh: `无法提升 ${name}` }
      : { en: `Cannot go back to ${name}`, zh: `无法回退到 ${name}` },
    changes: [],
    lost: [],
    kept: [],
    waitsFor: null,
    undo: { en: 'Nothing is changed.', zh: '不会更改任何内容。' },
    planDiff: []
  }
}

/** Everything the confirmation says before a rollback, computed from what is known. Nothing is asked and nothing is done. */
export function planRollback(request: RollbackRequest): RollbackPlan {
  const verdict = judgeRollback(request.chain, request.step, request.scene)
  switch (verdict.kind) {
    case 'api':
      return apiPlan(request, verdict.release, verdict.wait)
    case 'redeploy':
      return redeployPlan(request, verdict)
    case 'refused':
      return refusedPlan(request, verdict, false)
  }
}

/** The same for promoting a held release. */
export function planPromote(request: RollbackRequest): RollbackPlan {
  const verdict = judgePromote(request.chain, request.step, request.scene)
  return verdict.kind === 'refused' || verdict.kind === 'redeploy'
    ? refusedPlan(request, verdict.kind === 'refused' ? verdict : refused(verdict.release), true)
    : apiPlan(request, verdict.release, verdict.wait)
}

function refused(release: Release): Extract<RollbackVerdict, { kind: 'refused' }> {
  return { kind: 'refused', release, because: 'no-way' }
}
