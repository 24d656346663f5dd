import { place, type NexrlRule } from './composition-rules'
import {
  actorServices,
  identifierOf,
  isFlatTrainService,
  remoteBackend,
  trainingMode,
  trainServices,
  usesWeaver
} from './nexrl-parts'
import type { NexrlRecipe } from './nexrl-recipe'

const VALIDATE = 'nexrl/utils/validate_config.py'
const REGISTRY = 'nexrl/registry.py'
const TRAINER = 'nexrl/trainer/remote_api_trainer.py'

/** A field whose text must be one of a registry's names. */
function registryRule(
  id: string,
  path: string,
  names: readonly string[],
  custom: string | null,
  what: { en: string; zh: string }
): NexrlRule {
  return {
    id,
    severity: 'error',
    message: { en: `unsupported ${what.en} {value}`, zh: `不支持的${what.zh} {value}` },
    explanation: { en: `Known: ${names.join(', ')}.`, zh: `可选：${names.join('、')}。` },
    source: REGISTRY,
    *check(recipe) {
      const value = recipe.given(path)
      if (
        value === undefined ||
        names.includes(value.text) ||
        (custom !== null && recipe.given(custom) !== undefined)
      )
        return
      yield { at: place(recipe, path), args: { value: value.text } }
    }
  }
}

const TRAINERS = [
  'remote_api_grpo',
  'remote_api_cross_entropy',
  'remote_api_opd',
  'self_hosted_grpo',
  'self_hosted_opd'
]

