import { place, type NexrlRule } from './composition-rules'
import { identifierOf, remoteBackend, trainingMode, trainServices, usesWeaver } from './nexrl-parts'
import type { NexrlRecipe } from './nexrl-recipe'
import type { Hit } from '../rule'
import { atValue } from '../value'

const VALIDATE = 'nexrl/utils/validate_config.py'

function selfHosted(recipe: NexrlRecipe): boolean {
  return recipe.text('trainer.type')?.startsWith('self_hosted') === true
}

/** Services, and the figures only own GPUs need. */
export const nexrlSelfHostedRules: readonly NexrlRule[] = [
  {
    id: 'nexrl/too-long',
    severity: 'error',
    message: {
      en: 'references unfold too far at {name}',
      zh: '{name} 处的引用展开过长'
    },
    explanation: {
      en: 'References lead to references more than a hundred times, or double with every link.',
      zh: '引用链超过一百层，或每一环都成倍增长。'
    },
    source: 'OmegaConf interpolation',
    *check(recipe) {
      for (const value of recipe.fields())
        for (const problem of recipe.problemsOf(value))
          if (problem.kind === 'too-long')
            yield { at: atValue(value), args: { name: problem.name } }
    }
  },
  {
    id: 'nexrl/trainer-backend',
    severity: 'error',
    message: {
      en: 'trainer {trainer} does not go with the train backend {backend}',
      zh: 'trainer {trainer} 与训练后端 {backend} 不匹配'
    },
    explanation: {
      en: 'The remote_api trainers talk to weaver or tinker, the self_hosted ones to direct-zmq workers (http and nextrainer are migrated to that).',
      zh: 'remote_api 系列使用 weaver 或 tinker；self_hosted 系列使用 direct-zmq（http 与 nextrainer 会迁移过去）。'
    },
    source: 'nexrl/trainer',
    *check(recipe) {
      const trainer = recipe.text('trainer.type') ?? ''
      if (recipe.given('trainer.custom_trainer_module_path') !== undefined) return
      for (const path of trainServices(recipe)) {
        const backend = recipe.text(`${path}.backend`)
        if (backend === undefined) continue
        const remote = backend === 'weaver' || backend === 'tinker'
        const wrong = trainer.startsWith('remote_api') ? !remote : selfHosted(recipe) && remote
        if (wrong) yield { at: place(recipe, `${path}.backend`), args: { trainer, backend } }
      }
    }
  },
  {
    id: 'nexrl/training-mode',
    severity: 'warning',
    message: {
      en: 'training_mode {value} is neither lora nor full_ft',
      zh: 'training_mode {value} 既不是 lora 也不是 full_ft'
    },
    explanation: {
      en: 'The name is sent to the service as it is; the two are all that is documented.',
      zh: '该名称会原样发给服务；文档只列出这两种。'
    },
    source: 'nexrl/weaver/weaver_service_holder.py',
    *check(recipe) {
      const value = trainingMode(recipe)
      if (usesWeaver(recipe) && value !== 'lora' && value !== 'full_ft')
        yield { at: place(recipe, 'service.weaver_service.training_mode'), args: { value } }
    }
  },
  {
    id: 'nexrl/train-identifier',
    severity: 'error',
    message: {
      en: 'no train service has an identifier',
      zh: '没有任何训练服务带有 identifier'
    },
    explanation: {
      en: 'The driver stops with "At least one train_service group with identifier (or model_tag) is required".',
      zh: '驱动进程会以 "At least one train_service group with identifier (or model_tag) is required" 停止。'
    },
    source: VALIDATE,
    *check(recipe) {
      const services = trainServices(recipe)
      if (services.length === 0) return
      if (services.every((path) => identifierOf(recipe, path) === undefined))
        yield { at: place(recipe, services[0] ?? 'service.train_service') }
    }
  },
  {
    id: 'nexrl/self-hosted-fields',
    severity: 'error',
    message: { en: '{path} must be {wanted}', zh: '{path} 必须是{wantedZh}' },
    explanation: {
      en: 'The launcher needs these to ask for GPU pods and stops before anything is created.',
      zh: '启动器据此申请 GPU pod，缺少时在创建任何资源之前即停止。'
    },
    source: 'cli/run.py',
    check: selfHostedFields
  },
  {
    id: 'nexrl/mini-batch',
    severity: 'error',
    message: { en: '{path}: {what}', zh: '{path}：{whatZh}' },
    explanation: {
      en: 'A worker takes ppo_mini_batch_size × rollout.n ÷ data-parallel size samples at a time, in micro batches of ppo_micro_batch_size ÷ data-parallel size; both must be at least 1 and divide.',
      zh: '每个 worker 每次取 ppo_mini_batch_size × rollout.n ÷ 数据并行数 个样本，再按 ppo_micro_batch_size ÷ 数据并行数 分成微批；两者都至少为 1 且须整除。'
    },
    source: 'nexrl/train_service_backend/fsdp_worker/fsdp_workers.py',
    check: miniBatches
  },
  {
    id: 'nexrl/filter-tokenizer',
    severity: 'error',
    message: {
      en: '{path}.filter_prompts needs {path}.tokenizer_path',
      zh: '{path}.filter_prompts 需要 {path}.tokenizer_path'
    },
    explanation: {
      en: 'Over-long prompts are found by counting tokens.',
      zh: '过长的提示需要按 token 数判断。'
    },
    source: 'nexrl/data_loader/torch_data_loader.py',
    *check(recipe) {
      for (const path of ['data', 'validate.data']) {
        if (recipe.bool(`${path}.filter_prompts`) !== true) continue
        if (recipe.text(`${path}.type`) === 'mock') continue
        if (recipe.given(`${path}.tokenizer_path`) === undefined)
          yield { at: place(recipe, `${path}.filter_prompts`), args: { path } }
      }
    }
  },
  {
    id: 'nexrl/swanlab-key',
    severity: 'hint',
    message: { en: 'SWANLAB_API_KEY is not set', zh: '未设置 SWANLAB_API_KEY' },
    explanation: {
      en: 'The swanlab backend logs in with it; set SWANLAB_MODE to work without an account.',
      zh: 'swanlab 后端用它登录；设置 SWANLAB_MODE 可在无账号时使用。'
    },
    source: 'nexrl/utils/tracking.py',
    *check(recipe) {
      const value = recipe.value('logger.backend')
      const named = [...recipe.fields()].some(
        (one) => one.path.startsWith('logger.backend') && one.text === 'swanlab'
      )
      const set = (name: string): boolean => (recipe.environment[name] ?? '') !== ''
      if (value !== undefined && named && !set('SWANLAB_API_KEY') && !set('SWANLAB_MODE'))
        yield { at: atValue(value) }
    }
  },
  {
    id: 'nexrl/feishu',
    severity: 'warning',
    message: {
      en: 'enable_feishu_logging is on without a feishu_url',
      zh: '已打开 enable_feishu_logging，但没有 feishu_url'
    },
    explanation: {
      en: 'Messages for begin, end and errors have nowhere to go.',
      zh: '开始、结束与错误的消息无处发送。'
    },
    source: 'nexrl/utils/tracking.py',
    *check(recipe) {
      if (recipe.bool('logger.enable_feishu_logging') !== true) return
      const set = (recipe.environment['FEISHU_WEBHOOK_URL'] ?? '') !== ''
      if (recipe.given('logger.feishu_url') === undefined && !set)
        yield { at: place(recipe, 'logger.enable_feishu_logging') }
    }
  },
  {
    id: 'nexrl/remote-fields',
    severity: 'hint',
    message: {
      en: '{path} has no effect on Tinker',
      zh: '{path} 在 Tinker 上不起作用'
    },
    explanation: {
      en: 'Tinker takes learning rate, betas and eps only; weight decay, gradient clipping and the entropy term are left out.',
      zh: 'Tinker 只接受学习率、beta 与 eps；权重衰减、梯度裁剪与熵项会被忽略。'
    },
    source: 'nexrl/trainer/remote_api_trainer.py',
    *check(recipe) {
      if (remoteBackend(recipe) !== 'tinker') return
      for (const service of trainServices(recipe))
        for (const name of ['weight_decay', 'grad_clip_norm', 'entropy_coeff']) {
          const path = `${service}.config.${name}`
          if (recipe.given(path) !== undefined) yield { at: place(recipe, path), args: { path } }
        }
    }
  },
  {
    id: 'nexrl/module-missing',
    severity: 'error',
    message: {
      en: 'there is no file {file} beside the recipe',
      zh: 'recipe 旁边没有文件 {file}'
    },
    explanation: {
      en: 'Paths of custom classes count from the folder of the recipe. The driver stops with "Custom trainer module not found" or "Could not resolve module path".',
      zh: '自定义类的路径从 recipe 所在目录算起。驱动进程会以 "Custom trainer module not found" 或 "Could not resolve module path" 停止。'
    },
    source: 'nexrl/utils/path_utils.py',
    *check(recipe) {
      for (const path of MODULE_PATHS) {
        const value = recipe.given(path)
        if (value !== undefined && recipe.modules[moduleFile(value.text)] === null)
          yield { at: atValue(value), args: { file: moduleFile(value.text) } }
      }
    }
  }
]

