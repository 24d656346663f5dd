import { z } from 'zod'
import type { Text } from '../../contract/text'
import { gigabytes } from './checkpoint-capacity'

/** What the memory of one GPU is estimated from. */
export interface MemoryInput {
  /** Parameters, from the size of the bf16 weights. */
  parameters: number
  layers: number
  kvHeads: number
  headSize: number
  vocabulary: number
  tensorParallel: number
  /** GPUs the trainer's optimizer state is spread over. */
  trainerGpus: number
  lora: boolean
  maxTokensPerGpu: number
  /** Tokens that a full batch of requests holds in the KV cache. */
  cachedTokens: number
}

/** Bytes on one GPU of each role. */
export interface MemoryEstimate {
  weights: number
  gradients: number
  optimizer: number
  logits: number
  servedWeights: number
  cache: number
  trainer: number
  serving: number
}

/**
 * A rough estimate: bf16 weights, fp32 gradients, fp32 master weights and two Adam moments spread over the trainer's
 * GPUs; logits in fp32 with two copies. Activations are not counted, so the truth is higher.
 * Source: Megatron-LM `docs/source/api-guide/dist_optimizer.rst` (bytes per parameter).
 */
export function estimateMemory(input: MemoryInput): MemoryEstimate {
  const share = input.parameters / input.tensorParallel
  const trained = input.lora ? 0.02 * share : share
  const spread = Math.max(1, input.trainerGpus / input.tensorParallel)
  const weights = 2 * share
  const gradients = 4 * trained
  const optimizer = (12 * trained) / spread
  const logits = (3 * 4 * input.maxTokensPerGpu * input.vocabulary) / input.tensorParallel
  const cache =
    (2 * 2 * input.layers * input.kvHeads * input.headSize * input.cachedTokens) /
    Math.min(input.tensorParallel, input.kvHeads)
  return {
    weights,
    gradients,
    optimizer,
    logits,
    servedWeights: weights,
    cache,
    trainer: weights + gradients + optimizer + logits,
    serving: weights + cache
  }
}

/** The estimate with every term shown. */
export function memorySentence(estimate: MemoryEstimate, gpuBytes: number | null): Text {
  const of = (value: number): string => gigabytes(value)
  const gpu = gpuBytes === null ? null : of(gpuBytes)
  return {
    en: `Estimate for one GPU. Trainer ${of(estimate.trainer)}: weights ${of(estimate.weights)}, gradients ${of(estimate.gradients)}, optimizer ${of(estimate.optimizer)}, logits ${of(estimate.logits)}, without activations. SGLang ${of(estimate.serving)}: weights ${of(estimate.servedWeights)}, KV cache ${of(estimate.cache)}.${gpu === null ? '' : ` The GPU has ${gpu}.`}`,
    zh: `单块 GPU 估算。训练器 ${of(estimate.trainer)}：权重 ${of(estimate.weights)}、梯度 ${of(estimate.gradients)}、优化器 ${of(estimate.optimizer)}、logits ${of(estimate.logits)}，未计激活。SGLang ${of(estimate.serving)}：权重 ${of(estimate.servedWeights)}、KV cache ${of(estimate.cache)}。${gpu === null ? '' : `GPU 显存 ${gpu}。`}`
  }
}

const Config = z.object({
  num_hidden_layers: z.number(),
  num_attention_heads: z.number(),
  num_key_value_heads: z.number().optional(),
  hidden_size: z.number(),
  head_dim: z.number().nullish(),
  vocab_size: z.number()
})

/** The numbers of a Hugging Face `config.json` that the estimate needs; null when one is missing. */
export function shapeOf(
  config: unknown
): Pick<MemoryInput, 'layers' | 'kvHeads' | 'headSize' | 'vocabulary'> | null {
  const parsed = Config.safeParse(config)
  if (!parsed.success) return null
  const facts = parsed.data
  return {
    layers: facts.num_hidden_layers,
    kvHeads: facts.num_key_value_heads ?? facts.num_attention_heads,
    headSize: facts.head_dim ?? facts.hidden_size / facts.num_attention_heads,
    vocabulary: facts.vocab_size
  }
}
