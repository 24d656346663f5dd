import { flagOr, layoutOf, product, reservedGpus } from '../arithmetic'
import { fixOf, removeField, setField, setFlag } from '../edit'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, UNVERSIONED, type Rule } from '../rule'
import { atValue } from '../value'
import { at, atFirst, atFlag } from './place'

const PREFLIGHT = 'reef/train/slime_backend/reef_adapters/preflight.py'
const MEGATRON = 'megatron/training/arguments.py'
const PLACEMENT = 'reef/runtime/executor/placement.py'

const slimeOnly = (recipe: ReefRecipe): boolean => recipe.trainer === 'slime'

export const gpuRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'gpu/engine-split',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'inference GPUs {gpus} must be a positive multiple of tensor-parallel-size {engine}',
      zh: '推理 GPU 数 {gpus} 必须是 tensor-parallel-size {engine} 的正整数倍'
    },
    explanation: {
      en: 'Each engine takes tensor-parallel-size GPUs; none may be left over.',
      zh: '每个引擎占用 tensor-parallel-size 块 GPU，不能有剩余。'
    },
    source: 'reef/train/deployment.py',
    *check(recipe) {
      const { inferenceGpus: gpus, engineGpus: engine } = layoutOf(recipe)
      if (gpus === undefined || engine === undefined || recipe.practice) return
      if (gpus > 0 && engine > 0 && gpus % engine === 0) return
      yield {
        at: at(
          recipe,
          recipe.given('inference.num-gpus') === undefined
            ? 'inference.tensor-parallel-size'
            : 'inference.num-gpus'
        ),
        args: { gpus, engine }
      }
    }
  },
  {
    id: 'gpu/standalone-split',
    severity: 'error',
    dialects: ['reef-v2'],
    message: {
      en: 'serving without training: num-gpus {gpus} must equal tensor-parallel-size {engine}',
      zh: '仅服务不训练时，num-gpus {gpus} 必须等于 tensor-parallel-size {engine}'
    },
    explanation: {
      en: 'Standalone serving starts exactly one engine.',
      zh: '独立服务只启动一个引擎。'
    },
    source: 'reef/service/deploy/provider.py',
    *check(recipe) {
      if (recipe.trainer !== 'none' || recipe.given('inference.num-gpus') === undefined) return
      const { inferenceGpus: gpus, engineGpus: engine } = layoutOf(recipe)
      if (gpus === undefined || engine === undefined || gpus === engine || gpus % engine !== 0)
        return
      yield { at: at(recipe, 'inference.num-gpus'), args: { gpus, engine } }
    }
  },
  {
    id: 'gpu/world-size',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{gpus} trainer GPUs do not divide into tensor {tensor} × pipeline {pipeline} × context {context}',
      zh: '{gpus} 块训练 GPU 无法被 张量 {tensor} × 流水 {pipeline} × 上下文 {context} 整除'
    },
    explanation: {
      en: 'Trainer GPUs are actor-num-nodes × actor-num-gpus-per-node (8 per node by default).',
      zh: '训练 GPU 数 = actor-num-nodes × actor-num-gpus-per-node（默认每节点 8）。'
    },
    source: MEGATRON,
    *check(recipe) {
      if (!slimeOnly(recipe)) return
      const { actorGpus: gpus, tensor, pipeline, context } = layoutOf(recipe)
      const model = product(tensor, pipeline, context)
      if (
        gpus === undefined ||
        model === undefined ||
        tensor === undefined ||
        pipeline === undefined ||
        context === undefined
      )
        return
      if (model > 0 && gpus % model === 0) return
      yield {
        at: atFirst(
          recipe,
          'tensor-model-parallel-size',
          'actor-num-gpus-per-node',
          'pipeline-model-parallel-size'
        ),
        args: { gpus, tensor, pipeline, context }
      }
    }
  },
  {
    id: 'gpu/expert-world-size',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{gpus} trainer GPUs do not divide into expert tensor {tensor} × expert {expert} × pipeline {pipeline}',
      zh: '{gpus} 块训练 GPU 无法被 专家张量 {tensor} × 专家 {expert} × 流水 {pipeline} 整除'
    },
    explanation: {
      en: 'expert-tensor-parallel-size takes the tensor-parallel size when it is not given.',
      zh: '未给出 expert-tensor-parallel-size 时取张量并行数。'
    },
    source: 'megatron/core/parallel_state.py',
    *check(recipe) {
      if (!slimeOnly(recipe)) return
      const { actorGpus: gpus, expertTensor: tensor, expert, pipeline } = layoutOf(recipe)
      const model = product(tensor, expert, pipeline)
      if (
        gpus === undefined ||
        tensor === undefined ||
        expert === undefined ||
        pipeline === undefined
      )
        return
      if (expert <= 1 || model === undefined || model <= 0 || gpus % model === 0) return
      yield {
        at: atFlag(recipe, 'expert-model-parallel-size'),
        args: { gpus, tensor, expert, pipeline }
      }
    }
  },
  {
    id: 'gpu/per-node',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'num-gpus-per-node {given} is less than the {wanted} GPUs this stack uses on one node',
      zh: 'num-gpus-per-node {given} 少于本栈在单节点上使用的 {wanted} 块 GPU'
    },
    explanation: {
      en: 'It is the number of GPUs of the node that the stack may use (8 when omitted). Too few, and placement goes wrong or waits.',
      zh: '它是节点上本栈可用的 GPU 数（默认 8）。偏小会导致放置错误或一直等待。'
    },
    source: PLACEMENT,
    *check(recipe) {
      if (!slimeOnly(recipe) || flagOr(recipe, 'actor-num-nodes', 1) !== 1) return
      const wanted = reservedGpus(layoutOf(recipe))
      const given = recipe.flagNumber('num-gpus-per-node')
      if (wanted === undefined || given === undefined || given >= wanted) return
      const title = { en: `Set to ${wanted}`, zh: `改为 ${wanted}` }
      yield {
        at: atFlag(recipe, 'num-gpus-per-node'),
        args: { given, wanted },
        fix: fixOf(title, setFlag(recipe, 'num-gpus-per-node', String(wanted)))
      }
    }
  },
  {
    id: 'gpu/node-default',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'actor-num-gpus-per-node is omitted: the trainer asks for 8 GPUs',
      zh: '未写 actor-num-gpus-per-node：训练将申请 8 块 GPU'
    },
    explanation: {
      en: 'When Ray has fewer, nothing fails: the driver waits for a placement group without end.',
      zh: '若 Ray 的 GPU 不足，并不会报错，进程会一直等待 placement group。'
    },
    source: 'slime/utils/arguments.py',
    *check(recipe) {
      if (slimeOnly(recipe) && recipe.flag('actor-num-gpus-per-node') === undefined)
        yield { at: { path: 'training.options.actor-num-gpus-per-node' } }
    }
  },
  {
    id: 'gpu/legacy-total',
    severity: 'warning',
    dialects: UNVERSIONED,
    message: {
      en: 'training.num_gpus is {given}; trainer and engine reserve {wanted}',
      zh: 'training.num_gpus 为 {given}，训练与推理共需 {wanted}'
    },
    explanation: {
      en: 'Ray is started with this number. With fewer the driver waits without end; with more some stay idle.',
      zh: 'Ray 按此数启动：偏少会无限等待，偏多则有 GPU 闲置。'
    },
    source: PLACEMENT,
    *check(recipe) {
      if (!slimeOnly(recipe)) return
      const given = recipe.number('training.config.num_gpus')
      const wanted = reservedGpus(layoutOf(recipe))
      if (given === undefined || wanted === undefined || given === wanted) return
      yield {
        at: at(recipe, 'training.config.num_gpus'),
        args: { given, wanted },
        fix: fixOf(
          { en: `Set to ${wanted}`, zh: `改为 ${wanted}` },
          setField(recipe, 'training.num_gpus', String(wanted))
        )
      }
    }
  },
  {
    id: 'gpu/visible-devices',
    severity: 'warning',
    dialects: UNVERSIONED,
    message: {
      en: '{path} lists {listed} devices, training.num_gpus is {given}',
      zh: '{path} 列出 {listed} 块设备，training.num_gpus 为 {given}'
    },
    explanation: {
      en: 'The list of visible devices must name as many GPUs as Ray is told to use.',
      zh: '可见设备列表的数量必须与告知 Ray 的 GPU 数一致。'
    },
    source: 'docs/user-guide/operate.rst',
    *check(recipe) {
      const value = recipe.given('training.config.cuda_visible_devices')
      const given = recipe.number('training.config.num_gpus')
      if (value === undefined || value.missing.length > 0 || given === undefined) return
      const listed = value.text.split(',').filter((part) => part.trim() !== '').length
      if (listed !== given) yield { at: atValue(value), args: { path: value.path, listed, given } }
    }
  },
  {
    id: 'gpu/colocate-offload',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'the Reef bridge requires --offload-train and --offload-rollout with --colocate',
      zh: '使用 --colocate 时 Reef 要求 --offload-train 与 --offload-rollout'
    },
    explanation: {
      en: 'Trainer and engine share the GPUs in turns, so each must be able to leave them.',
      zh: '训练与推理轮流使用 GPU，因此双方都必须能让出显存。'
    },
    source: PREFLIGHT,
    *check(recipe) {
      if (!slimeOnly(recipe) || !layoutOf(recipe).colocated) return
      for (const name of ['no-offload-rollout', 'no-offload-train']) {
        const loraCritic =
          name === 'no-offload-train' &&
          recipe.flag('use-critic') !== undefined &&
          (recipe.flagNumber('megatron-lora-rank') ?? 0) > 0
        const value = recipe.flag(name)
        if (value !== undefined && !loraCritic)
          yield {
            at: atValue(value),
            fix: recipe.versioned
              ? fixOf({ en: 'Remove it', zh: '删除该项' }, removeField(recipe, value))
              : undefined
          }
      }
    }
  },
  {
    id: 'gpu/offload-alone',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'the Reef bridge does not support --offload-rollout because serving must stay live',
      zh: 'Reef 不支持 --offload-rollout，因为服务必须保持在线'
    },
    explanation: {
      en: 'Without colocation the engine has its own GPUs and is never put to sleep.',
      zh: '不共用 GPU 时引擎独占显存，不会被挂起。'
    },
    source: PREFLIGHT,
    *check(recipe) {
      if (!slimeOnly(recipe) || layoutOf(recipe).colocated) return
      const value = recipe.flag('offload-rollout')
      if (value !== undefined) yield { at: atValue(value) }
    }
  },
  {
    id: 'gpu/rollout-gpus',
    severity: 'error',
    dialects: UNVERSIONED,
    message: {
      en: 'the Reef bridge requires a positive --rollout-num-gpus for its local inference router',
      zh: 'Reef 的本地推理路由要求 --rollout-num-gpus 为正'
    },
    explanation: {
      en: 'Without colocation the engine needs its own GPUs.',
      zh: '不共用 GPU 时，引擎需要自己的 GPU。'
    },
    source: PREFLIGHT,
    *check(recipe) {
      if (!slimeOnly(recipe) || layoutOf(recipe).colocated) return
      const value = recipe.flag('rollout-num-gpus')
      if (value === undefined || (recipe.flagNumber('rollout-num-gpus') ?? 1) <= 0)
        yield { at: atFlag(recipe, 'rollout-num-gpus') }
    }
  },
  {
    id: 'gpu/debug-only',
    severity: 'error',
    dialects: REEF,
    message: { en: 'the Reef bridge refuses --{flag}', zh: 'Reef 拒绝 --{flag}' },
    explanation: {
      en: 'Training needs the live inference router, and Reef has no internal rollout loop.',
      zh: '训练需要在线的推理路由，且 Reef 没有内部的 rollout 循环。'
    },
    source: PREFLIGHT,
    *check(recipe) {
      if (!slimeOnly(recipe)) return
      for (const flag of ['debug-train-only', 'debug-rollout-only', 'load-debug-rollout-data']) {
        const value = recipe.flag(flag)
        if (value !== undefined)
          yield {
            at: atValue(value),
            args: { flag },
            fix: recipe.versioned
              ? fixOf({ en: 'Remove it', zh: '删除该项' }, removeField(recipe, value))
              : undefined
          }
      }
    }
  },
  {
    id: 'gpu/sequence-parallel',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'sequence-parallel has no effect with tensor parallel 1',
      zh: '张量并行为 1 时 sequence-parallel 不起作用'
    },
    explanation: {
      en: 'Megatron switches it off with a warning in the log.',
      zh: 'Megatron 会将其关闭，并在日志中给出警告。'
    },
    source: MEGATRON,
    *check(recipe) {
      if (
        slimeOnly(recipe) &&
        recipe.flag('sequence-parallel') !== undefined &&
        layoutOf(recipe).tensor === 1
      )
        yield { at: atFlag(recipe, 'sequence-parallel') }
    }
  },
  {
    id: 'gpu/moe-sequence-parallel',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'experts with tensor parallel {tensor} need sequence-parallel',
      zh: 'MoE 在张量并行 {tensor} 时需要 sequence-parallel'
    },
    explanation: {
      en: 'Megatron refuses to train a mixture of experts with tensor parallelism but without sequence parallelism.',
      zh: 'Megatron 拒绝在启用张量并行而未启用序列并行时训练 MoE。'
    },
    source: 'megatron/core/transformer/moe/moe_layer.py',
    *check(recipe) {
      const { tensor } = layoutOf(recipe)
      if (
        !slimeOnly(recipe) ||
        tensor === undefined ||
        tensor <= 1 ||
        recipe.flag('sequence-parallel') !== undefined
      )
        return
      const moe =
        recipe.flag('num-experts') ??
        recipe.flag('moe-grouped-gemm') ??
        recipe.flag('moe-router-topk')
      if (moe !== undefined)
        yield {
          at: atValue(moe),
          args: { tensor },
          fix: fixOf(
            { en: 'Add sequence-parallel', zh: '添加 sequence-parallel' },
            setFlag(recipe, 'sequence-parallel', 'true')
          )
        }
    }
  },
  {
    id: 'gpu/context-length',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'seq-length {length} must be a multiple of 2 × context-parallel-size {context}',
      zh: 'seq-length {length} 必须是 2 × context-parallel-size {context} 的整数倍'
    },
    explanation: {
      en: 'Context parallelism cuts each sequence into twice as many pieces as ranks.',
      zh: '上下文并行会把每个序列切成两倍于 rank 数的片段。'
    },
    source: MEGATRON,
    *check(recipe) {
      const { context } = layoutOf(recipe)
      const length = flagOr(recipe, 'seq-length', 4096)
      if (!slimeOnly(recipe) || context === undefined || context <= 1 || length === undefined)
        return
      if (length % (2 * context) !== 0)
        yield {
          at: atFirst(recipe, 'seq-length', 'context-parallel-size'),
          args: { length, context }
        }
    }
  },
  {
    id: 'gpu/uneven-pipeline',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{flag} needs pipeline-model-parallel-size above 1',
      zh: '{flag} 要求 pipeline-model-parallel-size 大于 1'
    },
    explanation: {
      en: 'Uneven first and last stages make sense only with several pipeline stages.',
      zh: '只有多级流水时才能设置首尾阶段的层数。'
    },
    source: MEGATRON,
    *check(recipe) {
      if (!slimeOnly(recipe) || layoutOf(recipe).pipeline !== 1) return
      for (const flag of [
        'decoder-first-pipeline-num-layers',
        'decoder-last-pipeline-num-layers'
      ]) {
        const value = recipe.flag(flag)
        if (value !== undefined) yield { at: atValue(value), args: { flag } }
      }
    }
  },
  {
    id: 'gpu/experts-divide',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{experts} experts do not divide by {what} {size}',
      zh: '{experts} 个专家无法被 {what} {size} 整除'
    },
    explanation: {
      en: 'Experts are spread evenly over expert-parallel ranks and over router groups.',
      zh: '专家须均匀分布到专家并行 rank 与路由组。'
    },
    source: MEGATRON,
    *check(recipe) {
      const experts = recipe.flagNumber('num-experts')
      const { expert } = layoutOf(recipe)
      if (!slimeOnly(recipe)) return
      if (experts === undefined) return
      if (expert !== undefined && expert > 1 && experts % expert !== 0)
        yield {
          at: atFlag(recipe, 'expert-model-parallel-size'),
          args: { experts, what: 'expert-model-parallel-size', size: expert }
        }
      const groups = recipe.flagNumber('moe-router-num-groups')
      if (groups !== undefined && groups > 0 && experts % groups !== 0)
        yield {
          at: atFlag(recipe, 'moe-router-num-groups'),
          args: { experts, what: 'moe-router-num-groups', size: groups }
        }
    }
  }
]
