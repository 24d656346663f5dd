import { fixOf, moveField, removeField, setValue } from '../edit'
import { noHubId } from '../hub-id'
import { lastPart, type ReefRecipe } from '../reef-recipe'
import { REEF, V2, type Hit, type Rule } from '../rule'
import { atKey, atValue } from '../value'
import { at, decided } from './place'
import { NEW_HANDLER } from './structure-rules'

const DEPLOY = 'reef/train/deployment.py'
const LAUNCH = 'reef/train/slime_backend/launch.py'

/** Names an engine option of the trainer starts with; any beginning of these is refused too. */
const ENGINE_FLAGS = [
  'rollout-num-gpus',
  'rollout-num-gpus-per-engine',
  'prefill-num-servers'
] as const
const PLACEMENT_FLAGS = ['colocate', 'offload-rollout'] as const
const RESERVED_ENGINE_OPTIONS: ReadonlySet<string> = new Set([
  'model',
  'model-path',
  'served-model-name',
  'config',
  'config-file',
  'yaml-config',
  'tp',
  'tp-size',
  'tensor-parallel-size',
  'dp',
  'dp-size',
  'data-parallel-size',
  'pp',
  'pp-size',
  'pipeline-parallel-size',
  'nnodes',
  'node-rank',
  'dist-init-addr',
  'port',
  'host',
  'base-gpu-id',
  'gpu-id-step',
  'nccl-port',
  'api-key',
  'random-seed',
  'trust-remote-code',
  'enable-memory-saver',
  'skip-server-warmup',
  'enable-return-routed-experts'
])

const HANDLERS: ReadonlySet<string> = new Set([
  NEW_HANDLER,
  'reef.inference.vllm.chat.VLLMInferenceHandler',
  'reef.train.slime_backend.reef_adapters.sglang.chat.SGLangChatTrainingInferenceBackend'
])

