import type { Text } from '../../contract/text'

/** What the quick fix of a rule does, where it has one. A finding carries the fix itself, with its edits. */
const fixes: Readonly<Record<string, Text>> = {
  'yaml/tab': { en: 'Replaces the tabs by spaces.', zh: '把制表符换成空格。' },
  'yaml/exponent': {
    en: 'Writes the number with a dot, which both readers take for a number.',
    zh: '写成带小数点的数字，两种读取器都识别。'
  },
  'v2/misspelt-section': { en: 'Renames the section.', zh: '改为正确的段名。' },
  'v2/version': { en: 'Sets it to 2.', zh: '改为 2。' },
  'v2/services': { en: 'Removes the section.', zh: '删除该段。' },
  'v2/null': {
    en: 'Removes the field, so that its default holds.',
    zh: '删除该字段，使用默认值。'
  },
  'v2/unknown-field': {
    en: 'Renames the field where it only changed its name, or has a slip of the pen.',
    zh: '字段仅改名或拼写有误时，改为正确名称。'
  },
  'reef/engine-flag': {
    en: 'Moves the flag to its field below inference.',
    zh: '把参数移到 inference 下对应字段。'
  },
  'reef/placement-flag': { en: 'Moves it to training.colocate.', zh: '移到 training.colocate。' },
  'reef/sglang-prefix': { en: 'Removes the prefix.', zh: '去掉前缀。' },
  'reef/reserved-engine-option': { en: 'Removes the option.', zh: '删除该项。' },
  'reef/hf-checkpoint': {
    en: 'Refers to inference.model-path.',
    zh: '引用 inference.model-path。'
  },
  'reef/upstream-with-training': { en: 'Removes the upstream setting.', zh: '删除上游设置。' },
  'reef/execution-backend': { en: 'Sets it to ray.', zh: '改为 ray。' },
  'reef/handler': {
    en: 'Removes it; the engine brings its own.',
    zh: '删除该项，使用引擎自带的。'
  },
  'batch/agreement': {
    en: 'Sets every batch size to the one of the recipe.',
    zh: '把各处 batch 大小统一为 recipe 的值。'
  },
  'batch/omitted': { en: 'Writes the default down.', zh: '写明默认值。' },
  'batch/grid-flags': { en: 'Sets the flag to the side of the grid.', zh: '改为网格对应的边长。' },
  'batch/slime-formula': {
    en: 'Sets num-steps-per-rollout so that the formula holds.',
    zh: '调整 num-steps-per-rollout 使公式成立。'
  },
  'batch/silent-fallback': {
    en: 'Sets global-batch-size to the samples of a rollout.',
    zh: '把 global-batch-size 设为一个 rollout 的样本数。'
  },
  'batch/rollout-required': {
    en: 'Sets rollout-batch-size to the batch.',
    zh: '把 rollout-batch-size 设为 batch 大小。'
  },
  'batch/num-rollout': { en: 'Sets it to 100000000 for a stream.', zh: '对持续流设为 100000000。' },
  'gpu/per-node': { en: 'Sets it to the GPUs the stack uses.', zh: '设为该栈使用的 GPU 数。' },
  'gpu/legacy-total': { en: 'Sets it to the sum.', zh: '改为总和。' },
  'gpu/colocate-offload': { en: 'Removes the flag that contradicts.', zh: '删除矛盾的参数。' },
  'gpu/debug-only': { en: 'Removes the flag.', zh: '删除该参数。' },
  'gpu/moe-sequence-parallel': { en: 'Adds sequence-parallel.', zh: '添加 sequence-parallel。' },
  'family/loss-type': { en: 'Sets the loss of the family.', zh: '改为该方法的 loss。' },
  'family/rollout-logprobs': {
    en: 'Adds use-rollout-logprobs.',
    zh: '添加 use-rollout-logprobs。'
  },
  'family/advantages-off': { en: 'Adds the flag.', zh: '添加该参数。' },
  'family/advantages-kept': { en: 'Removes the flag.', zh: '删除该参数。' },
  'tttd/kl-coef': { en: 'Sets the value of the paper, 0.1.', zh: '设为论文的 0.1。' },
  'sao/critic': { en: 'Adds use-critic.', zh: '添加 use-critic。' },
  'sao/eps-clip-high-set': {
    en: 'Writes 5.0, the value for reasoning.',
    zh: '写明推理任务的 5.0。'
  },
  'grpo/estimator': { en: 'Sets it to grpo.', zh: '改为 grpo。' },
  'grpo/no-critic': { en: 'Removes the flag.', zh: '删除该参数。' },
  'opd/teacher': { en: 'Sets it to separate.', zh: '设为 separate。' },
  'sdft/teacher-moves': { en: 'Sets it to 0.', zh: '设为 0。' },
  'checkpoint/template': { en: 'Appends /{rollout_id}.', zh: '在末尾加上 /{rollout_id}。' },
  'checkpoint/save': { en: 'Uses the path of load.', zh: '使用 load 的路径。' },
  'checkpoint/policy': { en: 'Sets it to latest.', zh: '改为 latest。' },
  'lora/bridge-mode': { en: 'Sets the mode to bridge.', zh: '将模式设为 bridge。' },
  'slime/balance-by-flops': {
    en: 'Adds use-dynamic-batch-size.',
    zh: '添加 use-dynamic-batch-size。'
  },
  'slime/logprobs-or-tis': { en: 'Removes use-tis.', zh: '删除 use-tis。' },
  'slime/param-lists': { en: 'Removes one of the two lists.', zh: '删除两个列表之一。' },
  'slime/opd-load': { en: 'Adds use-opd.', zh: '添加 use-opd。' },
  'slime/warm-up': { en: 'Removes one of the two.', zh: '删除其中之一。' },
  'slime/save-needs-interval': { en: 'Adds save-interval.', zh: '添加 save-interval。' },
  'slime/tokens-without-dynamic': {
    en: 'Adds use-dynamic-batch-size.',
    zh: '添加 use-dynamic-batch-size。'
  },
  'slime/kl-without-loss': { en: 'Adds use-kl-loss.', zh: '添加 use-kl-loss。' },
  'slime/kl-reference': {
    en: 'Sets the served model as the reference.',
    zh: '以所服务的模型为参考。'
  },
  'slime/normalize-advantages': {
    en: 'Adds normalize-advantages.',
    zh: '添加 normalize-advantages。'
  },
  'slime/health-first-wait': {
    en: 'Waits 300 s before the first check.',
    zh: '首次检查前等待 300 秒。'
  },
  'flags/misspelt': { en: 'Renames the flag to the one meant.', zh: '改为正确的参数名。' },
  'service/open': { en: 'Listens on 127.0.0.1 only.', zh: '只监听 127.0.0.1。' },
  'service/engine-open': { en: 'Listens on 127.0.0.1 only.', zh: '只监听 127.0.0.1。' },
  'time/training-timeout': {
    en: 'Sets the value of the bundled recipes.',
    zh: '设为自带 recipe 的值。'
  },
  'time/inference-timeout': { en: 'Sets 7200 s.', zh: '设为 7200 秒。' },
  'train/dropout': { en: 'Sets it to 0.', zh: '设为 0。' },
  'wandb/flags': { en: 'Removes the flag.', zh: '删除该参数。' },
  'model/qkv-bias': {
    en: 'Adds or removes the flag as the model needs it.',
    zh: '按模型需要添加或删除该参数。'
  },
  'model/qk-norm': {
    en: 'Adds or removes the flag as the model needs it.',
    zh: '按模型需要添加或删除该参数。'
  },
  'model/figures': { en: 'Sets the figure of the model.', zh: '改为模型的数值。' },
  'model/vocab-missing': { en: 'Sets the vocabulary of the model.', zh: '设为模型的词表大小。' },
  'model/tied': {
    en: 'Adds or removes the flag as the model needs it.',
    zh: '按模型需要添加或删除该参数。'
  }
}

export function ruleFix(id: string): Text | undefined {
  return fixes[id]
}

/** Rules with a quick fix. */
export const fixedRules: readonly string[] = Object.keys(fixes)
