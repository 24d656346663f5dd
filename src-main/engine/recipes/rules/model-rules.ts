import { layoutOf } from '../arithmetic'
import { fixOf, removeField, setFlag } from '../edit'
import type { ModelFacts } from '../models'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Hit, type Rule } from '../rule'
import { atFlag } from './place'

/** A recipe together with what is known of its model. */
export interface ModelSubject {
  recipe: ReefRecipe
  model: ModelFacts | null
}

const ARGUMENTS = 'reef/train/slime_backend/reef_adapters/megatron/hf_arguments.py'
const SLIME = 'slime/utils/arguments.py'
const MEGATRON = 'megatron/training/arguments.py'

type Known = { recipe: ReefRecipe; model: ModelFacts; severity: 'error' | 'warning' }

/** By name alone we only warn: a fine-tune may carry a familiar name and another shape. */
function rule(
  base: Omit<Rule<ModelSubject>, 'severity' | 'dialects' | 'check'>,
  check: (known: Known) => Iterable<Hit>
): Rule<ModelSubject> {
  return {
    ...base,
    severity: 'error',
    dialects: REEF,
    *check({ recipe, model }) {
      if (model === null || recipe.trainer !== 'slime') return
      const severity = model.from === 'config' ? 'error' : 'warning'
      for (const hit of check({ recipe, model, severity })) yield { severity, ...hit }
    }
  }
}

function switchRule(
  id: string,
  flag: string,
  trait: 'qkvBias' | 'qkNorm',
  what: { en: string; zh: string }
): Rule<ModelSubject> {
  return rule(
    {
      id,
      message: {
        en: `{model} {has} ${what.en}: ${flag} must be {wanted}`,
        zh: `{model} {hasZh}${what.zh}：${flag} 必须{wantedZh}`
      },
      explanation: {
        en: 'The trainer does not derive this flag from the model. A wrong shape fails when the weights are loaded into Megatron.',
        zh: '该参数不会从模型推出；结构不符时，权重加载到 Megatron 会失败。'
      },
      source: ARGUMENTS
    },
    function* ({ recipe, model }) {
      const has = model[trait]
      const given = recipe.flag(flag)
      if (has === undefined || has === (given !== undefined)) return
      const args = has
        ? { has: 'has', hasZh: '带有', wanted: 'set', wantedZh: '设置' }
        : { has: 'has no', hasZh: '没有', wanted: 'absent', wantedZh: '去掉' }
      const title = has
        ? { en: `Add ${flag}`, zh: `添加 ${flag}` }
        : { en: `Remove ${flag}`, zh: `删除 ${flag}` }
      const removal = recipe.versioned && given !== undefined ? removeField(recipe, given) : null
      yield {
        at: atFlag(recipe, flag),
        args: { model: model.name, ...args },
        fix: fixOf(title, has ? setFlag(recipe, flag, 'true') : removal)
      }
    }
  )
}

/** Figures compared one to one with `config.json`; absent flags are derived from the model and never wrong. */
const compared: readonly (readonly [string, keyof ModelFacts])[] = [
  ['hidden-size', 'hiddenSize'],
  ['num-layers', 'layers'],
  ['num-attention-heads', 'heads'],
  ['ffn-hidden-size', 'ffnHiddenSize'],
  ['norm-epsilon', 'normEpsilon'],
  ['rotary-base', 'ropeTheta'],
  ['num-experts', 'experts'],
  ['padded-vocab-size', 'vocabSize']
]

