import type { KeyInfo } from '../../../contract/metrics'
import type { Text } from '../../../contract/text'

/** What is known of a key beyond its numbers. */
export type KeyKnowledge = Pick<KeyInfo, 'direction'> &
  Partial<Pick<KeyInfo, 'unit' | 'description' | 'healthy' | 'failure'>>

/** A sentence in both languages, English first. */
export type Pair = readonly [en: string, zh: string]

export interface Entry {
  /** Exact key, or a pattern for families of keys. */
  key: string | RegExp
  direction?: 'up' | 'down'
  unit?: Text
  says: Pair
  healthy?: Pair
  failure?: Pair
}

export const units = {
  nats: { en: 'nats', zh: 'nat' },
  tokens: { en: 'tokens', zh: 'token' },
  seconds: { en: 's', zh: '秒' },
  share: { en: 'share, 0–1', zh: '比例，0–1' },
  groups: { en: 'groups', zh: '组' },
  samples: { en: 'samples', zh: '样本' },
  tflops: { en: 'TFLOPS per GPU', zh: '每 GPU TFLOPS' },
  tokensPerSecond: { en: 'tokens/s', zh: 'token/秒' },
  gigabytes: { en: 'GB', zh: 'GB' },
  requests: { en: 'requests', zh: '请求' },
  steps: { en: 'steps', zh: '步' },
  plain: { en: 'no unit', zh: '无单位' },
  ratio: { en: 'ratio', zh: '比率' },
  perUpdate: { en: 'per update', zh: '每次更新' },
  parameters: { en: 'parameters', zh: '参数' },
  reward: { en: 'reward', zh: '奖励' },
  named: { en: 'as its name says', zh: '见名称' },
  draft: { en: 'share, or tokens per draft', zh: '比例，或每次草稿的 token 数' },
  updates: { en: 'updates', zh: '次更新' },
  flag: { en: '0 or 1', zh: '0 或 1' },
  counted: { en: 'count', zh: '个数' },
  rollouts: { en: 'rollouts', zh: 'rollout' },
  records: { en: 'records', zh: '记录' },
  episodes: { en: 'episodes', zh: '回合' },
  score: { en: 'score', zh: '得分' },
  pairs: { en: 'pairs', zh: '对' }
} as const satisfies Record<string, Text>
