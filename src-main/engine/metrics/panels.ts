import type { Panel } from '../../contract/metrics'
import type { Text } from '../../contract/text'
import { OTHER_REWARD_KEYS, REWARD_BY_RECEIPT, type RewardSource } from './reward'

interface Wanted {
  id: string
  title: Text
  /** A key as it is, or a pattern that takes every key it fits. */
  keys: readonly (string | RegExp)[]
  /** Key whose best value so far is drawn with them. */
  best?: string
}

const rewardPanel: Wanted = {
  id: 'reward',
  title: { en: 'Reward', zh: '奖励' },
  keys: [
    ...[REWARD_BY_RECEIPT, 'rollout/raw_reward', 'rollout/rewards', 'rollout/reward_mean'],
    ...OTHER_REWARD_KEYS
  ]
}
const tttdReward: Wanted = {
  id: 'reward',
  title: { en: 'Reward: best and mean', zh: '奖励：最佳与平均' },
  keys: ['tttd/reward_max', 'tttd/reward_mean', 'tttd/archive_best_reward', 'rollout/rewards'],
  best: 'tttd/reward_max'
}
const evaluation: Wanted = {
  id: 'evaluation',
  title: { en: 'Evaluation', zh: '评测' },
  keys: [/^eval\/[^/]+$/, /^val\/(?!num_samples)/]
}
const loss: Wanted = {
  id: 'loss',
  title: { en: 'Loss', zh: '损失' },
  keys: ['train/loss', 'train/pg_loss', 'actor/policy_loss', 'training/loss']
}
const gradient: Wanted = {
  id: 'gradient',
  title: { en: 'Gradient norm', zh: '梯度范数' },
  keys: ['train/grad_norm', 'train/critic-grad_norm', 'actor/grad_norm', 'training/grad_norm']
}
const entropy: Wanted = {
  id: 'entropy',
  title: { en: 'Entropy', zh: '熵' },
  keys: ['train/entropy_loss', 'actor/entropy_loss', 'rollout/entropy']
}
const drift: Wanted = {
  id: 'drift',
  title: { en: 'Distance from the sampling policy', zh: '与采样策略的距离' },
  keys: ['train/ppo_kl', 'train/kl_loss', 'actor/ppo_kl', 'train/pg_clipfrac', 'actor/pg_clipfrac']
}
const agreement: Wanted = {
  id: 'agreement',
  title: { en: 'Trainer against engine', zh: '训练器与引擎的一致性' },
  keys: ['train/train_rollout_logprob_abs_diff']
}
const length: Wanted = {
  id: 'length',
  title: { en: 'Answer length', zh: '回答长度' },
  keys: ['rollout/response_lengths', 'rollout/response_len/mean', 'response_length/mean']
}
const truncation: Wanted = {
  id: 'truncation',
  title: { en: 'Truncated', zh: '截断' },
  keys: ['rollout/truncated', 'rollout/truncated_ratio', 'response_length/clip_ratio']
}
const lag: Wanted = {
  id: 'lag',
  title: { en: 'Age of the data', zh: '数据的新旧' },
  keys: ['sao/policy_lag_max', 'sao/policy_lag_mean']
}
const queue: Wanted = {
  id: 'queue',
  title: { en: 'Wait in the queue', zh: '排队等待' },
  keys: ['sao/queue_age_s_max', 'sao/queue_age_s_mean']
}
const critic: Wanted = {
  id: 'critic',
  title: { en: 'Critic', zh: 'Critic' },
  keys: ['train/critic-value_loss', 'critic/explained_variance', 'rollout/values']
}
const groups: Wanted = {
  id: 'groups',
  title: { en: 'Groups without a signal', zh: '没有信号的组' },
  keys: [
    'tttd/constant_groups',
    'tttd/reward_zero_fraction',
    /^rollout\/zero_std\//,
    'critic/grpo_std/mean'
  ]
}
const time: Wanted = {
  id: 'time',
  title: { en: 'Where the time goes', zh: '时间去向' },
  keys: [
    'perf/step_time',
    'perf/train_time',
    'perf/train_wait_time',
    'perf/rollout_time',
    /^timing\/(?:training|rollout)_time$/
  ]
}
const harness: Wanted = {
  id: 'harness',
  title: { en: 'Candidate against served', zh: '候选与当前' },
  keys: ['candidate_score', 'current_score', 'wins', 'losses', 'ties']
}

const common = [loss, gradient, entropy, drift, agreement, length, truncation, time]

/** What people plot for a recipe family, most telling first. */
function wantedFor(family: string | null): readonly Wanted[] {
  switch (family) {
    case 'tttd':
      return [tttdReward, groups, ...common]
    case 'sao':
      return [rewardPanel, evaluation, critic, ...common, lag, queue]
    case 'sft':
    case 'sdft':
    case 'opd':
      return [loss, evaluation, gradient, agreement, rewardPanel, length, time]
    case 'gepa':
    case 'harness_evolve':
      return [harness, rewardPanel, evaluation]
    default:
      return [rewardPanel, tttdReward, evaluation, groups, harness, critic, ...common, lag, queue]
  }
}

/** What wrote the files of a record without a recipe, where their keys say it. */
function familyOf(keys: readonly string[]): string | null {
  return keys.some((key) => key.startsWith('tttd/reward_')) ? 'tttd' : null
}

/**
 * Default panels of a run: those of its family that have data. Everything else is found under all keys.
 * @param keys every key with data.
 * @param reward where the run's reward comes from; the reward panel says it.
 */
export function defaultPanels(
  family: string | null,
  keys: readonly string[],
  reward: RewardSource | null = null
): Panel[] {
  const panels: Panel[] = []
  const shown = new Set<string>()
  for (const { id, title, keys: wanted, best } of wantedFor(family ?? familyOf(keys))) {
    const present = keys.filter(
      (key) =>
        wanted.some((want) => (typeof want === 'string' ? want === key : want.test(key))) &&
        !shown.has(key) &&
        !isLesserReward(key, reward)
    )
    if (present.length === 0 || panels.some((panel) => panel.id === id)) continue
    for (const key of present) shown.add(key)
    const first = reward !== null && present.includes(reward.key) ? [reward.key] : []
    const bests = best !== undefined && present.includes(best) ? [`best(${best})`] : []
    const ordered = [...bests, ...first, ...present.filter((key) => !first.includes(key))]
    const note = first.length > 0 && id === 'reward' ? reward?.what : undefined
    panels.push({ id, title, keys: ordered, ...(note && { note }) })
  }
  return panels
}

/**
 * A number beside the reward that says less than it: plain Slime's normalised one, which is near 0 always; the
 * trainer's mean over what it was given, where the reports themselves are known.
 */
function isLesserReward(key: string, reward: RewardSource | null): boolean {
  switch (reward?.key) {
    case 'rollout/raw_reward':
      return key === 'rollout/rewards'
    case REWARD_BY_RECEIPT:
      return key === 'rollout/rewards' || key === 'rollout/raw_reward'
    default:
      return false
  }
}
