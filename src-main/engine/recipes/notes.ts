import type { Text } from '../../contract/text'

/** Short notes on trainer flags people set most; the catalogue itself holds names, types and defaults only. */
const flagNotes: Readonly<Record<string, Text>> = {
  'actor-num-nodes': { en: 'Nodes the trainer uses.', zh: '训练使用的节点数。' },
  'actor-num-gpus-per-node': {
    en: 'GPUs per node for the trainer.',
    zh: '每个节点用于训练的 GPU 数。'
  },
  'num-gpus-per-node': {
    en: 'GPUs of a node this stack may use.',
    zh: '节点上本栈可用的 GPU 数。'
  },
  'tensor-model-parallel-size': {
    en: 'GPUs that share each layer.',
    zh: '共同承担每一层的 GPU 数（张量并行）。'
  },
  'pipeline-model-parallel-size': {
    en: 'Groups of layers on different GPUs.',
    zh: '把各层分到不同 GPU 的段数（流水并行）。'
  },
  'context-parallel-size': {
    en: 'GPUs that share one sequence.',
    zh: '共同处理一个序列的 GPU 数（上下文并行）。'
  },
  'sequence-parallel': {
    en: 'Split activations along the sequence; needs tensor parallel.',
    zh: '沿序列切分激活，需要张量并行。'
  },
  'rollout-batch-size': {
    en: 'Prompts (or groups) of one rollout.',
    zh: '一个 rollout 的提示（或组）数。'
  },
  'n-samples-per-prompt': { en: 'Samples for each prompt.', zh: '每个提示的样本数。' },
  'global-batch-size': { en: 'Samples of one optimizer step.', zh: '一步优化的样本数。' },
  'micro-batch-size': {
    en: 'Samples one GPU handles at a time.',
    zh: '单块 GPU 一次处理的样本数。'
  },
  'num-steps-per-rollout': {
    en: 'Optimizer steps for each rollout.',
    zh: '每个 rollout 的优化步数。'
  },
  'num-rollout': {
    en: 'Absolute number of the last rollout.',
    zh: '最后一个 rollout 的绝对编号。'
  },
  'use-dynamic-batch-size': { en: 'Pack batches by tokens.', zh: '按 token 数打包 batch。' },
  'max-tokens-per-gpu': {
    en: 'Tokens one GPU takes in a dynamic batch.',
    zh: '动态 batch 中单块 GPU 的 token 上限。'
  },
  'seq-length': { en: 'Longest sequence the trainer holds.', zh: '训练端容纳的最长序列。' },
  'rollout-max-response-len': { en: 'Longest answer, in tokens.', zh: '最长回答（token）。' },
  'rollout-max-context-len': {
    en: 'Prompt and answer together, in tokens.',
    zh: '提示加回答的总长度（token）。'
  },
  'rollout-temperature': { en: 'Sampling temperature; above 0.', zh: '采样温度，须大于 0。' },
  lr: { en: 'Learning rate of the policy.', zh: '策略的学习率。' },
  'critic-lr': { en: 'Learning rate of the value model.', zh: '价值模型的学习率。' },
  'lr-decay-style': { en: 'How the rate decays.', zh: '学习率的衰减方式。' },
  'loss-type': { en: 'Which loss; fixed by the family.', zh: '使用的 loss，由方法决定。' },
  'advantage-estimator': { en: 'How advantages are computed.', zh: '优势的计算方式。' },
  'use-rollout-logprobs': {
    en: 'Take the served probabilities as those of the old policy.',
    zh: '以服务时的概率作为旧策略概率。'
  },
  'use-critic': { en: 'Train a value model beside the policy.', zh: '同时训练价值模型。' },
  'critic-steps-per-actor': {
    en: 'Value updates for each policy step.',
    zh: '每个策略步的价值更新次数。'
  },
  'num-critic-only-steps': {
    en: 'First steps that train only the value model.',
    zh: '最初仅训练价值模型的步数。'
  },
  'eps-clip': { en: 'Lower clip width of the ratio.', zh: '比率裁剪的下侧宽度。' },
  'eps-clip-high': { en: 'Upper clip width of the ratio.', zh: '比率裁剪的上侧宽度。' },
  'kl-coef': { en: 'Weight of the KL in the reward.', zh: '奖励中 KL 的权重。' },
  'kl-loss-coef': { en: 'Weight of the KL in the loss.', zh: 'loss 中 KL 的权重。' },
  'entropy-coef': { en: 'Weight of the entropy bonus.', zh: '熵奖励的权重。' },
  gamma: { en: 'Discount of later rewards.', zh: '后续奖励的折扣。' },
  lambd: { en: 'Lambda of generalised advantages.', zh: '广义优势估计的 lambda。' },
  'sao-length-adaptive-lambda': {
    en: 'Make lambda depend on the answer length.',
    zh: '让 lambda 随回答长度变化。'
  },
  'sao-lambda-alpha': {
    en: 'Scale of the length-adaptive lambda.',
    zh: '长度自适应 lambda 的尺度。'
  },
  'sao-critic-lambda': { en: 'Lambda of the value targets.', zh: '价值目标的 lambda。' },
  'megatron-lora-rank': {
    en: 'Rank of the adapter; 0 trains all weights.',
    zh: '适配器的 rank，0 为全量训练。'
  },
  'megatron-lora-alpha': {
    en: 'Scale of the adapter; default: the rank.',
    zh: '适配器的缩放，默认等于 rank。'
  },
  'megatron-lora-target-modules': { en: 'Layers that get an adapter.', zh: '附加适配器的层。' },
  'max-loaded-loras': { en: 'Adapters an engine holds at once.', zh: '引擎同时持有的适配器数。' },
  load: { en: 'Checkpoint to continue from.', zh: '从该 checkpoint 继续。' },
  save: { en: 'Folder of recovery checkpoints.', zh: '恢复用 checkpoint 的目录。' },
  'save-hf': {
    en: 'Folder of each exported release; ends in {rollout_id}.',
    zh: '每个版本的导出目录，以 {rollout_id} 结尾。'
  },
  'save-interval': {
    en: 'Rollouts between recovery checkpoints.',
    zh: '两次恢复 checkpoint 之间的 rollout 数。'
  },
  'ref-load': { en: 'Reference policy for the KL.', zh: '用于 KL 的参考策略。' },
  'hf-checkpoint': {
    en: 'Hugging Face model the trainer starts from.',
    zh: '训练起始的 Hugging Face 模型。'
  },
  'megatron-to-hf-mode': {
    en: 'How weights are converted; bridge for LoRA.',
    zh: '权重转换方式，LoRA 用 bridge。'
  },
  'padded-vocab-size': {
    en: "Vocabulary size of the model's embedding.",
    zh: '模型词嵌入的词表大小。'
  },
  'add-qkv-bias': {
    en: 'Attention projections have a bias (Qwen2.5).',
    zh: '注意力投影带偏置（Qwen2.5）。'
  },
  'qk-layernorm': {
    en: 'Queries and keys are normalised (Qwen3).',
    zh: '对 query 与 key 归一化（Qwen3）。'
  },
  'rotary-base': { en: 'Base of rotary positions.', zh: '旋转位置编码的基数。' },
  'attention-dropout': { en: 'Dropout in attention; set 0.', zh: '注意力 dropout，应设为 0。' },
  'hidden-dropout': {
    en: 'Dropout after each block; set 0.',
    zh: '每个块之后的 dropout，应设为 0。'
  },
  'recompute-granularity': {
    en: 'Recompute activations to save memory.',
    zh: '重算激活以节省显存。'
  },
  colocate: {
    en: 'Trainer and engine share GPUs (newest: training.colocate).',
    zh: '训练与推理共用 GPU（最新一代用 training.colocate）。'
  },
  'reef-checkpoint-policy': {
    en: 'Which checkpoints are kept: latest or best_reward.',
    zh: '保留哪些 checkpoint：latest 或 best_reward。'
  },
  'reef-checkpoint-max-storage-fraction': {
    en: 'Share of the disk checkpoints may fill.',
    zh: 'checkpoint 可占磁盘的比例。'
  },
  'reef-checkpoint-min-free-space-fraction': {
    en: 'Share of the disk kept free.',
    zh: '保持空闲的磁盘比例。'
  }
}

