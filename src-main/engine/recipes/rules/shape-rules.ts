import { layoutOf } from '../arithmetic'
import type { ModelFacts } from '../models'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Hit, type Rule } from '../rule'
import type { ModelSubject } from './model-rules'
import { atFlag } from './place'

const ARGUMENTS = 'reef/train/slime_backend/reef_adapters/megatron/hf_arguments.py'

/** Flags every family of the bundled examples needs, and what each must say; null: a switch. */
const LAYER_FLAGS: readonly (readonly [string, string | null])[] = [
  ['normalization', 'RMSNorm'],
  ['swiglu', null],
  ['disable-bias-linear', null],
  ['position-embedding-type', 'rope']
]

/** What the hybrid models of Qwen3.5 and 3.6 need beside that. */
const HYBRID_FLAGS: readonly string[] = [
  'spec',
  'use-gated-attention',
  'attention-output-gate',
  'apply-layernorm-1p',
  'rotary-percent'
]

const ROPE_FAMILIES = /qwen(?:2\.5|3)|llama-?3/i
const HYBRID = /qwen3\.[56]-/i
const SPARSE = /-a\d+b\b/i
/** Attention that all-gathered context parallelism is written for. */
const DSA = ['DeepseekV32ForCausalLM', 'GlmMoeDsaForCausalLM']

function shapeRule(
  base: Omit<Rule<ModelSubject>, 'dialects' | 'severity' | 'check'>,
  check: (recipe: ReefRecipe, model: ModelFacts) => Iterable<Hit>
): Rule<ModelSubject> {
  return {
    ...base,
    severity: 'warning',
    dialects: REEF,
    *check({ recipe, model }) {
      if (model !== null && recipe.trainer === 'slime') yield* check(recipe, model)
    }
  }
}

/** Flags that describe the model's layers and cannot be read from its files by the trainer. */
export const shapeRules: readonly Rule<ModelSubject>[] = [
  shapeRule(
    {
      id: 'model/layer-flags',
      message: {
        en: '{model} needs {flags}, which the trainer does not derive',
        zh: '{model} 需要 {flags}，训练端不会自动推出'
      },
      explanation: {
        en: 'Megatron’s own defaults are another architecture (LayerNorm, GELU, biases, learned positions). The weights then fail to load.',
        zh: 'Megatron 的默认值是另一种结构（LayerNorm、GELU、带偏置、可学习位置），权重会加载失败。'
      },
      source: ARGUMENTS
    },
    function* (recipe, model) {
      if (!ROPE_FAMILIES.test(model.name)) return
      const missing = LAYER_FLAGS.filter(([flag, wanted]) => {
        const value = recipe.flag(flag)
        return value === undefined || (wanted !== null && value.text !== wanted)
      }).map(([flag, wanted]) => (wanted === null ? flag : `${flag} ${wanted}`))
      if (missing.length > 0)
        yield {
          at: atFlag(recipe, 'normalization'),
          args: { model: model.name, flags: missing.join(', ') }
        }
    }
  ),
  shapeRule(
    {
      id: 'model/hybrid',
      message: {
        en: '{model} is a hybrid model and needs {flags}',
        zh: '{model} 是混合结构模型，需要 {flags}'
      },
      explanation: {
        en: 'Its layers come from a layer specification of their own (slime_plugins.models.qwen3_5), with gated attention, layer norm plus one and a quarter of the rotary dimensions.',
        zh: '其各层来自专门的 spec（slime_plugins.models.qwen3_5），带门控注意力、layernorm-1p 以及 0.25 的 rotary 比例。'
      },
      source: 'scripts/models/qwen3.5-9B.sh'
    },
    function* (recipe, model) {
      if (!HYBRID.test(model.name)) return
      const missing = HYBRID_FLAGS.filter((flag) => recipe.flag(flag) === undefined)
      if (missing.length > 0)
        yield {
          at: atFlag(recipe, 'spec'),
          args: { model: model.name, flags: missing.join(', ') }
        }
    }
  ),
  shapeRule(
    {
      id: 'model/router-topk',
      message: {
        en: '{model} has experts and moe-router-topk is not given: Megatron takes 2',
        zh: '{model} 带有专家层而没有 moe-router-topk：Megatron 会取 2'
      },
      explanation: {
        en: 'The number of experts is read from the model, the way tokens are routed is not. With the wrong number the model answers differently in training than in serving.',
        zh: '专家数会从模型读取，路由方式不会。数目不对时，训练与服务的模型行为不同。'
      },
      source: ARGUMENTS
    },
    function* (recipe, model) {
      const sparse = (model.experts ?? 0) > 0 || SPARSE.test(model.name)
      if (sparse && recipe.flag('moe-router-topk') === undefined)
        yield { at: atFlag(recipe, 'moe-router-topk'), args: { model: model.name } }
    }
  ),
  shapeRule(
    {
      id: 'model/allgather-cp',
      message: {
        en: 'allgather-cp with context parallel {context} is not for {model}',
        zh: '{model} 不支持在上下文并行 {context} 下使用 allgather-cp'
      },
      explanation: {
        en: 'Slime allows it for the sparse attention of DeepSeek-V3.2 and GLM-5 only and stops otherwise.',
        zh: 'Slime 仅对 DeepSeek-V3.2 与 GLM-5 的稀疏注意力允许，否则终止。'
      },
      source: 'slime/utils/arguments.py'
    },
    function* (recipe, model) {
      const { context } = layoutOf(recipe)
      if (recipe.flag('allgather-cp') === undefined || context === undefined || context <= 1) return
      const allowed =
        model.architecture === undefined
          ? !ROPE_FAMILIES.test(model.name)
          : DSA.includes(model.architecture)
      if (!allowed)
        yield {
          at: atFlag(recipe, 'allgather-cp'),
          args: { model: model.name, context },
          severity: model.architecture === undefined ? 'warning' : 'error'
        }
    }
  )
]
