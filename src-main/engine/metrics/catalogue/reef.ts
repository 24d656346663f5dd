import { REWARD_BY_RECEIPT } from '../reward'
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
    healthy: ['A few releases at most.', '最多落后几个版本。'],
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
    ],
    healthy: ['About 1 or below.', '约为 1 或更低。'],
    failure: ['Grows: the data is learned from ever later.', '增长：数据越来越晚才被学习。']
  },
  {
    key: /^sao\/queue_age_s_(?:max|mean)$/,
    unit: units.seconds,
    direction: 'down',
    says: ['How long rollouts waited in the queue.', 'rollout 在队列中等待的时间。'],
    healthy: ['Shorter than a step.', '短于一步的时间。'],
    failure: [
      'Grows from step to step: more comes in than is learned from.',
      '逐步增长：到来的多于学习的。'
    ]
  },
  {
    key: 'sao/critic_updates',
    unit: units.updates,
    says: ['Critic updates so far.', '到目前为止的 critic 更新次数。'],
    healthy: ['Rises with every step.', '每步上升。'],
    failure: ['Stands still: the critic is not trained.', '不动：critic 没有训练。']
  },
  {
    key: 'sao/actor_trained',
    unit: units.flag,
    says: [
      '1 when the actor was trained in this step, 0 during the critic’s warm-up.',
      '该步训练了 actor 为 1，critic 预热期间为 0。'
    ],
    healthy: ['1 after the warm-up.', '预热之后为 1。'],
    failure: ['Stays 0 after the warm-up.', '预热结束后仍为 0。']
  },
  {
    key: 'sao/effective_token_rate',
    unit: units.share,
    direction: 'up',
    says: ['Share of tokens that took part in the update.', '参与更新的 token 比例。'],
    healthy: ['Near 1.', '接近 1。'],
    failure: ['Near 0: most tokens are masked out.', '接近 0：多数 token 被屏蔽。']
  },
  {
    key: 'critic/explained_variance',
    unit: units.share,
    direction: 'up',
    says: [
      'How much of the returns the critic explains. Always 0 at batch 1.',
      'critic 解释了多少回报方差；批大小为 1 时恒为 0。'
    ],
    healthy: ['Rises towards 1.', '向 1 上升。'],
    failure: [
      'Negative for long: worse than no critic. At batch 1 it says nothing.',
      '长期为负：不如没有 critic。批大小为 1 时没有意义。'
    ]
  },
  {
    key: 'tttd/reward_max',
    unit: units.reward,
    direction: 'up',
    says: ['Best reward of the step.', '该步的最佳奖励。'],
    healthy: ['The best so far rises in steps.', '历史最佳呈阶梯上升。'],
    failure: [
      'The best so far stands still for many steps: the search is stuck.',
      '历史最佳多步不变：搜索停滞。'
    ]
  },
  {
    key: 'tttd/reward_mean',
    unit: units.reward,
    direction: 'up',
    says: [
      'Mean reward of the step. It can fall while the best so far stands still.',
      '该步平均奖励。历史最佳不变时它也可能下降。'
    ],
    healthy: ['Rises towards the best.', '向最佳值上升。'],
    failure: ['Falls to 0: nothing valid is produced.', '降到 0：没有产生有效结果。']
  },
  {
    key: /^tttd\/reward_(?:min|std)$/,
    unit: units.reward,
    says: ['Spread of the step’s rewards.', '该步奖励的离散程度。'],
    healthy: ['Some spread between the rollouts of a group.', '同组 rollout 之间有一定离散。'],
    failure: [
      'A spread of 0: every rollout got the same, nothing is learned.',
      '离散为 0：所有 rollout 得分相同，学不到东西。'
    ]
  },
  {
    key: 'tttd/reward_zero_fraction',
    unit: units.share,
    direction: 'down',
    says: ['Share of rollouts with reward 0.', '奖励为 0 的 rollout 比例。'],
    healthy: ['Falls, well below 1.', '下降，明显低于 1。'],
    failure: ['Near 1: nothing valid is produced.', '接近 1：没有产生有效结果。']
  },
  {
    key: /^tttd\/constant_groups(?:_removed)?$/,
    unit: units.groups,
    direction: 'down',
    says: [
      'Groups whose rewards are all equal: they teach nothing.',
      '奖励全相同的组：学不到东西。'
    ],
    healthy: ['A few.', '少量。'],
    failure: [
      'As many as there are groups: the step has nothing to learn from.',
      '与总组数相同：该步无可学习的内容。'
    ]
  },
  {
    key: /^tttd\/(?:grid|training)_(?:groups|rollouts)$/,
    unit: units.counted,
    says: ['Size of the grid, and what of it was trained on.', '网格大小及用于训练的部分。'],
    healthy: [
      'The grid as configured; nearly all of it trained on.',
      '网格与配置一致，几乎全部用于训练。'
    ],
    failure: ['Much less is trained on than the grid holds.', '用于训练的远少于网格。']
  },
  {
    key: /^(?:tttd\/)?archive_(?:size|best_reward)$/,
    unit: units.named,
    direction: 'up',
    says: ['The archive of solutions.', '解的档案。'],
    healthy: ['Never falls.', '从不下降。'],
    failure: ['Stands still for many steps: the search is stuck.', '多步不变：搜索停滞。']
  },
  {
    key: 'dropped_rollouts',
    unit: units.rollouts,
    direction: 'down',
    says: ['Rollouts that were not used.', '未使用的 rollout。'],
    healthy: ['0, or few.', '0 或少量。'],
    failure: [
      'Grows: records are unfit for training, or the batch does not divide.',
      '增长：记录不适合训练，或批次不能整除。'
    ]
  },
  {
    key: 'partial_step_rollouts',
    unit: units.rollouts,
    says: ['Rollouts in an unfinished step.', '未凑满一步的 rollout。'],
    healthy: ['Below the size of a step.', '小于一步的大小。'],
    failure: ['Grows beyond a step: nothing is trained.', '超过一步：没有进行训练。']
  },
  {
    key: /^(?:epochs|optimizer_steps)$/,
    unit: units.counted,
    says: ['What the training job did.', '训练任务完成的量。'],
    healthy: ['As configured.', '与配置一致。'],
    failure: [
      '0 optimizer steps: the release is the one before it.',
      '优化步为 0：该版本与前一版本相同。'
    ]
  },
  {
    key: REWARD_BY_RECEIPT,
    unit: units.reward,
    direction: 'up',
    says: [
      'Mean score of exactly the reports a step consumed, found by their receipts.',
      '每步实际消费的报告的平均得分，按 receipt 查得。'
    ],
    healthy: ['Rises over the run.', '随运行上升。'],
    failure: [
      'Stays at 0: nothing earns a reward. Falls while the loss looks well: the policy learns something else than the task.',
      '一直为 0：没有任何回答得到奖励。损失正常而奖励下降：策略学到的不是任务本身。'
    ]
  },
  {
    key: /^score_centering_/,
    unit: units.reward,
    says: ['Centering of scores before training.', '训练前的得分中心化。'],
    healthy: ['Near the mean of the scores.', '接近得分的平均值。'],
    failure: ['Far from the scores: the baseline is stale.', '远离得分：基线已过时。']
  },
  {
    key: /^operations\/.*unread_count$/,
    unit: units.records,
    direction: 'down',
    says: ['Records not yet read by training.', '训练尚未读取的记录。'],
    healthy: ['Rises and falls back with every step.', '每步上升后回落。'],
    failure: [
      'Grows without an end: training does not keep up or stands still.',
      '不断增长：训练跟不上或已停止。'
    ]
  },
  {
    key: /^operations\/runtime\/weight_sync\//,
    unit: units.named,
    says: ['How the newest weights reach the inference engines.', '最新权重到达推理引擎的情况。'],
    healthy: ['Steady times; the version rises with every step.', '用时平稳，版本随每步上升。'],
    failure: [
      'A version that stands still while steps go on: answers come from old weights.',
      '训练继续而版本不动：回答仍来自旧权重。'
    ]
  },
  {
    key: /^operations\/training\/error$/,
    unit: units.flag,
    direction: 'down',
    says: ['1 while training reports an error.', '训练报告错误时为 1。'],
    healthy: ['0.', '0。'],
    failure: ['1.', '1：训练报错。']
  },
  {
    key: /^(?:wins|losses|ties|passed|failed)$/,
    unit: units.episodes,
    says: ['Outcome of the evaluation episodes.', '评测回合的结果。'],
    healthy: ['More wins than losses for what is selected.', '被选中者胜多于负。'],
    failure: ['All ties: the tasks do not tell the two apart.', '全部平局：任务分不出两者。']
  },
  {
    key: /^(?:current|candidate|floor)_score$/,
    unit: units.score,
    direction: 'up',
    says: [
      'Score of the served harness, of the proposed one, or the floor.',
      '当前、候选 harness 的得分或下限。'
    ],
    healthy: ['The candidate’s above the current one.', '候选高于当前。'],
    failure: ['The candidate below the floor: it is rejected.', '候选低于下限：被拒绝。']
  },
  {
    key: /^(?:reef|tttd)\/step$/,
    unit: units.steps,
    says: ['Commit step: the place of a release in its chain.', '提交步：release 在链中的位置。'],
    healthy: ['Rises by one.', '每次加一。'],
    failure: [
      'Stands still while reports come in: nothing is released.',
      '有报告到来却不动：没有发布新版本。'
    ]
  },
  {
    key: /^(?:selected|published)$/,
    unit: units.flag,
    says: ['1 when the candidate became what is served.', '候选成为当前版本时为 1。'],
    healthy: ['1 now and then.', '不时为 1。'],
    failure: ['Always 0: no proposal is good enough.', '一直为 0：没有足够好的提案。']
  },
  {
    key: /^(?:evaluation_sides|gate_sides|evaluation_task_count|tasks)$/,
    unit: units.counted,
    says: ['Size of the evaluation that decided.', '用于裁决的评测规模。'],
    healthy: ['As configured.', '与配置一致。'],
    failure: ['Smaller than configured: tasks were lost.', '小于配置：有任务丢失。']
  },
  {
    key: 'episode_failures',
    unit: units.episodes,
    direction: 'down',
    says: ['Evaluation episodes that broke off.', '中断的评测回合。'],
    healthy: ['0.', '0。'],
    failure: [
      'Above 0: scores rest on fewer episodes, or the harness is broken.',
      '大于 0：得分依据的回合变少，或 harness 出错。'
    ]
  },
  {
    key: /^proposer_(?:input|output)_tokens$/,
    unit: units.tokens,
    says: ['Tokens that the proposer read or wrote.', '提案模型读入或写出的 token。'],
    healthy: ['Steady.', '平稳。'],
    failure: ['At the limit: proposals are cut off.', '达到上限：提案被截断。']
  },
  {
    key: /^(?:valid|void|min_valid)_pairs$/,
    unit: units.pairs,
    says: [
      'Pairs of episodes that count, that do not, or that must count at least.',
      '有效、无效或最少需要的成对回合数。'
    ],
    healthy: ['Valid pairs at or above the least number.', '有效对数不低于最少要求。'],
    failure: [
      'Too few valid pairs: the evaluation decides nothing.',
      '有效对数不足：评测无法裁决。'
    ]
  },
  {
    key: 'sign_test_p_value',
    unit: units.share,
    says: [
      'How likely the wins are by chance alone (sign test).',
      '仅凭偶然得到这些胜场的概率（符号检验）。'
    ],
    healthy: ['Below 0.05 for what is selected.', '被选中者低于 0.05。'],
    failure: ['Near 1: the two do not differ.', '接近 1：两者没有差别。']
  },
  {
    key: /^(?:mean_difference|interval_lower|interval_upper|min_effect)$/,
    unit: units.score,
    says: [
      'Difference of candidate and current score, its interval, and the least that counts.',
      '候选与当前得分之差、其区间及最小有效差。'
    ],
    healthy: ['An interval wholly above the least effect.', '区间整体高于最小有效差。'],
    failure: ['An interval across 0: not decided.', '区间跨过 0：未定。']
  },
  {
    key: 'confidence_level',
    unit: units.share,
    says: ['Confidence that the selection asks for.', '选择所要求的置信水平。'],
    healthy: ['As configured, mostly 0.95.', '与配置一致，通常为 0.95。'],
    failure: ['Another than configured.', '与配置不同。']
  }
]