export function flagNote(name: string): Text | undefined {
  return flagNotes[name]
}

const recipeNotes: Readonly<Record<string, Text>> = {
  'batch-size': {
    en: 'Reports of one training job; must equal the global batch.',
    zh: '每个训练任务的反馈条数，须等于全局 batch。'
  },
  'max-staleness': {
    en: 'How many versions old a sample may be.',
    zh: '样本最多可落后多少个版本。'
  },
  'checkpoint-every-n-versions': {
    en: 'Every n-th release is saved.',
    zh: '每 n 个版本保存一次。'
  },
  'groups-per-step': { en: 'Groups of the grid of one step.', zh: '一步网格中的组数。' },
  'rollouts-per-group': {
    en: 'Rollouts of a group; 2 or more.',
    zh: '每组的 rollout 数，至少 2。'
  },
  'group-size': { en: 'Attempts of a group.', zh: '每组的尝试数。' },
  'prm-url': { en: 'Address of the judge model.', zh: '评判模型的地址。' },
  'prm-tokenizer-path': { en: 'Tokenizer of the judge model.', zh: '评判模型的 tokenizer。' },
  'prm-timeout-s': {
    en: 'Longest wait for the judge, in seconds.',
    zh: '等待评判模型的最长秒数。'
  },
  'session-ttl-s': {
    en: 'Seconds until a silent session is closed.',
    zh: '会话静默多久后关闭（秒）。'
  },
  'tokenizer-path': {
    en: 'Tokenizer for teacher or context texts.',
    zh: 'teacher 或上下文文本的 tokenizer。'
  },
  'max-teacher-tokens': {
    en: 'Longest teacher text, in tokens; 0: no limit.',
    zh: 'teacher 文本的最大 token 数，0 为不限。'
  },
  'success-reward-threshold': {
    en: 'Score from which an attempt counts as solved.',
    zh: '达到该得分即视为成功。'
  }
}

