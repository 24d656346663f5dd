import type { Release, RollbackPlan } from '../../contract/releases'
import type { Text } from '../../contract/text'
import type { RollbackFacts, WaitReason } from './rollback-verdict'

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
  /** Other fields that name the model training begins with, with their present values. */
  startsFrom: readonly { path: string; now: string }[]
  /** A path as the stack itself sees it. */
  inside: (path: string) => string
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

/** A release in a few words: number, live or saved, reward. */
export function described(release: Release | undefined): Text {
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

/** What only lives in the engine's memory and goes with it. */
export function lostLive(chain: readonly Release[]): Text[] {
  const live = unsavedNow(chain)
  const first = live.at(-1)
  if (first === undefined) return []
  const nearest = nearestSaved(chain, first.step)
  return [
    {
      en: `${listed(live)}: live weights, never saved.${nearest === null ? '' : ` The nearest saved one is r${nearest.step}.`}`,
      zh: `${listed(live)}：实时权重，从未保存。${nearest === null ? '' : `最近的已保存版本是 r${nearest.step}。`}`
    }
  ]
}

/** What the act waits for; `stop` is the grace in seconds where the stack is stopped after. */
export function waiting(wait: WaitReason, stop: number | null): Text | null {
  const then: Text =
    stop === null
      ? { en: '', zh: '' }
      : {
          en: ` Then it stops the stack with ${stop} s of grace.`,
          zh: `随后停止运行栈，并留出 ${stop} 秒的收尾时间。`
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

/** Step the next row of the chain gets. */
export function nextStep(chain: readonly Release[]): number {
  return (chain[0]?.step ?? -1) + 1
}

/** The line of the table that says what will be served. */
export function servedChange(
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

function span(milliseconds: number): Text {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 90) return { en: `${seconds} s`, zh: `${seconds} 秒` }
  return {
    en: `${Math.floor(seconds / 60)} min ${seconds % 60} s`,
    zh: `${Math.floor(seconds / 60)} 分 ${seconds % 60} 秒`
  }
}

/** How long nothing is served while the stack starts anew, from how long earlier starts took (milliseconds). */
export function downTime(took: readonly number[]): Text {
  const last = took.slice(-2).map(span)
  if (last.length === 0)
    return { en: 'down until the new attempt serves', zh: '停止服务，直到新的尝试开始服务' }
  return {
    en: `down about as long as a start takes (last: ${last.map((text) => text.en).join(', ')})`,
    zh: `停止服务，时长约等于一次启动（最近：${last.map((text) => text.zh).join('、')}）`
  }
}