export const wiringRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'reef/engine-flag',
    severity: 'error',
    dialects: V2,
    generations: ['C'],
    message: { en: '{path} configures inference', zh: '{path} 是推理设置' },
    explanation: {
      en: 'Use inference.num-gpus, inference.tensor-parallel-size or inference.options (without the sglang- prefix). The generation before still took these flags in training.options.',
      zh: '请改用 inference.num-gpus、inference.tensor-parallel-size 或 inference.options（不带 sglang- 前缀）。上一代仍接受写在 training.options。'
    },
    source: DEPLOY,
    *check(recipe) {
      if (recipe.practice) return
      for (const [name, value] of recipe.flags()) {
        const engine =
          name.startsWith('sglang-') ||
          name.startsWith('router-') ||
          name.startsWith('rollout-external') ||
          ENGINE_FLAGS.some((flag) => flag === name)
        if (engine)
          yield { at: atKey(value), args: { path: value.path }, fix: moveEngineFlag(recipe, name) }
      }
    }
  },
  {
    id: 'reef/placement-flag',
    severity: 'error',
    dialects: V2,
    generations: ['C'],
    message: {
      en: '{path} places the model; use training.colocate instead',
      zh: '{path} 决定模型放置，请改用 training.colocate'
    },
    explanation: {
      en: 'Where trainer and engine live is decided by training.colocate; the offload flags follow from it.',
      zh: '训练与推理的放置由 training.colocate 决定，offload 参数由此推出。'
    },
    source: DEPLOY,
    *check(recipe) {
      for (const [name, value] of recipe.flags()) {
        if (!PLACEMENT_FLAGS.some((flag) => flag === name)) continue
        const title = { en: 'Move to training.colocate', zh: '移到 training.colocate' }
        const moved = name === 'colocate' && recipe.fieldValue('training.colocate') === undefined
        const edits = moved
          ? moveField(recipe, value, 'training.colocate')
          : removeField(recipe, value)
        yield { at: atKey(value), args: { path: value.path }, fix: fixOf(title, edits) }
      }
    }
  },
  {
    id: 'reef/sglang-prefix',
    severity: 'error',
    dialects: V2,
    message: {
      en: '{path}: inference.options uses SGLang names without the sglang- prefix',
      zh: '{path}：inference.options 使用不带 sglang- 前缀的名称'
    },
    explanation: {
      en: 'Write the option as SGLang itself names it.',
      zh: '请使用 SGLang 自身的选项名。'
    },
    source: DEPLOY,
    *check(recipe) {
      for (const value of recipe.children('inference.options')) {
        const name = lastPart(value.path)
        if (!name.startsWith('sglang-')) continue
        const bare = name.slice('sglang-'.length)
        const fix = fixOf({ en: `Rename to ${bare}`, zh: `改名为 ${bare}` }, [
          { ...value.keySpan, text: bare }
        ])
        yield { at: atKey(value), args: { path: value.path }, fix }
      }
    }
  },
  {
    id: 'reef/reserved-engine-option',
    severity: 'error',
    dialects: V2,
    message: {
      en: '{path} is set by Reef and cannot be given',
      zh: '{path} 由 Reef 设置，不能自行指定'
    },
    explanation: {
      en: 'With managed training Reef chooses model, ports, placement, seed and keys of the engine itself.',
      zh: '托管训练时，引擎的模型、端口、放置、随机种子与密钥由 Reef 决定。'
    },
    source: LAUNCH,
    *check(recipe) {
      if (recipe.trainer !== 'slime') return
      for (const value of recipe.children('inference.options')) {
        if (!RESERVED_ENGINE_OPTIONS.has(lastPart(value.path).replaceAll('_', '-'))) continue
        const fix = fixOf({ en: 'Remove it', zh: '删除该项' }, removeField(recipe, value))
        yield { at: atKey(value), args: { path: value.path }, fix }
      }
      const ready = recipe.versioned ? recipe.flag('ready-file') : undefined
      if (ready !== undefined) yield { at: atKey(ready), args: { path: ready.path } }
    }
  },
  {
    id: 'reef/model-path',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'weight training requires inference.model-path',
      zh: '训练权重需要 inference.model-path'
    },
    explanation: {
      en: 'The trainer and the engine both start from this folder or Hugging Face id.',
      zh: '训练与推理都从该目录或 Hugging Face 名称启动。'
    },
    source: 'reef/service/deploy/training.py',
    *check(recipe) {
      const trains = recipe.trainer === 'slime' || recipe.practice
      if (!trains || recipe.given('inference.model-path') !== undefined) return
      const value = recipe.value('inference.model-path')
      if (value !== undefined && value.missing.length > 0) return
      yield { at: at(recipe, 'inference.model-path') }
    }
  },
  {
    id: 'reef/model-id',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: '{text} cannot be the id of a model on a hub: {why}',
      zh: '{text} 不可能是 hub 上的模型 id：{whyZh}'
    },
    explanation: {
      en: 'A hub id is `name` or `owner/name`, of letters, digits, `-`, `_` and `.`, at most 96 characters. A folder is written with `/`, `./` or `~/` in front; without it, it counts from the folder the stack is launched from.',
      zh: 'hub id 的形式为 `name` 或 `owner/name`，仅含字母、数字、`-`、`_`、`.`，最长 96 个字符。目录应以 `/`、`./` 或 `~/` 开头；否则从启动运行栈的目录算起。'
    },
    source: 'huggingface_hub/utils/_validators.py',
    *check(recipe) {
      // The practice stack takes no model of a hub.
      if (recipe.practice) return
      const own = ['inference.model-path', 'teacher.model-path'].map((path) => recipe.given(path))
      for (const value of [...own, recipe.flag('hf-checkpoint'), recipe.flag('ref-load')]) {
        if (!decided(value) || value.references.length > 0) continue
        const why = noHubId(value.text)
        if (why === null) continue
        yield { at: atValue(value), args: { text: value.text, why: why.en, whyZh: why.zh } }
      }
    }
  },
  {
    id: 'reef/hf-checkpoint',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'training.options.hf-checkpoint is {a}, inference.model-path is {b}; they must match',
      zh: 'training.options.hf-checkpoint 为 {a}，inference.model-path 为 {b}，两者必须一致'
    },
    explanation: {
      en: 'Trainer and engine must start from the same weights.',
      zh: '训练与推理必须从同一份权重启动。'
    },
    source: LAUNCH,
    *check(recipe) {
      const flag = recipe.flag('hf-checkpoint')
      const model = recipe.given('inference.model-path')
      if (!decided(flag) || !decided(model) || flag.text === model.text) return
      const title = { en: 'Refer to inference.model-path', zh: '引用 inference.model-path' }
      const fix = fixOf(
        title,
        flag.raw.includes('${') ? null : setValue(recipe, flag, '${inference.model-path}')
      )
      yield { at: atValue(flag), args: { a: flag.text, b: model.text }, fix }
    }
  },
  {
    id: 'reef/upstream-with-training',
    severity: 'error',
    dialects: REEF,
    message: { en: '{path} cannot be used with weight training', zh: '训练权重时不能使用 {path}' },
    explanation: {
      en: 'Automatic weight training serves from its own engine: remove provider settings, a fixed inference url and recipe.runtime.',
      zh: '自动训练由自带引擎提供服务：请删除上游设置、固定的推理地址以及 recipe.runtime。'
    },
    source: 'reef/service/deploy/training.py',
    *check(recipe) {
      if (recipe.trainer !== 'slime') return
      const paths = [
        'inference.upstream-url',
        'inference.upstream-model',
        'inference.upstream-api-key',
        'inference.upstream-api',
        'inference.url',
        'recipe.runtime'
      ]
      for (const path of paths) {
        const value = recipe.versioned || path !== 'inference.url' ? recipe.value(path) : undefined
        if (
          value === undefined ||
          value.kind === 'null' ||
          (value.kind !== 'map' && value.text === '')
        )
          continue
        yield {
          at: atKey(value),
          args: { path: value.path },
          fix: fixOf({ en: 'Remove it', zh: '删除该项' }, removeField(recipe, value))
        }
      }
    }
  },
  {
    id: 'reef/execution-backend',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'automatic Slime training requires execution.{role}.backend: ray',
      zh: '自动 Slime 训练要求 execution.{role}.backend: ray'
    },
    explanation: {
      en: 'The training and rollout roles must resolve to ray and take neither workers nor resources.',
      zh: 'training 与 rollout 角色必须解析为 ray，且不接受 workers 与 resources。'
    },
    source: LAUNCH,
    *check(recipe) {
      if (recipe.trainer !== 'slime') return
      for (const role of ['training', 'rollout']) {
        const value = recipe.fieldValue(`execution.${role}`)
        const backend =
          value?.kind === 'map' ? recipe.fieldValue(`execution.${role}.backend`) : value
        const extra =
          recipe.fieldValue(`execution.${role}.workers`) ??
          recipe.fieldValue(`execution.${role}.resources`)
        if (extra !== undefined) yield { at: atKey(extra), args: { role } }
        if (!decided(backend) || ['', 'ray', 'auto'].includes(backend.text)) continue
        const named = recipe.fieldValue(`executors.${backend.text}.backend`)
        if (named !== undefined && ['ray', 'auto'].includes(named.text)) continue
        yield {
          at: atValue(backend),
          args: { role },
          fix: fixOf({ en: 'Set to ray', zh: '改为 ray' }, setValue(recipe, backend, 'ray'))
        }
      }
    }
  },
  {
    id: 'reef/handler',
    severity: 'warning',
    dialects: V2,
    message: {
      en: '{text} is none of the classes known to capture tokens',
      zh: '{text} 不是已知的 token 记录类'
    },
    explanation: {
      en: 'Training needs the tokens and log-probabilities of what was served. Version 2 takes the right class by itself when none is named; a different one serves without capturing.',
      zh: '训练需要服务时的 token 与 logprob。version 2 不指定时会自动选用正确的类；换成其他类则只服务而不记录。'
    },
    source: 'reef/inference/sglang/chat.py',
    *check(recipe) {
      if (recipe.trainer !== 'slime') return
      const value =
        recipe.given('inference.handler-factory') ?? recipe.given('inference.backend-factory')
      if (!decided(value) || HANDLERS.has(value.text.trim())) return
      yield {
        at: atValue(value),
        args: { text: value.text },
        fix: fixOf({ en: 'Remove it', zh: '删除该项' }, removeField(recipe, value))
      }
    }
  }
]

function moveEngineFlag(recipe: ReefRecipe, name: string): Hit['fix'] {
  const value = recipe.flag(name)
  const target = engineHome(name)
  if (value === undefined || target === null) return undefined
  const there = recipe.fieldValue(target)
  if (there !== undefined) {
    const title = { en: `Remove it: ${target} says the same`, zh: `删除：${target} 已有相同设置` }
    return there.text === value.text ? fixOf(title, removeField(recipe, value)) : undefined
  }
  return fixOf({ en: `Move to ${target}`, zh: `移到 ${target}` }, moveField(recipe, value, target))
}

/** Where an engine flag of the trainer lives in the newest generation. */
export function engineHome(name: string): string | null {
  if (name === 'rollout-num-gpus') return 'inference.num-gpus'
  if (name === 'rollout-num-gpus-per-engine') return 'inference.tensor-parallel-size'
  if (name.startsWith('sglang-')) return `inference.options.${name.slice('sglang-'.length)}`
  return name.startsWith('router-') ? `inference.options.${name}` : null
}