/** Fields that name a Python file of the person's own. */
const MODULE_PATHS = [
  'rollout_worker.custom_rollout_worker_module_path',
  'rollout_worker.evaluator_module_path',
  'trainer.custom_trainer_module_path'
] as const

/** `path.py:Class` names a class of the file. */
export function moduleFile(text: string): string {
  return text.replace(/:\w+$/, '')
}

function* selfHostedFields(recipe: NexrlRecipe): Generator<Hit> {
  if (!selfHosted(recipe)) return
  const positive = function* (path: string): Generator<Hit> {
    const value = recipe.number(path)
    if (value === undefined || !Number.isInteger(value) || value < 1)
      yield {
        at: place(recipe, path),
        args: { path, wanted: 'a positive integer', wantedZh: '正整数' }
      }
  }
  const text = function* (path: string): Generator<Hit> {
    if (recipe.given(path) === undefined)
      yield {
        at: place(recipe, path),
        args: { path, wanted: 'a non-empty string', wantedZh: '非空字符串' }
      }
  }
  for (const service of trainServices(recipe)) {
    yield* positive(`${service}.resource.world_size`)
    if (identifierOf(recipe, service) === undefined) yield* text(`${service}.identifier`)
  }
  yield* text('service.inference_service.model_path')
  yield* positive('service.inference_service.resource.replicas')
  yield* positive('service.inference_service.resource.gpus_per_replica')
}

