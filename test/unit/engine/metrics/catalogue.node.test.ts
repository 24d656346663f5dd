import { describe, expect, it } from 'vitest'
import { defaultPanels, knowledgeOf, rewardSource } from '../../../../src-main/engine/metrics'

const known = [
  'train/loss train/pg_loss train/entropy_loss train/pg_clipfrac train/ppo_kl train/train_rollout_logprob_abs_diff',
  'train/kl_loss train/ois train/tis train/tis_clipfrac train/tis_abs train/opsm_clipfrac train/opd_reverse_kl',
  'train/grad_norm train/mtp_loss train/mtp_1_loss train/lr-pg_0 train/global_batch_size train/critic-value_loss',
  'train/critic-value_clipfrac train/critic-grad_norm train/critic-lr-pg_0 rollout/raw_reward rollout/rewards',
  'rollout/advantages rollout/returns rollout/response_lengths rollout/total_lengths rollout/truncated',
  'rollout/log_probs rollout/ref_log_probs rollout/values rollout/kl rollout/round_number rollout/response_len/median',
  'rollout/truncated_ratio rollout/repetition_frac rollout/zero_std/count_1.0 rollout/prefix_cache_hit_rate',
  'rollout/spec_accept_rate rollout/error_cat/x rollout/dynamic_filter/drop_zero_std perf/rollout_time',
  'perf/tokens_per_gpu_per_sec perf/longest_sample_tokens_per_sec perf/effective_tokens_per_gpu_per_sec',
  'perf/request/e2e_latency/mean perf/train_wait_time perf/step_time perf/wait_time_ratio perf/actor_train_tflops',
  'perf/actor_train_tok_per_s perf/update_weights_density eval/aime eval/aime/response_len/mean',
  'eval/aime-truncated_ratio eval/aime-pass@2 passrate/pass@4 sao/policy_lag_max sao/queue_age_s_mean',
  'sao/critic_updates sao/actor_trained sao/effective_token_rate critic/explained_variance tttd/reward_max',
  'tttd/reward_zero_fraction tttd/constant_groups_removed tttd/grid_rollouts train/lora_b_l1 dropped_rollouts',
  'rollout/reward_mean rollout/reward_std critic/grpo_std/mean training/num_datums training/skipped val/correct',
  'timing/training_time response_length/clip_ratio wins candidate_score'
].flatMap((line) => line.split(' '))

/** Every key that Slime's and Reef's documentation and code name for their logs, families by an example. */
const complete = [
  ...known.filter(
    (key) => !/^(?:training|val|timing|response_length|critic\/grpo|rollout\/reward_)/.test(key)
  ),
  ...[
    'train/step rollout/step eval/step rollout/rollout_log_probs rollout/teacher_log_probs rollout/entropy',
    'rollout/opd_reverse_kl rollout/response_len/mean rollout/response_len/max rollout/response_len/min',
    'rollout/avg_cached_tokens_per_sample rollout/spec_accept_length rollout/top_p_kept_vocab_per_token',
    'perf/longest_effective_sample_tokens_per_sec perf/non_generation_time/max perf/request/queue_time/mean',
    'perf/decode/throughput/mean perf/prefill/x/mean perf/data_preprocess_time perf/ref_log_probs_time',
    'perf/teacher_log_probs_time perf/log_probs_time perf/actor_train_time perf/train_time perf/sleep_time',
    'perf/wake_up_time perf/update_weights_time perf/save_model_time perf/ref_model_update_time',
    'perf/log_probs_tflops perf/ref_log_probs_tflops perf/update_weights_wire_bytes eval/aime/truncated_ratio',
    'multi_turn/raw_response_length/response_length_mean multi_turn/multi_turn_metric/round_number_max',
    'epochs optimizer_steps partial_step_rollouts sao/policy_lag_mean sao/queue_age_s_max pg_clipfrac',
    'train/lora_trainable_parameters train/lora_base_trainable_parameters train/lora_b_nonzero score_centering_mean',
    'reef/step rollout/action_masks rollout/partition tttd/step tttd/reward_min tttd/reward_mean tttd/reward_std',
    'tttd/constant_groups tttd/grid_groups tttd/training_groups tttd/training_rollouts tttd/archive_size',
    'tttd/archive_best_reward operations/records/unread_count operations/training/error losses ties passed failed',
    'floor_score evaluation_sides current_score episode_failures proposer_input_tokens proposer_output_tokens',
    'selected published evaluation_task_count valid_pairs void_pairs tasks sign_test_p_value mean_difference',
    'interval_lower interval_upper confidence_level min_effect min_valid_pairs gate_sides',
    'train/critic-global_batch_size train/critic-step critic/grad_norm train/lr-pg_1 rollout/zero_std/count_0.0',
    'eval/aime/zero_std/count_1.0 eval/aime/error_cat/timeout eval/aime/repetition_frac archive_size archive_best_reward',
    'perf/longest_sample_non_generation_time perf/longest_sample_non_generation_time_ratio perf/critic_train_time',
    'operations/runtime/weight_sync/seconds multi_turn/wo_obs_response_length/response_length_max',
    'multi_turn/raw_response_length/response_length_clip_ratio rollout/dynamic_filter/drop_zero_std_0.0'
  ].flatMap((line) => line.split(' '))
]

