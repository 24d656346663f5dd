import { layoutOf } from '../arithmetic'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Hit, type Rule } from '../rule'
import { atValue } from '../value'
import { atFlag, decided } from './place'

const MEGATRON = 'megatron/training/arguments.py'

const slime = (recipe: ReefRecipe): boolean => recipe.trainer === 'slime'

/** What Megatron asserts of its own figures, model aside. */
export const parallelRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'gpu/virtual-pipeline',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{layers} layers over {pipeline} stages do not divide into virtual stages of {size}',
      zh: '{layers} 层分到 {pipeline} 段后无法再分成每段 {size} 层的虚拟段'
    },
    explanation: {
      en: 'Megatron asserts that the layers of a pipeline stage are a multiple of the layers of a virtual stage.',
      zh: 'Megatron 要求每个流水段的层数是虚拟段层数的整数倍。'
    },
    source: MEGATRON,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('num-layers-per-virtual-pipeline-stage') : undefined
      const size = recipe.flagNumber('num-layers-per-virtual-pipeline-stage')
      const layers = recipe.flagNumber('num-layers')
      const { pipeline } = layoutOf(recipe)
      if (!decided(value) || size === undefined || layers === undefined || pipeline === undefined)
        return
      if (size > 0 && Number.isInteger(layers / pipeline / size)) return
      yield { at: atValue(value), args: { layers, pipeline, size } }
    }
  },
  {
    id: 'gpu/router-groups',
    severity: 'error',
    dialects: REEF,
    message: { en: '{what}', zh: '{whatZh}' },
    explanation: {
      en: 'Experts are shared out over router groups evenly, and no more groups can be chosen than there are.',
      zh: '专家会平均分到各路由组，所选组数不能超过总组数。'
    },
    source: 'megatron/core/transformer/transformer_config.py',
    check: routerGroups
  },
  {
    id: 'slime/cpu-offload',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'optimizer-cpu-offload requires use-precision-aware-optimizer',
      zh: 'optimizer-cpu-offload 需要 use-precision-aware-optimizer'
    },
    explanation: {
      en: 'Megatron keeps an offloaded optimizer state in its precision-aware form only.',
      zh: 'Megatron 只支持以 precision-aware 形式卸载优化器状态。'
    },
    source: MEGATRON,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('optimizer-cpu-offload') : undefined
      if (value !== undefined && recipe.flag('use-precision-aware-optimizer') === undefined)
        yield { at: atValue(value) }
    }
  },
  {
    id: 'slime/dispatcher',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'token dispatcher allgather is replaced by alltoall',
      zh: 'token dispatcher allgather 会被替换为 alltoall'
    },
    explanation: {
      en: 'Slime changes it for variable sequence lengths and only logs that. Write alltoall.',
      zh: 'Slime 因序列长度可变而替换它，且只写日志。请直接写 alltoall。'
    },
    source: 'slime/backends/megatron_utils/arguments.py',
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('moe-token-dispatcher-type') : undefined
      if (value?.text === 'allgather') yield { at: atValue(value) }
    }
  },
  {
    id: 'slime/kv-channels',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'hidden-size {hidden} does not divide by {heads} attention heads, and kv-channels is not given',
      zh: 'hidden-size {hidden} 无法被 {heads} 个注意力头整除，且没有给出 kv-channels'
    },
    explanation: {
      en: 'Without kv-channels Megatron takes hidden size ÷ heads and asserts that it divides.',
      zh: '没有 kv-channels 时，Megatron 取 hidden-size ÷ 头数并要求整除。'
    },
    source: MEGATRON,
    *check(recipe) {
      if (!slime(recipe) || recipe.flag('kv-channels') !== undefined) return
      const hidden = recipe.flagNumber('hidden-size')
      const heads = recipe.flagNumber('num-attention-heads')
      if (hidden === undefined || heads === undefined || heads <= 0 || hidden % heads === 0) return
      yield { at: atFlag(recipe, 'hidden-size'), args: { hidden, heads } }
    }
  }
]

function* routerGroups(recipe: ReefRecipe): Generator<Hit> {
  const groups = slime(recipe) ? recipe.flagNumber('moe-router-num-groups') : undefined
  if (groups === undefined || groups <= 0) return
  const experts = recipe.flagNumber('num-experts')
  if (experts !== undefined && experts % groups !== 0)
    yield {
      at: atFlag(recipe, 'moe-router-num-groups'),
      args: {
        what: `${experts} experts do not divide into ${groups} router groups`,
        whatZh: `${experts} 个专家无法平均分到 ${groups} 个路由组`
      }
    }
  const chosen = recipe.flagNumber('moe-router-group-topk')
  if (chosen !== undefined && chosen > groups)
    yield {
      at: atFlag(recipe, 'moe-router-group-topk'),
      args: {
        what: `moe-router-group-topk ${chosen} is above the ${groups} router groups`,
        whatZh: `moe-router-group-topk ${chosen} 大于路由组数 ${groups}`
      }
    }
}