function* miniBatches(recipe: NexrlRecipe): Generator<Hit> {
  if (!selfHosted(recipe)) return
  for (const service of trainServices(recipe)) {
    const number = (name: string): number | undefined => recipe.number(`${service}.${name}`)
    const mini = number('actor.ppo_mini_batch_size')
    const micro = number('actor.ppo_micro_batch_size')
    const gpus = number('resource.world_size')
    const ulysses = number('actor.ulysses_sequence_parallel_size') ?? 1
    if (mini === undefined || gpus === undefined || gpus < 1 || ulysses < 1) continue
    const parallel = Math.floor(gpus / ulysses)
    const path = `${service}.actor.ppo_mini_batch_size`
    const each = Math.floor((mini * (number('actor.rollout.n') ?? 1)) / parallel)
    if (each < 1) {
      const what = `is zero for each of ${parallel} data-parallel ranks`
      const whatZh = `分到 ${parallel} 个数据并行 rank 后为零`
      yield { at: place(recipe, path), args: { path, what, whatZh } }
      continue
    }
    const small = micro === undefined ? undefined : Math.floor(micro / parallel)
    if (small !== undefined && (small < 1 || each % small !== 0)) {
      const what = `${each} samples a rank do not divide by the micro batch ${small}`
      const whatZh = `每个 rank 的 ${each} 个样本无法被微批 ${small} 整除`
      yield { at: place(recipe, path), args: { path, what, whatZh } }
    }
  }
}
