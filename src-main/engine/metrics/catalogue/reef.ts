import { units, type Entry } from './entry'

/** Keys of Reef's recipes and of its commits. */
export const reef: readonly Entry[] = [
  {
    key: 'sao/policy_lag_max',
    unit: units.steps,
    direction: 'down',
    says: [
      'Oldest policy among the rollouts of the step, in releases.',
      '该步 rollout 中最旧策略落后的 release 数。'
    ],
    failure: [
      'Grows: data waits too long before it is learned from.',
      '增长：数据在学习前等待过久。'
    ]
  },
  {
    key: 'sao/policy_lag_mean',
    unit: units.steps,
    direction: 'down',
    says: [
      'Mean policy age of the step’s rollouts, in releases.',
      '该步 rollout 的平均策略落后数。'
    ]
  },
  {
    key: /^sao\/queue_age_s_(?:max|mean)$/,
    unit: units.seconds,
    direction: 'down',
    says: ['How long rollouts waited in the queue.', 'rollout 在队列中等待的时间。']
  },
  {
    key: 'sao/critic_updates',
    says: ['Critic updates so far.', '到目前为止的 critic 更新次数。']
  },
  {
    key: 'sao/actor_trained',
    says: [
      '1 when the actor was trained in this step, 0 during the critic’s warm-up.',
      '该步训练了 actor 为 1，critic 预热期间为 0。'
    ],
    failure: ['Stays 0 after the warm-up.', '预热结束后仍为 0。']
  },
  {
    key: 'sao/effective_token_rate',
    unit: units.share,
    direction: 'up',
    says: ['Share of tokens that took part in the update.', '参与更新的 token 比例。']
  },
  {
    key: 'critic/explained_variance',
    direction: 'up',
    says: [
      'How much of the returns the critic explains. Always 0 at batch 1.',
      'critic 解释了多少回报方差；批大小为 1 时恒为 0。'
    ],
    healthy: ['Rises towards 1.', '向 1 上升。']
  },
  {
    key: 'tttd/reward_max',
    direction: 'up',
    says: ['Best reward of the step.', '该步的最佳奖励。'],
    healthy: ['The best so far rises in steps.', '历史最佳呈阶梯上升。']
  },
  {
    key: 'tttd/reward_mean',
    direction: 'up',
    says: [
      'Mean reward of the step. It can fall while the best so far stands still.',
      '该步平均奖励。历史最佳不变时它也可能下降。'
    ]
  },
  {
    key: /^tttd\/reward_(?:min|std)$/,
    says: ['Spread of the step’s rewards.', '该步奖励的离散程度。']
  },
  {
    key: 'tttd/reward_zero_fraction',
    unit: units.share,
    direction: 'down',
    says: ['Share of rollouts with reward 0.', '奖励为 0 的 rollout 比例。'],
    failure: ['Near 1: nothing valid is produced.', '接近 1：没有产生有效结果。']
  },
  {
    key: /^tttd\/constant_groups(?:_removed)?$/,
    unit: units.groups,
    direction: 'down',
    says: [
      'Groups whose rewards are all equal: they teach nothing.',
      '奖励全相同的组：学不到东西。'
    ]
  },
  {
    key: /^tttd\/(?:grid|training)_(?:groups|rollouts)$/,
    says: ['Size of the grid, and what of it was trained on.', '网格大小及用于训练的部分。']
  },
  {
    key: /^tttd\/archive_(?:size|best_reward)$/,
    direction: 'up',
    says: ['The archive of solutions.', '解的档案。']
  },
  {
    key: 'dropped_rollouts',
    direction: 'down',
    says: ['Rollouts that were not used.', '未使用的 rollout。']
  },
  {
    key: 'partial_step_rollouts',
    says: ['Rollouts in an unfinished step.', '未凑满一步的 rollout。']
  },
  {
    key: /^(?:epochs|optimizer_steps)$/,
    says: ['What the training job did.', '训练任务完成的量。']
  },
  {
    key: /^score_centering_/,
    says: ['Centering of scores before training.', '训练前的得分中心化。']
  },
  {
    key: /^operations\/.*unread_count$/,
    direction: 'down',
    says: ['Records not yet read by training.', '训练尚未读取的记录。']
  },
  {
    key: /^operations\/training\/error$/,
    direction: 'down',
    says: ['1 while training reports an error.', '训练报告错误时为 1。']
  },
  {
    key: /^(?:wins|losses|ties|passed|failed)$/,
    says: ['Outcome of the evaluation episodes.', '评测回合的结果。']
  },
  {
    key: /^(?:current|candidate|floor)_score$/,
    direction: 'up',
    says: [
      'Score of the served harness, of the proposed one, or the floor.',
      '当前、候选 harness 的得分或下限。'
    ]
  }
]
