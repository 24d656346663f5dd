import { REWARD_BY_RECEIPT } from '../reward'

/** When the failure a key's entry describes shows in its numbers. Ends of the range belong to it. */
export interface Alarm {
  from: number
  to: number
  /** The newest samples in a row that lie in the range; `first`: the first one of the attempt does. */
  when: number | 'first'
  /** Where this other key is logged too, the number means something else. */
  unless?: string
  /** What is wrong, where several keys say the same thing; else it is the key's own. */
  state?: string
}

const above = (from: number, when: Alarm['when']): Alarm => ({ from, to: Infinity, when })
const below = (to: number, when: Alarm['when']): Alarm => ({ from: -Infinity, to, when })
const at = (value: number, when: Alarm['when']): Alarm => ({ from: value, to: value, when })
/**
 * No rollout of so many steps earned anything: there is no signal; a few such steps are chance. A reward that stays at
 * its highest is none of these: the task is solved. All keys of the reward say it, and it is one thing.
 */
const unrewarded: readonly Alarm[] = [{ ...at(0, 30), state: 'unrewarded' }]

/**
 * Limits are those of the entries' own words where these have a number (Slime's CI asserts 0.1 and −1; clipping and
 * gradient norms by common practice). Words such as “near 1” are given one here that leaves room for noise. What depends
 * on a recipe's settings (lengths, group counts, times) has none: no number fits every run.
 */
const alarms: readonly (readonly [key: string | RegExp, limits: readonly Alarm[]])[] = [
  [/^(?:train|actor|training)\/grad_norm$|^grad_norm$/, [above(1000, 1), above(10, 5)]],
  ['train/critic-grad_norm', [above(10, 20)]],
  [/^(?:train\/|actor\/)?pg_clipfrac$/, [above(0.2, 10)]],
  ['train/critic-value_clipfrac', [above(0.9, 5)]],
  ['train/opsm_clipfrac', [above(0.95, 5)]],
  ['train/train_rollout_logprob_abs_diff', [above(0.1, 5)]],
  ['train/entropy_loss', [{ from: 0, to: 0.005, when: 10 }]],
  [/^train\/lr-pg_\d+$/, [at(0, 20)]],
  ['train/lora_base_trainable_parameters', [above(1, 1)]],
  [/^train\/lora_b_(?:nonzero|l1)$/, [at(0, 3)]],
  // Of the trainer's own look at its tokens only, which is what Slime's CI asserts; an untrained policy samples lower.
  [/^rollout\/(?:ref_)?log_probs$/, [below(-1, 'first')]],
  [/^rollout\/truncated(?:_ratio)?$/, [above(0.95, 5)]],
  ['rollout/repetition_frac', [above(0.1, 5)]],
  [/^(?:rollout\/(?:raw_reward|reward_mean)|tttd\/reward_mean)$/, unrewarded],
  [REWARD_BY_RECEIPT, unrewarded],
  // Beside a raw reward it is the normalised one, which is 0 for ever.
  ['rollout/rewards', unrewarded.map((each) => ({ ...each, unless: 'rollout/raw_reward' }))],
  ['tttd/reward_zero_fraction', [above(0.99, 5)]],
  ['tttd/reward_std', [at(0, 5)]],
  ['critic/grpo_std/mean', [at(0, 3)]],
  ['critic/explained_variance', [below(-0.1, 20)]],
  ['sao/effective_token_rate', [below(0.05, 5)]],
  ['training/skipped', [above(1, 3)]],
  ['operations/training/error', [above(1, 1)]]
]

/** What of a key is an alarm; nothing for most keys. */
export function alarmsOf(key: string): readonly Alarm[] {
  const found = alarms.find(([name]) => (typeof name === 'string' ? name === key : name.test(key)))
  return found?.[1] ?? []
}
