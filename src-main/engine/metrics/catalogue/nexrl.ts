import { units, type Entry } from './entry'

/** Keys of NexRL with its training services. */
export const nexrl: readonly Entry[] = [
  {
    key: 'rollout/reward_mean',
    unit: units.reward,
    direction: 'up',
    says: ['Mean reward of the step: the learning curve.', '该步平均奖励，即学习曲线。'],
    healthy: ['Rises.', '上升。'],
    failure: ['Flat at 0: nothing earns a reward.', '一直为 0：没有任何回答得到奖励。']
  },
  {
    key: /^rollout\/reward_(?:std|min|max)$/,
    says: ['Spread of the step’s rewards.', '该步奖励的离散程度。']
  },
  {
    key: /^critic\/grpo_std\/(?:mean|min|max)$/,
    says: ['Spread of rewards inside the groups.', '组内奖励的离散程度。'],
    healthy: ['Falls slowly.', '缓慢下降。'],
    failure: ['0: no signal.', '为 0：没有信号。']
  },
  { key: /^critic\/grpo_num/, unit: units.groups, says: ['Groups of the step.', '该步的组数。'] },
  { key: /^(?:critic|grpo)\/advantage/, says: ['Advantages of the step.', '该步的优势值。'] },
  {
    key: 'training/num_datums',
    unit: units.samples,
    says: ['Samples that were trained on.', '实际用于训练的样本。'],
    healthy: ['Close to the batch size.', '接近批大小。'],
    failure: [
      'Below a fifth of the batch size: most groups have equal rewards.',
      '低于批大小的五分之一：多数组的奖励相同。'
    ]
  },
  {
    key: 'training/batch_size',
    unit: units.samples,
    says: ['Samples asked for.', '要求的样本数。']
  },
  {
    key: 'training/skipped',
    direction: 'down',
    unit: units.flag,
    says: ['The step was skipped and the weights did not change.', '该步被跳过，权重未变。'],
    healthy: ['Absent.', '不出现。'],
    failure: [
      'Step after step: the data is unfit for training, and nothing is learned.',
      '连续出现：数据不适合训练，学不到东西。'
    ]
  },
  { key: 'training/global_step', unit: units.steps, says: ['Completed steps.', '已完成的步数。'] },
  {
    key: /^training\/loss/,
    says: ['Loss as the training service returns it.', '训练服务返回的损失。'],
    failure: ['NaN.', 'NaN。']
  },
  {
    key: 'opd/valid_tokens',
    unit: units.tokens,
    says: ['Tokens distilled.', '参与蒸馏的 token。']
  },
  { key: 'val/num_samples', unit: units.samples, says: ['Validation samples.', '验证样本数。'] },
  {
    key: /^val\//,
    direction: 'up',
    says: ['Mean score on the validation data.', '验证数据上的平均得分。'],
    healthy: ['Rises.', '上升。']
  },
  {
    key: /^mfu\//,
    unit: units.share,
    direction: 'up',
    says: ['Share of the GPUs’ arithmetic that was used.', 'GPU 算力利用率。']
  },
  {
    key: /^actor\/(?:policy_loss|pg_loss|pg_loss_sum)$/,
    says: ['Policy-gradient loss.', '策略梯度损失。'],
    healthy: ['About 0, noisy.', '约为 0，有噪声。']
  },
  {
    key: /^actor\/(?:\w*_)?entropy_loss(?:_sum)?$/,
    unit: units.nats,
    says: ['Mean entropy of the policy.', '策略的平均熵。'],
    failure: ['Near 0 within tens of steps: collapse.', '几十步内接近 0：坍缩。']
  }
]
