import type { Text } from '../../contract/text'
import type { SeriesFacts } from './model'

/** Where the reward curve of a run comes from. */
export interface RewardSource {
  key: string
  /** Shown with the chart: what this number is. */
  what: Text
}

/** Key of the exact reward: mean score of the reports each step consumed. Slipway computes it; no stack logs it. */
export const REWARD_BY_RECEIPT = 'reward/reports'

/** Reward keys by stack, the best first. */
const reefKeys: readonly RewardSource[] = [
  {
    key: REWARD_BY_RECEIPT,
    what: {
      en: 'Mean score of the reports each step consumed, by receipt.',
      zh: '每步所消费报告的平均得分（按 receipt）。'
    }
  },
  {
    key: 'tttd/reward_mean',
    what: { en: 'Mean reward of the step’s grid.', zh: '该步网格的平均奖励。' }
  },
  {
    key: 'rollout/rewards',
    what: {
      en: 'Mean score of the training batch, as the trainer logs it.',
      zh: '训练器记录的批次平均得分。'
    }
  }
]
const slimeKeys: readonly RewardSource[] = [
  {
    key: 'rollout/raw_reward',
    what: { en: 'Mean reward before normalisation.', zh: '归一化前的平均奖励。' }
  }
]
const nexrlKeys: readonly RewardSource[] = [
  {
    key: 'rollout/reward_mean',
    what: { en: 'Mean reward of the step’s rollouts.', zh: '该步 rollout 的平均奖励。' }
  }
]

/** What other trainers call it, whose files are imported: TRL, Stable-Baselines3, verl, RLlib, and what people write. */
export const OTHER_REWARD_KEYS: readonly string[] = [
  ...['reward', 'train/reward', 'reward/mean', 'reward_mean', 'mean_reward', 'train/reward_mean'],
  ...['rollout/ep_rew_mean', 'critic/rewards/mean', 'episode_reward_mean']
]
const otherKeys = OTHER_REWARD_KEYS.map((key): RewardSource => ({
  key,
  what: { en: 'Reward, as its file names it.', zh: '奖励（按文件中的名称）。' }
}))

/**
 * Steps whose exact reward may be missing: its records are read a moment after the trainer has logged the step. Where
 * more are, the records could not be had: a stack that keeps them in a database and trained while nobody watched.
 */
const MISSING = 2

/**
 * The reward series of a run: the best source among those with data. `rollout/rewards` is a reward only under Reef;
 * in plain Slime, which also logs `rollout/raw_reward`, it is the normalised one and never chosen. The exact one is
 * never chosen where it would show a part of the run for the whole.
 */
export function rewardSource(series: readonly SeriesFacts[]): RewardSource | null {
  const counts = new Map<string, number>()
  for (const { key, count } of series) counts.set(key, (counts.get(key) ?? 0) + count)
  const has = (key: string): number => counts.get(key) ?? 0
  const isWhole = has(REWARD_BY_RECEIPT) + MISSING >= has('rollout/rewards')
  const order = [
    ...reefKeys.slice(0, 2),
    ...slimeKeys,
    ...nexrlKeys,
    ...reefKeys.slice(2),
    ...otherKeys
  ]
  return order.find(({ key }) => has(key) > 0 && (key !== REWARD_BY_RECEIPT || isWhole)) ?? null
}