describe('knowledgeOf', () => {
  it.each(complete)('%s has description, unit, healthy range and failure signature', (key) => {
    const { description, unit, healthy, failure } = knowledgeOf(key)
    for (const text of [description, unit, healthy, failure]) {
      expect(text?.en).toBeTruthy()
      expect(text?.zh).toBeTruthy()
    }
  })

  it.each(known)('%s is described in both languages', (key) => {
    const { description, healthy, failure } = knowledgeOf(key)
    for (const text of [description, healthy, failure]) {
      if (text === undefined) continue
      expect(text.en).not.toBe('')
      expect(text.zh).toMatch(/[\u4e00-\u9fff]|^NaN。$|^0。$/)
    }
    expect(description).toBeDefined()
  })

  it('knows nothing of a key it has not seen', () => {
    expect(knowledgeOf('my/own')).toEqual({ direction: 'none' })
  })
})

describe('rewardSource', () => {
  const facts = (...keys: string[]): Parameters<typeof rewardSource>[0] =>
    keys.map((key) => ({
      key,
      axis: 'step',
      attempt: 1,
      source: 's',
      count: 1,
      nonFinite: 0,
      firstNonFinite: null,
      first: null,
      last: null
    }))

  it.each([
    [['rollout/rewards'], 'rollout/rewards'],
    [['rollout/rewards', 'rollout/raw_reward'], 'rollout/raw_reward'],
    [['rollout/rewards', 'tttd/reward_mean'], 'tttd/reward_mean'],
    [['rollout/reward_mean', 'train/loss'], 'rollout/reward_mean'],
    [['reward/reports', 'rollout/rewards'], 'reward/reports'],
    [['train/loss'], undefined]
  ])('of %j is %s', (keys, expected) => {
    expect(rewardSource(facts(...keys))?.key).toBe(expected)
  })
})

describe('the exact reward', () => {
  const counted = (counts: Record<string, number>): Parameters<typeof rewardSource>[0] =>
    Object.entries(counts).map(([key, count]) => ({
      key,
      axis: 'step',
      attempt: 1,
      source: 's',
      count,
      nonFinite: 0,
      firstNonFinite: null,
      first: null,
      last: null
    }))

  it.each([
    [20, 22, 'reward/reports'],
    [20, 23, 'rollout/rewards']
  ])('with %i of %i steps gives %s', (exact, trainer, key) => {
    const series = counted({ 'reward/reports': exact, 'rollout/rewards': trainer })
    expect(rewardSource(series)?.key).toBe(key)
  })
})

describe('defaultPanels', () => {
  it('shows what the family plots, only where there is data, each key once', () => {
    const keys = ['train/loss', 'train/grad_norm', 'tttd/reward_max', 'tttd/reward_mean', 'other']
    expect(defaultPanels('tttd', keys).map(({ id, keys: shown }) => [id, shown])).toEqual([
      ['reward', ['best(tttd/reward_max)', 'tttd/reward_max', 'tttd/reward_mean']],
      ['loss', ['train/loss']],
      ['gradient', ['train/grad_norm']]
    ])
    expect(defaultPanels(null, [])).toEqual([])
    // Files of such a run that were imported alone have no recipe: their keys say what they are.
    const imported = defaultPanels(null, ['rollout/rewards', ...keys])
    expect(imported[0]?.keys).toEqual([
      'best(tttd/reward_max)',
      'rollout/rewards',
      'tttd/reward_max',
      'tttd/reward_mean'
    ])
  })

  it('says which number is the reward, puts it first and leaves the normalised one out', () => {
    const keys = ['rollout/rewards', 'rollout/raw_reward']
    const raw = { key: 'rollout/raw_reward', what: { en: 'raw', zh: '原始' } }
    expect(defaultPanels(null, keys, raw)).toMatchObject([
      { id: 'reward', keys: ['rollout/raw_reward'], note: raw.what }
    ])
    const scores = { key: 'rollout/rewards', what: { en: 'scores', zh: '得分' } }
    expect(defaultPanels('sao', ['rollout/rewards', 'reward/reports'], scores)[0]).toMatchObject({
      keys: ['rollout/rewards', 'reward/reports'],
      note: scores.what
    })
  })
})
