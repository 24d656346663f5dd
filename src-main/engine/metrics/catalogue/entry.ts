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
  steps: { en: 'steps', zh: '步' }
} as const satisfies Record<string, Text>
