import { units, type Entry } from './entry'

/** Rollout, evaluation and sampling metrics of Slime. */
export const rollout: readonly Entry[] = [
  {
    key: 'rollout/raw_reward',
    unit: units.reward,
    direction: 'up',
    says: [
      'Mean reward as the reward model returned it. In plain Slime this is the learning curve.',
      '奖励模型返回的平均奖励。在单独使用 Slime 时，这就是学习曲线。'
    ],
    healthy: ['Rises, with noise of about ±0.1.', '上升，噪声约 ±0.1。'],
    failure: [
      'Flat at 0: nothing earns a reward, so nothing is learnt. A sudden drop to 0.',
      '一直为 0：没有任何回答得到奖励，学不到东西；突然降到 0。'
    ]
  },
  {
    key: 'rollout/rewards',
    unit: units.reward,
    direction: 'up',
    says: [
      'Under Reef the batch’s mean score: the reward curve. In plain Slime the reward after group normalisation, about 0, which is no reward curve.',
      '在 Reef 下是批次平均得分，即奖励曲线；在单独的 Slime 中是组内归一化后的奖励，约为 0，不能当作奖励曲线。'
    ],
    healthy: ['Under Reef: rises, noisy.', 'Reef 下：上升，有噪声。'],
    failure: [
      'Under Reef: flat at 0, where nothing earns a reward, or a sudden drop.',
      'Reef 下：一直为 0（没有任何回答得到奖励），或突然下降。'
    ]
  },
  {
    key: /^rollout\/(?:advantages|returns)$/,
    unit: units.reward,
    says: ['Mean over the rollout.', '该 rollout 的平均值。'],
    healthy: [
      'About 0 with group-normalised methods: not informative.',
      '组归一化方法下约为 0，没有信息量。'
    ],
    failure: [
      'Far from 0 with a group-normalised method: the normalisation is off.',
      '组归一化方法下远离 0：归一化未生效。'
    ]
  },
  {
    key: /^rollout\/(?:response_lengths|total_lengths)$|^(?:rollout|eval\/.+)\/response_len\/(?:mean|median|max|min)$|^response_length\/(?:mean|max|min)$/,
    unit: units.tokens,
    says: ['Length of answers.', '回答长度。'],
    healthy: ['Stable or slowly growing.', '稳定或缓慢增长。'],
    failure: [
      'At the length limit: runaway. A few tokens: collapse.',
      '达到长度上限：失控；只剩几个 token：坍缩。'
    ]
  },
  {
    key: /^prompt_length\/(?:mean|max|min)$/,
    unit: units.tokens,
    says: ['Length of prompts.', '提示长度。'],
    healthy: ['As in the data set.', '与数据集一致。'],
    failure: ['At the limit: prompts are cut or dropped.', '达到上限：提示被截断或丢弃。']
  },
  {
    key: /^(?:response|prompt)_length\/clip_ratio$/,
    unit: units.share,
    says: [
      'Share of samples as long as the longest of the batch, not as the limit.',
      '与本批最长样本等长的比例，并非与上限等长。'
    ],
    healthy: ['Small: few samples are as long as the longest.', '较小：少有样本与最长者等长。'],
    failure: [
      'Near 1: all samples have one length, most likely the limit.',
      '接近 1：所有样本等长，多半已到上限。'
    ]
  },
  {
    key: /^rollout\/(?:truncated|truncated_ratio)$|-truncated_ratio$|\/truncated_ratio$/,
    unit: units.share,
    direction: 'down',
    says: ['Share of answers cut at the length limit.', '因长度上限被截断的回答所占比例。'],
    healthy: ['Below 0.1.', '低于 0.1。'],
    failure: ['Near 1.', '接近 1。']
  },
  {
    key: /^rollout\/(?:ref_|rollout_|teacher_)?log_probs$/,
    unit: { en: 'nats per token', zh: '每 token nat' },
    says: ['Mean log probability of the sampled tokens.', '所采 token 的平均对数概率。'],
    healthy: ['Between −1 and 0.', '在 −1 与 0 之间。'],
    failure: ['Below −1 at the start: wrong weights.', '一开始就低于 −1：权重不对。']
  },
  {
    key: /^rollout\/(?:values|kl|entropy|round_number)$/,
    unit: units.named,
    says: ['Mean over the rollout’s samples.', '该 rollout 样本的平均值。'],
    healthy: ['Entropy at the start between 0 and 1.', '开始时熵在 0 与 1 之间。'],
    failure: ['NaN, or a jump without a change of data.', 'NaN，或数据未变而突然跳动。']
  },
  {
    key: /repetition_frac$/,
    unit: units.share,
    direction: 'down',
    says: ['Share of long answers that repeat themselves.', '自我重复的长回答所占比例。'],
    healthy: ['0.', '0。'],
    failure: ['Above 0 and growing: degenerate loops.', '大于 0 并增长：退化循环。']
  },
  {
    key: /^(?:rollout|eval\/.+)\/zero_std\/count_/,
    unit: units.groups,
    says: [
      'Prompt groups whose samples all got this same reward. Keys come and go between rollouts.',
      '所有样本都得到同一奖励的提示组数。这些键会在 rollout 之间出现或消失。'
    ],
    healthy: ['Small beside the number of groups.', '相对组数较小。'],
    failure: [
      'A growing count for 1: the data is learned out. A dominating count for 0: too hard, or the reward is broken.',
      '奖励 1 的组数增长：数据已学完；奖励 0 占多数：太难或奖励有误。'
    ]
  },
  {
    key: /prefix_cache_hit_rate$/,
    unit: units.share,
    direction: 'up',
    says: ['Share of prompt tokens found in the prefix cache.', '命中前缀缓存的提示 token 比例。'],
    healthy: ['Steady; high when many samples share a prompt.', '平稳；多个样本共用提示时较高。'],
    failure: [
      'Drops to 0: the cache is emptied between requests.',
      '降到 0：缓存在请求之间被清空。'
    ]
  },
  {
    key: /avg_cached_tokens_per_sample$/,
    unit: units.tokens,
    says: ['Cached tokens per sample.', '每个样本的缓存 token 数。'],
    healthy: ['About the length of the shared prompt.', '约为共用提示的长度。'],
    failure: ['0 although prompts are shared.', '提示共用却为 0。']
  },
  {
    key: /spec_accept_(?:rate|length)$/,
    unit: units.draft,
    direction: 'up',
    says: ['How much of the speculative draft was accepted.', '推测解码草稿被接受的程度。'],
    healthy: ['Steady.', '平稳。'],
    failure: [
      'Falls as training goes on: the draft model no longer fits the policy.',
      '随训练下降：草稿模型已不再匹配策略。'
    ]
  },
  {
    key: /^rollout\/dynamic_filter\/drop_/,
    unit: units.groups,
    says: ['Groups dropped by dynamic sampling, by reason.', '动态采样丢弃的组数，按原因。'],
    healthy: ['Small beside the groups that are kept.', '相对保留的组数较小。'],
    failure: [
      'Only this moves: rollouts are sampled for ever because all rewards are equal.',
      '只有它在变化：奖励全相同，采样无法结束。'
    ]
  },
  {
    key: /^(?:rollout|eval\/.+)\/error_cat\//,
    unit: units.samples,
    says: ['Samples by reward category.', '按奖励类别的样本数。'],
    healthy: ['Error categories near 0.', '错误类别接近 0。'],
    failure: [
      'An error category grows: the reward model or the environment fails.',
      '某错误类别增长：奖励模型或环境出错。'
    ]
  },
  {
    key: /^(?:eval\/.+-|passrate\/)pass@\d+$/,
    unit: units.share,
    direction: 'up',
    says: [
      'Estimated share of prompts solved within k tries. Solved means a reward of exactly 1.',
      '在 k 次尝试内解出的提示比例估计；奖励恰为 1 才算解出。'
    ],
    healthy: ['Rises; larger k is higher.', '上升；k 越大越高。'],
    failure: [
      '0 although rewards rise: the reward never is exactly 1.',
      '奖励上升却为 0：奖励从不恰好为 1。'
    ]
  },
  {
    key: /^eval\/[^/]+$/,
    unit: units.reward,
    direction: 'up',
    says: [
      'Mean reward on an evaluation set. The first point may be a baseline before training.',
      '评测集上的平均奖励。第一个点可能是训练前的基线。'
    ],
    healthy: ['Rises.', '上升。'],
    failure: [
      'Falls while the training reward rises: the reward is being gamed, or overfitting.',
      '训练奖励上升而它下降：奖励被钻空子或过拟合。'
    ]
  },
  {
    key: /^multi_turn\//,
    unit: units.named,
    says: ['Statistics of conversations with several turns.', '多轮对话的统计。'],
    healthy: ['Stable lengths, rounds below the limit.', '长度稳定，轮数低于上限。'],
    failure: [
      'Rounds at the limit: conversations do not end by themselves.',
      '轮数达到上限：对话不会自行结束。'
    ]
  },
  {
    key: 'rollout/top_p_kept_vocab_per_token',
    unit: units.tokens,
    says: ['Tokens of the vocabulary that top-p sampling kept.', 'top-p 采样保留的词表 token 数。'],
    healthy: ['Falls slowly as the policy gets surer.', '随策略更确定而缓慢下降。'],
    failure: ['1 within tens of steps: no variety is left.', '几十步内降到 1：不再有多样性。']
  },
  {
    key: /^(?:rollout|eval)\/step$/,
    unit: units.steps,
    says: ['Number of the rollout as the stack counts it.', '运行栈记录的 rollout 编号。'],
    healthy: ['Rises by one.', '每次加一。'],
    failure: ['Goes back: a resume or a rollback.', '回退：恢复或回滚。']
  },
  {
    key: /^rollout\/(?:action_masks|partition)$/,
    unit: units.named,
    says: ['Bookkeeping of the batch, no measure of learning.', '批次的内部记录，与学习效果无关。'],
    healthy: ['Steady.', '平稳。'],
    failure: ['A mask of 0: no token is trained on.', '掩码为 0：没有 token 参与训练。']
  }
]