export function recipeFieldNote(name: string): Text | undefined {
  return recipeNotes[name]
}

/** SGLang options seen in the bundled recipes. */
export const ENGINE_OPTIONS: readonly { name: string; note: Text }[] = [
  { name: 'router-port', note: { en: 'Port of the router.', zh: '路由的端口。' } },
  {
    name: 'context-length',
    note: { en: 'Longest context of the engine.', zh: '引擎的最大上下文。' }
  },
  {
    name: 'mem-fraction-static',
    note: { en: 'Share of GPU memory for weights and cache.', zh: '权重与缓存占用显存的比例。' }
  },
  {
    name: 'attention-backend',
    note: {
      en: 'Attention kernel; triton when FlashInfer is older than 0.7.0.',
      zh: '注意力内核；FlashInfer 低于 0.7.0 时用 triton。'
    }
  },
  {
    name: 'reasoning-parser',
    note: { en: 'How thinking is separated from the answer.', zh: '如何区分思考与回答。' }
  },
  { name: 'tool-call-parser', note: { en: 'How tool calls are read.', zh: '如何解析工具调用。' } },
  {
    name: 'disable-prefill-cuda-graph',
    note: { en: 'No CUDA graph for prefill.', zh: 'prefill 不使用 CUDA graph。' }
  },
  {
    name: 'cuda-graph-max-bs-decode',
    note: { en: 'Largest batch captured for decoding.', zh: '解码时 CUDA graph 的最大 batch。' }
  }
]