export const nexrlServiceRules: readonly NexrlRule[] = [
  registryRule(
    'nexrl/trainer-type',
    'trainer.type',
    TRAINERS,
    'trainer.custom_trainer_module_path',
    { en: 'trainer type', zh: ' trainer 类型' }
  ),
  registryRule(
    'nexrl/worker-type',
    'rollout_worker.type',
    ['mock', 'simple', 'agent', 'pig_latin', 'nexau'],
    'rollout_worker.custom_rollout_worker_module_path',
    { en: 'rollout worker type', zh: ' rollout worker 类型' }
  ),
  registryRule('nexrl/data-type', 'data.type', ['torch', 'mock'], null, {
    en: 'data type',
    zh: '数据类型'
  }),
  registryRule('nexrl/launch-mode', 'launch_mode', ['local', 'ray'], null, {
    en: 'launch mode',
    zh: '启动模式'
  }),
  registryRule(
    'nexrl/sync-mode',
    'weight.sync_mode',
    ['sync', 'batch-async', 'fully-async'],
    null,
    { en: 'sync mode', zh: '同步模式' }
  ),
  registryRule(
    'nexrl/sync-method',
    'weight.sync_method',
    ['weaver', 'tinker', 'disk', 'network', 'mock'],
    null,
    { en: 'sync method', zh: '同步方法' }
  ),
  registryRule('nexrl/pool-type', 'trajectory_pool.type', ['default'], null, {
    en: 'trajectory pool type',
    zh: ' trajectory pool 类型'
  }),
  registryRule('nexrl/weight-type', 'weight.type', ['default'], null, {
    en: 'weight sync controller type',
    zh: '权重同步控制器类型'
  }),
  registryRule('nexrl/validator-type', 'validate.eval.type', ['default'], null, {
    en: 'validator type',
    zh: '验证器类型'
  }),
  {
    id: 'nexrl/logger-backend',
    severity: 'error',
    message: { en: 'logger backend {value} is not supported', zh: '不支持的日志后端 {value}' },
    explanation: {
      en: 'Known: console, wandb, mlflow, swanlab.',
      zh: '可选：console、wandb、mlflow、swanlab。'
    },
    source: 'nexrl/utils/tracking.py',
    *check(recipe) {
      for (const { text, path } of loggers(recipe)) {
        if (!['console', 'wandb', 'mlflow', 'swanlab'].includes(text))
          yield { at: place(recipe, path), args: { value: text } }
      }
    }
  },
  {
    id: 'nexrl/wandb-environment',
    severity: 'warning',
    message: {
      en: 'the wandb backend needs WANDB_HOST and WANDB_KEY; not set: {names}',
      zh: 'wandb 后端需要 WANDB_HOST 与 WANDB_KEY；未设置：{names}'
    },
    explanation: {
      en: "Both are read without a default (KeyError: 'WANDB_HOST'); WANDB_API_KEY is not looked at.",
      zh: "两者都没有默认值（KeyError: 'WANDB_HOST'），不会读取 WANDB_API_KEY。"
    },
    source: 'nexrl/utils/tracking.py',
    *check(recipe) {
      if (!loggers(recipe).some((one) => one.text === 'wandb')) return
      const absent = ['WANDB_HOST', 'WANDB_KEY'].filter(
        (name) => (recipe.environment[name] ?? '') === ''
      )
      if (absent.length > 0)
        yield { at: place(recipe, 'logger.backend'), args: { names: absent.join(', ') } }
    }
  },
  {
    id: 'nexrl/setup-script',
    severity: 'error',
    message: {
      en: 'environment.setup_script is required but empty',
      zh: '要求 environment.setup_script，但其为空'
    },
    explanation: { en: 'require_setup_script is on.', zh: 'require_setup_script 已打开。' },
    source: 'cli/run.py',
    *check(recipe) {
      if (
        recipe.bool('environment.require_setup_script') === true &&
        recipe.given('environment.setup_script') === undefined
      )
        yield { at: place(recipe, 'environment.setup_script') }
    }
  },
  {
    id: 'nexrl/resume-ignored',
    severity: 'warning',
    message: {
      en: 'resume.mode {mode} is silently ignored with {backend}',
      zh: '使用 {backend} 时 resume.mode {mode} 会被静默忽略'
    },
    explanation: {
      en: 'Remote backends always start a new model at step 0.',
      zh: '远程后端总是从第 0 步开始新的模型。'
    },
    source: TRAINER,
    *check(recipe) {
      const backend = remoteBackend(recipe)
      const mode = recipe.text('resume.mode') ?? 'disable'
      if (backend !== null && mode !== 'disable')
        yield { at: place(recipe, 'resume.mode'), args: { mode, backend } }
    }
  },
  {
    id: 'nexrl/inference-identifier',
    severity: 'error',
    message: {
      en: 'service.inference_service needs an identifier',
      zh: 'service.inference_service 需要 identifier'
    },
    explanation: {
      en: 'It ties the engine to the train service.',
      zh: '它把推理与训练服务对应起来。'
    },
    source: VALIDATE,
    *check(recipe) {
      if (
        recipe.value('service')?.kind === 'map' &&
        identifierOf(recipe, 'service.inference_service') === undefined
      )
        yield { at: place(recipe, 'service.inference_service') }
    }
  },
  {
    id: 'nexrl/one-actor',
    severity: 'error',
    message: {
      en: 'exactly one train service must have role actor, found {count}',
      zh: '必须恰有一个训练服务的 role 为 actor，实际为 {count} 个'
    },
    explanation: {
      en: 'A single service without a role becomes the actor; with several each needs one.',
      zh: '只有一个服务时默认为 actor；多个时各自都要写明。'
    },
    source: VALIDATE,
    *check(recipe) {
      const count = actorServices(recipe).length
      if (recipe.value('service')?.kind === 'map' && count !== 1)
        yield { at: place(recipe, 'service.train_service'), args: { count } }
    }
  },
  {
    id: 'nexrl/actor-identifier',
    severity: 'error',
    message: {
      en: 'actor identifier {actor} must match inference identifier {inference}',
      zh: 'actor 的 identifier {actor} 必须与推理的 {inference} 一致'
    },
    explanation: {
      en: 'Weights are pushed to the inference service of the same name.',
      zh: '权重会同步到同名的推理服务。'
    },
    source: VALIDATE,
    *check(recipe) {
      const path = actorServices(recipe)[0]
      const actor = path === undefined ? undefined : identifierOf(recipe, path)
      const inference = identifierOf(recipe, 'service.inference_service')
      if (
        path !== undefined &&
        actor !== undefined &&
        inference !== undefined &&
        actor !== inference
      )
        yield { at: place(recipe, `${path}.identifier`), args: { actor, inference } }
    }
  },
  {
    id: 'nexrl/flat-train-service',
    severity: 'hint',
    message: {
      en: 'flat train_service is migrated to main_actor; loss_fn is read from the old place',
      zh: '扁平的 train_service 会迁移为 main_actor；loss_fn 仍从旧位置读取'
    },
    explanation: {
      en: 'The cross-entropy trainer looks at train_service.config, which no longer exists after the migration, and always sends cross_entropy. Write the nested form.',
      zh: '交叉熵 trainer 读取 train_service.config，迁移后该处不再存在，因此总是发送 cross_entropy。请改为嵌套写法。'
    },
    source: 'nexrl/utils/config_utils.py',
    *check(recipe) {
      if (!isFlatTrainService(recipe)) return
      const value = recipe.value('service.train_service')
      if (value !== undefined)
        yield { at: { path: value.path, span: value.keySpan, source: value.source } }
    }
  },
  {
    id: 'nexrl/backend-agreement',
    severity: 'error',
    message: { en: '{path} must be {backend}', zh: '{path} 必须为 {backend}' },
    explanation: {
      en: 'When one of train backend, inference backend and sync method is a remote service, all three must be.',
      zh: '训练后端、推理后端与同步方式中只要有一个是远程服务，三者就必须一致。'
    },
    source: VALIDATE,
    *check(recipe) {
      const backend = remoteBackend(recipe)
      if (backend === null) return
      for (const path of ['service.inference_service.backend', 'weight.sync_method']) {
        if (recipe.text(path) !== backend)
          yield { at: place(recipe, path), args: { path, backend } }
      }
      const key = recipe.value(`service.${backend}_service.api_key`)
      if (key === undefined)
        yield {
          at: { path: `service.${backend}_service.api_key` },
          args: { path: `service.${backend}_service.api_key`, backend: 'set' }
        }
    }
  },
  {
    id: 'nexrl/self-hosted-sync',
    severity: 'error',
    message: {
      en: 'trainer.sync_weight_path and weight.sync_weight_path must be the same and not empty',
      zh: 'trainer.sync_weight_path 与 weight.sync_weight_path 必须相同且不为空'
    },
    explanation: {
      en: 'Self-hosted trainers hand weights over through this folder.',
      zh: '自托管训练通过该目录传递权重。'
    },
    source: VALIDATE,
    *check(recipe) {
      if (recipe.text('trainer.type')?.startsWith('self_hosted') !== true) return
      const a = recipe.text('trainer.sync_weight_path')
      if (a === undefined || a !== recipe.text('weight.sync_weight_path'))
        yield { at: place(recipe, 'trainer.sync_weight_path') }
    }
  },
  {
    id: 'nexrl/network-sync',
    severity: 'error',
    message: {
      en: 'sync_method network needs an internal package of the vendor',
      zh: 'sync_method network 需要厂商内部的包'
    },
    explanation: {
      en: 'The driver stops with "requires \'north_checkpoint\' package to be installed". Use disk.',
      zh: '驱动进程会以 "requires \'north_checkpoint\' package to be installed" 停止，请使用 disk。'
    },
    source: VALIDATE,
    *check(recipe) {
      if (recipe.text('weight.sync_method') === 'network')
        yield { at: place(recipe, 'weight.sync_method') }
    }
  },
  {
    id: 'nexrl/fully-async',
    severity: 'warning',
    message: {
      en: 'sync_mode fully-async never updates the rollout weights in NexRL 1.4.0',
      zh: 'NexRL 1.4.0 的 fully-async 从不更新 rollout 权重'
    },
    explanation: {
      en: 'A push happens only in a state this mode never enters: rollouts keep the policy of step 0 for the whole run, without an error.',
      zh: '权重只在该模式不会进入的状态下推送：整个运行中 rollout 一直使用第 0 步的策略，且不报错。'
    },
    source: 'nexrl/weight_sync/weight_sync_controller.py',
    *check(recipe) {
      if (recipe.text('weight.sync_mode') === 'fully-async')
        yield { at: place(recipe, 'weight.sync_mode') }
    }
  },
  {
    id: 'nexrl/worker-resource',
    severity: 'error',
    message: {
      en: 'rollout_worker.resource.{name} must be an integer',
      zh: 'rollout_worker.resource.{name} 必须是整数'
    },
    explanation: {
      en: 'The launcher needs num_workers and agents_per_worker (0 and 32 in the bundled recipes).',
      zh: '启动器需要 num_workers 与 agents_per_worker（自带 recipe 为 0 与 32）。'
    },
    source: 'cli/run.py',
    *check(recipe) {
      if (recipe.value('rollout_worker') === undefined) return
      for (const name of ['num_workers', 'agents_per_worker']) {
        const value = recipe.number(`rollout_worker.resource.${name}`)
        if (value === undefined || !Number.isInteger(value))
          yield { at: place(recipe, `rollout_worker.resource.${name}`), args: { name } }
      }
    }
  },
  {
    id: 'nexrl/model',
    severity: 'error',
    message: {
      en: 'service.inference_service.model must be a non-empty string',
      zh: 'service.inference_service.model 不能为空'
    },
    explanation: {
      en: 'For Weaver and Tinker it is the Hugging Face id.',
      zh: '对 Weaver 与 Tinker 而言是 Hugging Face 名称。'
    },
    source: 'cli/run.py',
    *check(recipe) {
      if (
        recipe.value('service')?.kind === 'map' &&
        recipe.given('service.inference_service.model') === undefined
      )
        yield { at: place(recipe, 'service.inference_service.model') }
    }
  },
  {
    id: 'nexrl/loss-trainer',
    severity: 'warning',
    message: {
      en: 'loss_fn {loss} does not go with trainer {trainer}',
      zh: 'loss_fn {loss} 与 trainer {trainer} 不匹配'
    },
    explanation: {
      en: 'The name is passed to the service unchecked: GRPO and OPD want importance_sampling, the cross-entropy trainer cross_entropy. ppo, cispo and dro are names of other services.',
      zh: '该名称会不经检查传给服务：GRPO 与 OPD 用 importance_sampling，交叉熵 trainer 用 cross_entropy；ppo、cispo、dro 是其他服务的名称。'
    },
    source: TRAINER,
    *check(recipe) {
      const trainer = recipe.text('trainer.type') ?? ''
      const wanted = /grpo|opd/.test(trainer)
        ? 'importance_sampling'
        : trainer.includes('cross_entropy')
          ? 'cross_entropy'
          : null
      if (wanted === null || recipe.given('trainer.custom_trainer_module_path') !== undefined)
        return
      for (const path of trainServices(recipe)) {
        const loss = recipe.text(`${path}.config.loss_fn`)
        const known =
          loss === undefined ||
          ['importance_sampling', 'cross_entropy', 'ppo', 'cispo', 'dro'].includes(loss)
        if (loss !== undefined && loss !== wanted)
          yield {
            at: place(recipe, `${path}.config.loss_fn`),
            args: { loss, trainer },
            severity: known ? 'warning' : 'hint'
          }
      }
    }
  },
  {
    id: 'nexrl/teachers',
    severity: 'error',
    message: { en: 'teachers must be specified for {trainer}', zh: '{trainer} 必须给出 teachers' },
    explanation: { en: 'Only the first teacher is used.', zh: '只使用第一个 teacher。' },
    source: 'nexrl/trainer/remote_api_opd_trainer.py',
    *check(recipe) {
      const trainer = recipe.text('trainer.type') ?? ''
      const list = recipe.value('trainer.teachers')?.node
      if (trainer === 'remote_api_opd' && (list?.type !== 'seq' || list.items.length === 0))
        yield { at: place(recipe, 'trainer.type'), args: { trainer } }
    }
  },
  {
    id: 'nexrl/pig-latin',
    severity: 'error',
    message: {
      en: 'fails at the first step at NexRL 1.4.0: the pig_latin worker stores no logprobs',
      zh: '在 NexRL 1.4.0 的第一步失败：pig_latin worker 没有保存 logprobs'
    },
    explanation: {
      en: 'The conversion to training data of the remote trainers reads them from every trajectory (KeyError "Key \'logprobs\' not found in Trajectory"). Use a rollout worker of your own that stores them.',
      zh: '远程 trainer 的数据转换会从每条轨迹读取它们（KeyError "Key \'logprobs\' not found in Trajectory"）。请使用保存 logprobs 的自定义 rollout worker。'
    },
    source: 'nexrl/rollout_worker/pig_latin_rollout_worker.py',
    *check(recipe) {
      const remote = recipe.text('trainer.type')?.startsWith('remote_api') === true
      const custom = recipe.given('rollout_worker.custom_rollout_worker_module_path') !== undefined
      if (remote && !custom && recipe.text('rollout_worker.type') === 'pig_latin')
        yield { at: place(recipe, 'trainer.type') }
    }
  },
  {
    id: 'nexrl/nexau-tokenizer',
    severity: 'error',
    message: {
      en: 'nexau workers need rollout_worker.tokenizer',
      zh: 'nexau worker 需要 rollout_worker.tokenizer'
    },
    explanation: {
      en: 'The tokenizer path has no default for this worker.',
      zh: '该 worker 的 tokenizer 路径没有默认值。'
    },
    source: 'nexrl/rollout_worker/base_nexau_rollout_worker.py',
    *check(recipe) {
      if (
        recipe.text('rollout_worker.type') === 'nexau' &&
        recipe.given('rollout_worker.tokenizer') === undefined
      )
        yield { at: place(recipe, 'rollout_worker.tokenizer') }
    }
  },
  {
    id: 'nexrl/ray-custom-trainer',
    severity: 'warning',
    message: {
      en: 'launch_mode ray does not honour custom_trainer_module_path',
      zh: 'launch_mode ray 不支持 custom_trainer_module_path'
    },
    explanation: {
      en: 'The path is not handed on when actors are registered; use local.',
      zh: '注册 actor 时没有传递该路径，请使用 local。'
    },
    source: REGISTRY,
    *check(recipe) {
      if (
        recipe.text('launch_mode') === 'ray' &&
        recipe.given('trainer.custom_trainer_module_path') !== undefined
      )
        yield { at: place(recipe, 'trainer.custom_trainer_module_path') }
    }
  },
  {
    id: 'nexrl/weights-expire',
    severity: 'warning',
    message: {
      en: 'sampler weights vanish after one hour; nothing durable is saved',
      zh: '采样权重一小时后消失，没有任何持久保存'
    },
    explanation: {
      en: 'NexRL exports sampler weights each step without a lifetime, for which the current SDK takes one hour, and never saves a durable checkpoint. Extend or export what you want to keep while the run goes on.',
      zh: 'NexRL 每步导出采样权重但不设有效期，当前 SDK 默认一小时，且从不保存持久的 checkpoint。需要保留的请在运行期间延长或导出。'
    },
    source: 'nex-weaver checkpoint TTL',
    *check(recipe) {
      if (usesWeaver(recipe)) yield { at: { path: '' } }
    }
  },
  {
    id: 'nexrl/save-freq',
    severity: 'hint',
    message: { en: '{path} has no effect with {backend}', zh: '{path} 在 {backend} 上不起作用' },
    explanation: {
      en: 'Remote trainers save nothing by themselves.',
      zh: '远程 trainer 自身不保存任何东西。'
    },
    source: TRAINER,
    *check(recipe) {
      const backend = remoteBackend(recipe)
      if (backend === null) return
      for (const path of ['trainer.save_freq', 'trainer.checkpoint_path']) {
        if (recipe.given(path) !== undefined)
          yield { at: place(recipe, path), args: { path, backend } }
      }
    }
  },
  {
    id: 'nexrl/lora-rank',
    severity: 'hint',
    message: {
      en: 'lora_rank has no effect with training_mode full_ft',
      zh: 'training_mode 为 full_ft 时 lora_rank 不起作用'
    },
    explanation: {
      en: 'The adapter settings are sent for LoRA only.',
      zh: '适配器设置仅在 LoRA 模式下发送。'
    },
    source: 'nexrl/weaver/weaver_service_holder.py',
    *check(recipe) {
      if (
        trainingMode(recipe) === 'full_ft' &&
        recipe.given('service.weaver_service.lora_rank') !== undefined
      )
        yield { at: place(recipe, 'service.weaver_service.lora_rank') }
    }
  },
  {
    id: 'nexrl/learning-rate',
    severity: 'warning',
    message: {
      en: 'learning rate {rate} is a LoRA rate; full fine-tuning wants about 2e-6',
      zh: '学习率 {rate} 适合 LoRA；全量微调约为 2e-6'
    },
    explanation: {
      en: 'Left from a LoRA recipe (1e-4) it overshoots about fifty times.',
      zh: '若沿用 LoRA recipe 的 1e-4，会超出约五十倍。'
    },
    source: 'recipe/math/weaver_full_ft.yaml',
    *check(recipe) {
      if (!usesWeaver(recipe) || trainingMode(recipe) !== 'full_ft') return
      for (const path of trainServices(recipe)) {
        const rate = recipe.number(`${path}.config.learning_rate`)
        if (rate !== undefined && rate >= 2e-5)
          yield { at: place(recipe, `${path}.config.learning_rate`), args: { rate } }
      }
    }
  },
  {
    id: 'nexrl/kl-ctrl',
    severity: 'hint',
    message: { en: 'algorithm.kl_ctrl is not read', zh: 'algorithm.kl_ctrl 不会被读取' },
    explanation: {
      en: 'The code looks at algorithm.critic.kl_ctrl; otherwise an adaptive controller of 0.1 is used when use_kl_in_reward is on.',
      zh: '代码读取的是 algorithm.critic.kl_ctrl；否则在 use_kl_in_reward 打开时使用 0.1 的自适应控制器。'
    },
    source: 'nexrl/trainer/self_hosted_grpo_trainer.py',
    *check(recipe) {
      if (recipe.value('trainer.algorithm.kl_ctrl') !== undefined)
        yield { at: place(recipe, 'trainer.algorithm.kl_ctrl') }
    }
  },
  {
    id: 'nexrl/continue-policy',
    severity: 'hint',
    message: {
      en: 'exception policy continue: errors only warn and the run goes on',
      zh: '异常策略为 continue：错误仅告警，运行继续'
    },
    explanation: {
      en: 'A worker that fails on every sample then looks like a run without progress.',
      zh: '此时每个样本都失败的 worker 看起来只是没有进展。'
    },
    source: 'nexrl/runtime_monitor',
    *check(recipe) {
      if (recipe.text('runtime_monitor.exception_handling.policy') === 'continue')
        yield { at: place(recipe, 'runtime_monitor.exception_handling.policy') }
    }
  }
]

function loggers(recipe: NexrlRecipe): { text: string; path: string }[] {
  const value = recipe.given('logger.backend') ?? recipe.value('logger.backend')
  if (value?.node?.type === 'seq') {
    return value.node.items.map((item, index) => ({
      text: item.type === 'scalar' ? item.text : '',
      path: `logger.backend[${index}]`
    }))
  }
  return value === undefined || value.text === '' ? [] : [{ text: value.text, path: value.path }]
}
