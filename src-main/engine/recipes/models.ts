/** What the files of a model say, or what its name lets us expect. */
export interface ModelFacts {
  /** `config.json`: read from the model's folder. `name`: recognised by name only. */
  from: 'config' | 'name'
  name: string
  hiddenSize?: number
  layers?: number
  heads?: number
  kvHeads?: number
  ffnHiddenSize?: number
  normEpsilon?: number
  ropeTheta?: number
  vocabSize?: number
  maxPositions?: number
  experts?: number
  tied?: boolean
  qkvBias?: boolean
  qkNorm?: boolean
  /** First of `architectures` in `config.json`. */
  architecture?: string
}

interface Known {
  pattern: RegExp
  facts: Omit<ModelFacts, 'from' | 'name'>
}

/** Families by name (THUDM/slime scripts/models/*.sh and the bundled Reef examples). First match counts. */
const known: readonly Known[] = [
  {
    pattern: /deepseek-r1-distill-qwen-1\.5b/i,
    facts: { qkvBias: true, qkNorm: false, vocabSize: 151936, ropeTheta: 10_000, tied: false }
  },
  {
    pattern: /deepseek-r1-distill-qwen/i,
    facts: { qkvBias: true, qkNorm: false, vocabSize: 152064, tied: false }
  },
  {
    pattern: /qwen2\.5-(?:0\.5|1\.5|3)b/i,
    facts: { qkvBias: true, qkNorm: false, vocabSize: 151936, ropeTheta: 1_000_000, tied: true }
  },
  {
    pattern: /qwen2\.5-(?:7|14|32|72)b/i,
    facts: { qkvBias: true, qkNorm: false, vocabSize: 152064, ropeTheta: 1_000_000, tied: false }
  },
  {
    pattern: /qwen3-4b-(?:thinking|instruct)-2507/i,
    facts: { qkvBias: false, qkNorm: true, vocabSize: 151936, ropeTheta: 5_000_000, tied: true }
  },
  {
    pattern: /qwen3-30b-a3b-thinking-2507/i,
    facts: { qkvBias: false, qkNorm: true, vocabSize: 151936, ropeTheta: 10_000_000, tied: false }
  },
  {
    pattern: /qwen3-30b-a3b/i,
    facts: { qkvBias: false, qkNorm: true, vocabSize: 151936, tied: false }
  },
  {
    pattern: /qwen3-(?:0\.6|1\.7|4)b/i,
    facts: { qkvBias: false, qkNorm: true, vocabSize: 151936, ropeTheta: 1_000_000, tied: true }
  },
  {
    pattern: /qwen3-(?:8|14|32)b/i,
    facts: { qkvBias: false, qkNorm: true, vocabSize: 151936, ropeTheta: 1_000_000, tied: false }
  },
  {
    pattern: /qwen3\.[56]-/i,
    facts: { qkvBias: false, qkNorm: true, vocabSize: 248320, ropeTheta: 10_000_000 }
  },
  {
    pattern: /llama-?3\.[12]/i,
    facts: { qkvBias: false, qkNorm: false, vocabSize: 128256, ropeTheta: 500_000 }
  }
]

/** Parameters in billions as the model's name says them (`Qwen3-30B-A3B` → 30); null when it does not. */
export function billionsByName(path: string): number | null {
  const said = /(?:^|[-_/])(\d+(?:\.\d+)?)B\b/i.exec(path)?.[1]
  return said === undefined ? null : Number(said)
}

/** Facts by the model's name; null for a name we do not know. Fine-tunes may differ, so these only warn. */
export function modelByName(path: string): ModelFacts | null {
  const name =
    path
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ?? ''
  const hit = known.find((entry) => entry.pattern.test(name))
  if (hit === undefined) return null
  return { from: 'name', name, ...hit.facts }
}

/** Facts from a parsed `config.json` and, where there is one, the tensor names of the safetensors index. */
export function modelFromConfig(
  name: string,
  config: unknown,
  tensors: readonly string[] | null
): ModelFacts {
  const outer = recordOf(config)
  // Multimodal models keep the language model's shape one level down.
  const text = recordOf(outer['text_config'])
  const pick = (...keys: string[]): unknown => {
    for (const key of keys) {
      const value = text[key] ?? outer[key]
      if (value !== undefined && value !== null) return value
    }
    return undefined
  }
  const facts: ModelFacts = { from: 'config', name }
  const numbers: readonly (readonly [NumberKey, unknown])[] = [
    ['hiddenSize', pick('hidden_size')],
    ['layers', pick('num_hidden_layers')],
    ['heads', pick('num_attention_heads')],
    ['kvHeads', pick('num_key_value_heads')],
    ['ffnHiddenSize', pick('intermediate_size')],
    ['normEpsilon', pick('rms_norm_eps')],
    ['ropeTheta', pick('rope_theta') ?? recordOf(pick('rope_parameters'))['rope_theta']],
    ['vocabSize', pick('vocab_size')],
    ['maxPositions', pick('max_position_embeddings')],
    ['experts', pick('num_experts', 'n_routed_experts', 'num_local_experts')]
  ]
  for (const [key, value] of numbers) {
    if (typeof value === 'number' && Number.isFinite(value)) facts[key] = value
  }
  const architectures = outer['architectures']
  if (Array.isArray(architectures) && typeof architectures[0] === 'string')
    facts.architecture = architectures[0]
  const tied = pick('tie_word_embeddings')
  if (typeof tied === 'boolean') facts.tied = tied
  if (tensors !== null && tensors.length > 0) {
    facts.qkvBias = tensors.some((tensor) => tensor.endsWith('.self_attn.q_proj.bias'))
    facts.qkNorm = tensors.some((tensor) => tensor.endsWith('.self_attn.q_norm.weight'))
    if (!tensors.some((tensor) => tensor.endsWith('lm_head.weight'))) facts.tied = true
  }
  return facts
}

type NumberKey =
  | 'hiddenSize'
  | 'layers'
  | 'heads'
  | 'kvHeads'
  | 'ffnHiddenSize'
  | 'normEpsilon'
  | 'ropeTheta'
  | 'vocabSize'
  | 'maxPositions'
  | 'experts'

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return Object.fromEntries(Object.entries(value))
}
