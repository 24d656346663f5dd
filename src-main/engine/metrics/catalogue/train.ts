import { units, type Entry } from './entry'

/** Optimizer step metrics of Slime's trainer and critic. */
export const train: readonly Entry[] = [
  {
    key: 'train/loss',
    unit: units.plain,
    says: [
      'Total loss of the step: policy loss minus weighted entropy, plus weighted KL where used. For supervised training the negative log-likelihood.',
      '该步的总损失：策略损失减去加权熵，使用 KL 时再加上加权 KL；监督训练时为负对数似然。'
    ],
    healthy: [
      'RL: near 0 and noisy, no downward trend expected. Supervised: falls.',
      '强化学习：接近 0 且有噪声，不要求下降；监督训练：下降。'
    ],
    failure: [
      'NaN or infinite, far above 1; supervised: flat or rising.',
      '出现 NaN 或无穷、远大于 1；监督训练时持平或上升。'
    ]
  },
  {
    key: 'train/pg_loss',
    unit: units.plain,
    says: ['Clipped policy-gradient loss.', '裁剪后的策略梯度损失。'],
    healthy: ['About 0, within ±0.1.', '约为 0，在 ±0.1 以内。'],
    failure: ['Spikes together with the gradient norm.', '与梯度范数一起出现尖峰。']
  },
  {
    key: 'train/entropy_loss',
    unit: units.nats,
    says: [
      'Mean entropy of the policy per token. A plain value, despite its name not a loss.',
      '策略每个 token 的平均熵。虽名为 loss，但只是数值。'
    ],
    healthy: ['Declines slowly, for example from 0.6 to 0.1.', '缓慢下降，例如从 0.6 到 0.1。'],
    failure: [
      'Near 0 within tens of steps: collapse. Rising steadily: gibberish.',
      '几十步内接近 0：坍缩；持续上升：输出变乱。'
    ]
  },
  {
    key: /^train\/pg_clipfrac$|^pg_clipfrac$|^actor\/pg_clipfrac/,
    unit: units.share,
    says: ['Share of tokens whose policy ratio was clipped.', '策略比率被裁剪的 token 所占比例。'],
    healthy: [
      '0 on the first step of a rollout, below 0.05 otherwise.',
      '每个 rollout 的第一步为 0，其余低于 0.05。'
    ],
    failure: [
      'Above 0.2 for long: data too old for the policy, or learning rate too high.',
      '长期高于 0.2：数据相对策略过旧，或学习率过高。'
    ]
  },
  {
    key: /^(?:train|actor)\/ppo_kl$/,
    unit: units.nats,
    says: [
      'Mean difference of log probabilities between the policy that sampled and the policy being trained.',
      '采样策略与训练中策略的对数概率平均差。'
    ],
    healthy: ['About 0, below 0.05.', '约为 0，低于 0.05。'],
    failure: ['Grows over steps, is strongly negative, or NaN.', '随步数增大、明显为负或出现 NaN。']
  },
  {
    key: 'train/train_rollout_logprob_abs_diff',
    unit: units.nats,
    direction: 'down',
    says: [
      'Mean absolute difference between the trainer’s and the inference engine’s log probabilities.',
      '训练器与推理引擎对数概率的平均绝对差。'
    ],
    healthy: [
      'Near 0: both agree. Below 0.03 for dense bf16 models.',
      '接近 0：两者一致；稠密 bf16 模型低于 0.03。'
    ],
    failure: [
      'Above 0.1, or a jump after a resume or an upgrade: the engines disagree or the weights were not synchronised. A small bump just after a resume is normal.',
      '高于 0.1，或在恢复、升级后跳升：两边不一致或权重未同步。恢复后短暂小幅升高属正常。'
    ]
  },
  {
    key: /^(?:train|actor)\/kl_loss$/,
    unit: units.nats,
    says: ['KL divergence to the reference model.', '相对参考模型的 KL 散度。'],
    healthy: ['0 at the first step, then slow growth.', '第一步为 0，之后缓慢增长。'],
    failure: [
      'Not 0 at the start: a wrong model was loaded. Explosive growth: the policy runs away.',
      '一开始就不为 0：加载了错误的模型；急剧增长：策略失控。'
    ]
  },
  {
    key: /^train\/(?:ois|tis|tis_abs)$/,
    unit: units.ratio,
    says: [
      'Importance ratio between trainer and inference engine.',
      '训练器与推理引擎之间的重要性比率。'
    ],
    healthy: ['About 1.', '约为 1。'],
    failure: ['Drifts away from 1.', '偏离 1。']
  },
  {
    key: 'train/tis_clipfrac',
    unit: units.share,
    says: ['Share of importance ratios that were clipped.', '被裁剪的重要性比率所占比例。'],
    healthy: ['Below 0.01.', '低于 0.01。'],
    failure: [
      'Grows: trainer and inference engine drift apart.',
      '增长：训练器与推理引擎逐渐偏离。'
    ]
  },
  {
    key: 'train/opsm_clipfrac',
    unit: units.share,
    says: ['Share masked by off-policy sequence masking.', '被离策略序列掩码屏蔽的比例。'],
    healthy: ['Near 0.', '接近 0。'],
    failure: [
      'Near 1: nearly everything is masked, and little is learned.',
      '接近 1：几乎全部被屏蔽，学到的很少。'
    ]
  },
  {
    key: /^(?:train|rollout)\/opd_reverse_kl$|^opd\/teacher_kl$/,
    unit: units.nats,
    direction: 'down',
    says: ['Distance to the teacher in on-policy distillation.', '在策略蒸馏中与教师模型的距离。'],
    healthy: ['Falls.', '下降。'],
    failure: ['Flat: the teacher is not reached.', '持平：没有接近教师。']
  },
  {
    key: /^(?:train|actor|training)\/grad_norm$|^grad_norm$/,
    unit: units.plain,
    says: ['Global gradient norm before clipping.', '裁剪前的全局梯度范数。'],
    healthy: ['0.05 to 1, bounded.', '0.05 到 1，有界。'],
    failure: [
      'Above 10 again and again, above 1000, or NaN. The loss alone can hide it.',
      '反复高于 10、高于 1000 或为 NaN。只看损失可能看不出来。'
    ]
  },
  {
    key: /^train\/mtp_(?:\d+_|i_)?loss$/,
    unit: units.nats,
    direction: 'down',
    says: ['Loss of the multi-token prediction heads.', '多 token 预测头的损失。'],
    healthy: ['Falls.', '下降。'],
    failure: [
      'Rises while the main loss is steady: the drafts get worse.',
      '主损失平稳而它上升：草稿变差。'
    ]
  },
  {
    key: /^train\/(?:critic-)?lr-pg_\d+$|^actor\/lr$/,
    unit: units.perUpdate,
    says: ['Learning rate of a parameter group.', '某参数组的学习率。'],
    healthy: ['Follows its schedule.', '符合调度。'],
    failure: ['0: a warm-up mistake, or the decay has ended.', '为 0：预热有误，或衰减已结束。']
  },
  {
    key: /^train\/(?:critic-)?global_batch_size$/,
    unit: units.samples,
    says: ['Rollouts in this step.', '该步包含的 rollout 数。'],
    healthy: ['Constant, as configured.', '恒定，与配置一致。'],
    failure: [
      'Another value than configured: the batch was split or refilled otherwise.',
      '与配置不同：批次被另行切分或补充。'
    ]
  },
  {
    key: 'train/critic-value_loss',
    unit: units.plain,
    direction: 'down',
    says: ['Loss of the critic.', 'critic 的损失。'],
    healthy: ['Falls.', '下降。'],
    failure: [
      'Rises, or NaN: the advantages it gives are noise.',
      '上升或为 NaN：由它得到的优势只是噪声。'
    ]
  },
  {
    key: 'train/critic-value_clipfrac',
    unit: units.share,
    says: ['Share of value predictions that were clipped.', '被裁剪的价值预测所占比例。'],
    healthy: ['Near 0.', '接近 0。'],
    failure: ['Near 1.', '接近 1。']
  },
  {
    key: /^(?:train\/critic-|critic\/)grad_norm$/,
    unit: units.plain,
    says: ['Global gradient norm of the critic before clipping.', 'critic 裁剪前的全局梯度范数。'],
    healthy: ['Bounded, like the actor’s.', '有界，与 actor 相当。'],
    failure: ['Above 10 again and again, or NaN.', '反复高于 10 或为 NaN。']
  },
  {
    key: /^train\/(?:critic-)?step$/,
    unit: units.steps,
    says: [
      'Optimizer step as the trainer counts it. It can repeat or go back.',
      '训练器记录的优化步；可能重复或回退。'
    ],
    healthy: ['Rises by one.', '每次加一。'],
    failure: [
      'Goes back: a resume or a rollback. Stands still: training waits.',
      '回退：恢复或回滚；不动：训练在等待。'
    ]
  },
  {
    key: /^train\/lora_(?:base_)?trainable_parameters$/,
    unit: units.parameters,
    says: [
      'Trainable parameters of the adapter, or of the base model under it.',
      'adapter 或其下基座模型的可训练参数量。'
    ],
    healthy: ['The base count is 0.', '基座的数量为 0。'],
    failure: [
      'A base count above 0: the base model is being trained.',
      '基座数量大于 0：基座模型正在被训练。'
    ]
  },
  {
    key: /^train\/lora_b_(?:nonzero|l1)$/,
    unit: units.plain,
    says: ['How far the adapter’s B matrices have left zero.', 'adapter 的 B 矩阵离开零的程度。'],
    healthy: ['Above 0 after the first step.', '第一步之后大于 0。'],
    failure: ['Stays 0: nothing is learned.', '一直为 0：什么也没有学到。']
  }
]