export const modelRules: readonly Rule<ModelSubject>[] = [
  switchRule('model/qkv-bias', 'add-qkv-bias', 'qkvBias', {
    en: 'a bias on its attention projections',
    zh: '注意力投影偏置'
  }),
  switchRule('model/qk-norm', 'qk-layernorm', 'qkNorm', {
    en: 'a norm on queries and keys',
    zh: ' query/key 归一化'
  }),
  rule(
    {
      id: 'model/figures',
      message: {
        en: '{flag} is {value}; {model} has {wanted}',
        zh: '{flag} 为 {value}，而 {model} 为 {wanted}'
      },
      explanation: {
        en: 'Slime compares these with config.json and stops ("hf_validate_args failed"); a wrong vocabulary size fails when the weights are loaded.',
        zh: 'Slime 会与 config.json 核对，不符即停止（"hf_validate_args failed"）；词表大小不符则在加载权重时失败。'
      },
      source: SLIME
    },
    function* ({ recipe, model }) {
      for (const [flag, key] of compared) {
        const wanted = model[key]
        const value = recipe.flagNumber(flag)
        if (typeof wanted !== 'number' || value === undefined || value === wanted) continue
        // A vocabulary padded for tensor parallelism is larger than the model's own, and fine.
        if (flag === 'padded-vocab-size' && value > wanted && value - wanted < 1_024) continue
        if (flag === 'ffn-hidden-size' && model.experts !== undefined) continue
        yield {
          at: atFlag(recipe, flag),
          args: { flag, value, wanted, model: model.name },
          fix: fixOf(
            { en: `Set to ${wanted}`, zh: `改为 ${wanted}` },
            setFlag(recipe, flag, String(wanted))
          )
        }
      }
    }
  ),
  rule(
    {
      id: 'model/vocab-missing',
      message: {
        en: 'padded-vocab-size is not given; {model} has {wanted}',
        zh: '未给出 padded-vocab-size；{model} 为 {wanted}'
      },
      explanation: {
        en: "It is not derived from the model: Megatron pads the tokenizer's own size to another number.",
        zh: '它不会从模型推出：Megatron 会按 tokenizer 的大小补齐为另一个数。'
      },
      source: ARGUMENTS
    },
    function* ({ recipe, model }) {
      if (
        model.vocabSize === undefined ||
        recipe.flag('padded-vocab-size') !== undefined ||
        recipe.flag('vocab-size') !== undefined
      )
        return
      yield {
        at: atFlag(recipe, 'padded-vocab-size'),
        args: { model: model.name, wanted: model.vocabSize },
        fix: fixOf(
          { en: `Set to ${model.vocabSize}`, zh: `设为 ${model.vocabSize}` },
          setFlag(recipe, 'padded-vocab-size', String(model.vocabSize))
        )
      }
    }
  ),
  rule(
    {
      id: 'model/tied',
      message: {
        en: '{model} ties its embeddings: untie-embeddings-and-output-weights must be absent',
        zh: '{model} 共享词嵌入：必须去掉 untie-embeddings-and-output-weights'
      },
      explanation: {
        en: 'Tied models have no separate output matrix to load.',
        zh: '共享词嵌入的模型没有独立的输出矩阵。'
      },
      source: SLIME
    },
    function* ({ recipe, model }) {
      const flag = 'untie-embeddings-and-output-weights'
      const value = recipe.flag(flag)
      if (model.tied !== true || value === undefined) return
      yield {
        at: atFlag(recipe, flag),
        args: { model: model.name },
        fix: recipe.versioned
          ? fixOf({ en: 'Remove it', zh: '删除该项' }, removeField(recipe, value))
          : undefined
      }
    }
  ),
  rule(
    {
      id: 'model/heads',
      message: {
        en: '{what} {count} of {model} does not fit tensor parallel {tensor}',
        zh: '{model} 的{whatZh} {count} 与张量并行 {tensor} 不匹配'
      },
      explanation: {
        en: 'Attention heads must be a multiple of tensor parallel; key-value heads a multiple or a divisor of it.',
        zh: '注意力头数须为张量并行的整数倍；KV 头数须为其整数倍或约数。'
      },
      source: 'megatron/core/transformer/transformer_config.py'
    },
    function* ({ recipe, model }) {
      const { tensor } = layoutOf(recipe)
      if (tensor === undefined || tensor <= 1) return
      const place = atFlag(recipe, 'tensor-model-parallel-size')
      if (model.heads !== undefined && model.heads % tensor !== 0)
        yield {
          at: place,
          args: {
            what: 'head count',
            whatZh: '注意力头数',
            count: model.heads,
            tensor,
            model: model.name
          }
        }
      const kv = model.kvHeads
      if (kv !== undefined && kv % tensor !== 0 && tensor % kv !== 0)
        yield {
          at: place,
          args: {
            what: 'key-value head count',
            whatZh: ' KV 头数',
            count: kv,
            tensor,
            model: model.name
          }
        }
    }
  ),
  rule(
    {
      id: 'model/pipeline',
      message: {
        en: '{layers} layers of {model} do not divide by pipeline parallel {pipeline}',
        zh: '{model} 的 {layers} 层无法被流水并行 {pipeline} 整除'
      },
      explanation: {
        en: 'Without uneven first or last stages every stage holds the same number of layers.',
        zh: '未设置首尾阶段层数时，各阶段层数相同。'
      },
      source: MEGATRON
    },
    function* ({ recipe, model }) {
      const { pipeline } = layoutOf(recipe)
      const uneven =
        recipe.flag('decoder-first-pipeline-num-layers') ??
        recipe.flag('decoder-last-pipeline-num-layers')
      if (
        model.layers === undefined ||
        pipeline === undefined ||
        pipeline <= 1 ||
        uneven !== undefined ||
        model.layers % pipeline === 0
      )
        return
      yield {
        at: atFlag(recipe, 'pipeline-model-parallel-size'),
        args: { layers: model.layers, pipeline, model: model.name }
      }
    }
  ),
  rule(
    {
      id: 'model/positions',
      message: {
        en: 'seq-length {length} is above the {positions} positions of {model}',
        zh: 'seq-length {length} 超过 {model} 的 {positions} 个位置'
      },
      explanation: {
        en: 'Megatron asserts that the positions cover the sequence length.',
        zh: 'Megatron 要求位置数不小于序列长度。'
      },
      source: MEGATRON
    },
    function* ({ recipe, model }) {
      const length = recipe.flagNumber('seq-length')
      const positions = recipe.flagNumber('max-position-embeddings') ?? model.maxPositions
      if (length !== undefined && positions !== undefined && length > positions)
        yield { at: atFlag(recipe, 'seq-length'), args: { length, positions, model: model.name } }
    }
  )
]
