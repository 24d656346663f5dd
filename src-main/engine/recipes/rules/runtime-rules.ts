import { layoutOf } from '../arithmetic'
import { fixOf, removeField, setField, setFlag, setValue } from '../edit'
import { numberOf } from '../py-scalar'
import { billionsByName } from '../models'
import { portsOf } from '../ports'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, UNVERSIONED, V2, type Hit, type Rule } from '../rule'
import { atValue, type Place, type Value } from '../value'
import { at, atFlag, decided } from './place'

const OPERATE = 'docs/user-guide/operate.rst'
const TROUBLE = 'docs/user-guide/troubleshooting.rst'
const PAGE = 'docs/reference/configuration.rst'
const PREFLIGHT = 'reef/train/slime_backend/reef_adapters/preflight.py'

const slime = (recipe: ReefRecipe): boolean => recipe.trainer === 'slime'
const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '::1']

export const runtimeRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'service/open',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'the service listens on {host} and has no token: anyone who reaches it can use and train it',
      zh: '服务监听 {host} 且没有令牌：任何能访问的人都可使用并训练它'
    },
    explanation: {
      en: 'Empty tokens are dropped, and no token at all means an open service. Set the variable, or listen on 127.0.0.1.',
      zh: '空令牌会被忽略；没有任何令牌即为开放服务。请设置该变量，或只监听 127.0.0.1。'
    },
    source: OPERATE,
    check: openService
  },
  {
    id: 'service/port-range',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: '{what} on port {port} lies in the range of Ray workers (10002–19999)',
      zh: '{what} 的端口 {port} 落在 Ray worker 的范围（10002–19999）内'
    },
    explanation: {
      en: 'Ray hands these ports to its workers; a service there clashes now and then, usually after a restart.',
      zh: 'Ray 会把这些端口分给 worker，服务放在其中会偶发冲突，通常在重启后出现。'
    },
    source: OPERATE,
    *check(recipe) {
      if (!slime(recipe)) return
      for (const { port, what, value } of portsOf(recipe)) {
        if (port >= 10_002 && port <= 19_999)
          yield {
            at: value === undefined ? { path: 'reef.port' } : atValue(value),
            args: { what, port }
          }
      }
    }
  },
  {
    id: 'service/port-clash',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{what} and {other} both listen on port {port}',
      zh: '{what} 与 {other} 同时监听端口 {port}'
    },
    explanation: {
      en: 'The second process to start cannot bind the port.',
      zh: '后启动的进程无法绑定端口。'
    },
    source: OPERATE,
    *check(recipe) {
      const seen = new Map<number, string>()
      for (const { port, what, value } of portsOf(recipe)) {
        const other = seen.get(port)
        if (other !== undefined)
          yield {
            at: value === undefined ? { path: 'reef.port' } : atValue(value),
            args: { what, other, port }
          }
        else seen.set(port, what)
      }
    }
  },
  {
    id: 'service/origin',
    severity: 'error',
    dialects: REEF,
    message: { en: '{origin} is no plain origin', zh: '{origin} 不是单纯的来源' },
    explanation: {
      en: 'An entry of console-origins is scheme, host and port: no path, no trailing slash, no wildcard.',
      zh: 'console-origins 的每一项只含协议、主机与端口：不能有路径、结尾斜杠或通配符。'
    },
    source: 'docs/reference/http-api.rst',
    *check(recipe) {
      const value = recipe.given('reef.console-origins')
      if (value?.node?.type !== 'seq') return
      for (const item of value.node.items) {
        if (
          item.type !== 'scalar' ||
          item.text.includes('${') ||
          /^https?:\/\/[^/*\s]+$/.test(item.text)
        )
          continue
        yield {
          at: { path: value.path, span: item, source: recipe.source },
          args: { origin: item.text }
        }
      }
    }
  },
  {
    id: 'service/engine-open',
    severity: 'hint',
    dialects: UNVERSIONED,
    message: {
      en: 'the model server {name} listens on all interfaces without a key',
      zh: '模型服务 {name} 在所有网卡上监听且没有密钥'
    },
    explanation: {
      en: 'Anyone on the network can generate with it. Use --host 127.0.0.1 when everything runs on one machine, or --api-key.',
      zh: '网络上任何人都能用它生成。单机运行时请用 --host 127.0.0.1，或设置 --api-key。'
    },
    source: 'SGLang docs, server arguments',
    *check(recipe) {
      for (const service of recipe.services) {
        const host = service.flags.find((flag) => flag.name === 'host')
        const keyed = service.flags.some((flag) => flag.name === 'api-key')
        if (service.role !== 'engine' || host?.value.text !== '0.0.0.0' || keyed) continue
        yield {
          at: atValue(host.value),
          args: { name: service.name },
          fix: fixOf(
            { en: 'Listen on 127.0.0.1', zh: '改为监听 127.0.0.1' },
            setValue(recipe, host.value, '127.0.0.1')
          )
        }
      }
    }
  },
  {
    id: 'time/training-timeout',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'training.timeout-s {value} may be shorter than one whole step',
      zh: 'training.timeout-s {value} 可能短于一个完整训练步'
    },
    explanation: {
      en: 'It must outlast value model, policy, save and publication together (14400 in the SAO example, 7200 elsewhere). When it fires, the job runs on and collides with its own marker: "operator recovery required".',
      zh: '它必须长于价值模型、策略、保存与发布的总时间（SAO 示例为 14400，其他为 7200）。超时后任务仍在运行，并与自己的标记冲突："operator recovery required"。'
    },
    source: TROUBLE,
    *check(recipe) {
      const value = slime(recipe) ? recipe.given('training.timeout-s') : undefined
      const seconds = value === undefined ? undefined : numberOf(value.text)
      if (value === undefined || seconds === undefined || seconds >= 7200) return
      yield {
        at: atValue(value),
        args: { value: seconds },
        fix: fixOf({ en: 'Set to 14400', zh: '改为 14400' }, setValue(recipe, value, '14400'))
      }
    }
  },
  {
    id: 'time/inference-timeout',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'answers of up to {tokens} tokens with an inference timeout of {seconds} s',
      zh: '回答最长 {tokens} token，而推理超时为 {seconds} 秒'
    },
    explanation: {
      en: 'A generation that takes longer ends in 503 "inference retry deadline exceeded". The timeout must exceed the longest generation.',
      zh: '超时的生成会返回 503 "inference retry deadline exceeded"，超时须长于最长的生成时间。'
    },
    source: 'reef/service/errors.py',
    *check(recipe) {
      const seconds = recipe.numberOrDefault('inference.timeout-s')
      const tokens = recipe.flagNumber('rollout-max-response-len')
      if (!slime(recipe) || seconds === undefined || tokens === undefined) return
      // Thirty tokens a second is slow but ordinary for one request of a busy engine.
      if (tokens / 30 <= seconds) return
      const fix = recipe.versioned
        ? fixOf(
            { en: 'Set to 7200', zh: '设为 7200' },
            setField(recipe, 'inference.timeout-s', '7200')
          )
        : undefined
      yield { at: at(recipe, 'inference.timeout-s'), args: { tokens, seconds }, fix }
    }
  },
  {
    id: 'length/context',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'response length {response} fills the whole context {context}: no room for the prompt',
      zh: '回答长度 {response} 占满上下文 {context}，没有给提示留位置'
    },
    explanation: {
      en: 'Prompt and answer share the context; leave room for the longest prompt.',
      zh: '提示与回答共用上下文，请为最长的提示留出空间。'
    },
    source: PAGE,
    *check(recipe) {
      const response = recipe.flag('rollout-max-response-len')
      const context = recipe.flag('rollout-max-context-len')
      const a = slime(recipe) && response !== undefined ? numberOf(response.text) : undefined
      const b = context === undefined ? undefined : numberOf(context.text)
      if (
        a === undefined ||
        b === undefined ||
        a < b ||
        response === undefined ||
        context === undefined
      )
        return
      yield { at: atValue(response), args: { response: a, context: b } }
      yield { at: atValue(context), args: { response: a, context: b } }
    }
  },
  {
    id: 'length/engine-context',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'rollout-max-context-len {context} is above the engine context-length {engine}',
      zh: 'rollout-max-context-len {context} 大于引擎的 context-length {engine}'
    },
    explanation: {
      en: 'The engine refuses what does not fit its own context.',
      zh: '引擎会拒绝超出自身上下文的请求。'
    },
    source: PAGE,
    *check(recipe) {
      const context = slime(recipe) ? recipe.flagNumber('rollout-max-context-len') : undefined
      const engine = recipe.number('inference.options.context-length')
      if (context !== undefined && engine !== undefined && context > engine)
        yield { at: atFlag(recipe, 'rollout-max-context-len'), args: { context, engine } }
    }
  },
  {
    id: 'length/sequence',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'seq-length {sequence} is below the longest sample {longest}',
      zh: 'seq-length {sequence} 小于最长样本 {longest}'
    },
    explanation: {
      en: 'The trainer must hold a whole sample: prompt and answer.',
      zh: '训练端必须容纳整个样本（提示加回答）。'
    },
    source: PAGE,
    *check(recipe) {
      const sequence = slime(recipe) ? recipe.flagNumber('seq-length') : undefined
      const longest =
        recipe.flagNumber('rollout-max-context-len') ??
        recipe.flagNumber('rollout-max-response-len')
      if (sequence !== undefined && longest !== undefined && longest > sequence)
        yield { at: atFlag(recipe, 'seq-length'), args: { sequence, longest } }
    }
  },
  {
    id: 'length/tokens-per-gpu',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'max-tokens-per-gpu {tokens} × context parallel {context} is below seq-length {sequence}',
      zh: 'max-tokens-per-gpu {tokens} × 上下文并行 {context} 小于 seq-length {sequence}'
    },
    explanation: {
      en: 'A longer sample gets a bin of its own and may run out of memory.',
      zh: '更长的样本会单独成为一个 batch，可能显存不足。'
    },
    source: 'slime/utils/arguments.py',
    *check(recipe) {
      const tokens =
        slime(recipe) && recipe.flag('use-dynamic-batch-size') !== undefined
          ? recipe.flagNumber('max-tokens-per-gpu')
          : undefined
      const { context } = layoutOf(recipe)
      const sequence = recipe.flagNumber('seq-length')
      if (
        tokens === undefined ||
        context === undefined ||
        sequence === undefined ||
        tokens * context >= sequence
      )
        return
      yield { at: atFlag(recipe, 'max-tokens-per-gpu'), args: { tokens, context, sequence } }
    }
  },
  {
    id: 'train/dropout',
    severity: 'warning',
    dialects: REEF,
    generations: ['A', 'B'],
    message: {
      en: '{flags} not set: Megatron trains with dropout 0.1 and the engine without',
      zh: '未设置 {flags}：Megatron 以 0.1 的 dropout 训练，而推理端没有'
    },
    explanation: {
      en: 'Probabilities of trainer and engine then disagree (train_rollout_logprob_abs_diff far from 0). The newest checkout fills both from the model; older ones do not: set both to 0.',
      zh: '训练与推理的概率会因此不一致（train_rollout_logprob_abs_diff 明显大于 0）。最新代码会从模型读取，旧代码不会：请将两者设为 0。'
    },
    source: 'reef/train/slime_backend/reef_adapters/megatron/hf_arguments.py',
    *check(recipe) {
      if (!slime(recipe)) return
      const absent = ['attention-dropout', 'hidden-dropout'].filter(
        (flag) => recipe.flag(flag) === undefined
      )
      if (absent.length === 0) return
      const fix = fixOf(
        { en: 'Set to 0', zh: '设为 0' },
        ...absent.map((flag) => setFlag(recipe, flag, '0'))
      )
      yield {
        at: { path: `training.options.${absent[0] ?? ''}` },
        args: { flags: absent.join(', ') },
        fix
      }
    }
  },
  {
    id: 'wandb/flags',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{flag} is not supported; use observability.wandb',
      zh: '不支持 {flag}，请使用 observability.wandb'
    },
    explanation: {
      en: 'Reef reports to W&B itself. The key comes from WANDB_API_KEY or the W&B credential store, never from a flag.',
      zh: 'Reef 自行上报 W&B。密钥来自 WANDB_API_KEY 或 W&B 凭据，不能作为参数给出。'
    },
    source: PREFLIGHT,
    *check(recipe) {
      if (!slime(recipe)) return
      for (const flag of ['wandb-key', 'use-wandb']) {
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
    id: 'wandb/key',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'W&B is on in mode online, but WANDB_API_KEY is not set',
      zh: 'W&B 处于 online 模式，但未设置 WANDB_API_KEY'
    },
    explanation: {
      en: 'The key must be in the environment of the container. Mode offline writes files for a later sync.',
      zh: '密钥必须在容器的环境中。offline 模式会写入文件供以后同步。'
    },
    source: 'docs/user-guide/operate.rst',
    *check(recipe) {
      if (recipe.practice || recipe.bool('observability.wandb.enabled') !== true) return
      const mode = recipe.text('observability.wandb.mode') ?? 'online'
      const key = recipe.environment['WANDB_API_KEY'] ?? ''
      if (mode === 'online' && key === '') yield { at: at(recipe, 'observability.wandb.enabled') }
    }
  },
  {
    id: 'path/relative-state',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: '{text} is relative: it is made in the folder the stack is launched from',
      zh: '{text} 是相对路径：会建在启动目录下'
    },
    explanation: {
      en: 'State paths count from the folder of the launch, not from this file. Launched elsewhere, the stack starts without its history.',
      zh: '状态路径相对于启动目录而非本文件。换个目录启动，之前的历史就不见了。'
    },
    source: PAGE,
    check: relativePaths
  },
  {
    id: 'tinker/staleness',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'the tinker backend needs max-staleness 0, got {value}',
      zh: 'tinker 后端要求 max-staleness 为 0，实际为 {value}'
    },
    explanation: {
      en: 'The remote trainer has no correction for stale samples.',
      zh: '远程训练不对过期样本做修正。'
    },
    source: 'tutorials/tinker/serve.yaml',
    *check(recipe) {
      const value =
        recipe.trainer === 'tinker' ? recipe.given('recipe.config.max-staleness') : undefined
      if (value !== undefined && value.missing.length === 0 && numberOf(value.text) !== 0)
        yield { at: atValue(value), args: { value: value.text } }
    }
  },
  {
    id: 'tinker/family',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'the tinker backend has no loss for {family}',
      zh: 'tinker 后端没有 {family} 的 loss'
    },
    explanation: {
      en: 'Only the losses of TTT-Discover and plain importance sampling are registered there. Other families need the Slime backend.',
      zh: '那里只注册了 TTT-Discover 与普通 importance sampling 的 loss，其他方法需要 Slime 后端。'
    },
    source: 'tutorials/tinker/README.md',
    *check(recipe) {
      const { family } = recipe
      const weights = family?.trains === 'weights' || family?.trains === 'lora'
      if (recipe.trainer === 'tinker' && family !== null && weights && family.id !== 'tttd')
        yield { at: at(recipe, 'recipe.implementation'), args: { family: family.label } }
    }
  },
  {
    id: 'tinker/state-dir',
    severity: 'warning',
    dialects: V2,
    message: {
      en: 'the tinker backend needs a lasting training.options.state-dir',
      zh: 'tinker 后端需要持久的 training.options.state-dir'
    },
    explanation: {
      en: 'Only references to remote checkpoints are kept there; without it a restart begins anew.',
      zh: '远程 checkpoint 的引用保存在此；没有它，重启即从头开始。'
    },
    source: 'tutorials/tinker/serve.yaml',
    *check(recipe) {
      if (recipe.trainer === 'tinker' && recipe.flag('state-dir') === undefined)
        yield { at: at(recipe, 'training.backend') }
    }
  },
  {
    id: 'tinker/key',
    severity: 'warning',
    dialects: V2,
    message: { en: 'TINKER_API_KEY is not set', zh: '未设置 TINKER_API_KEY' },
    explanation: {
      en: 'The remote trainer refuses requests without a key.',
      zh: '远程训练会拒绝没有密钥的请求。'
    },
    source: 'tutorials/tinker/README.md',
    *check(recipe) {
      if (recipe.trainer === 'tinker' && (recipe.environment['TINKER_API_KEY'] ?? '') === '')
        yield { at: at(recipe, 'training.backend') }
    }
  },
  {
    id: 'practice/backend',
    severity: 'hint',
    dialects: V2,
    message: {
      en: 'training.backend practice is the CPU practice stack; real Reef refuses this name',
      zh: 'training.backend 为 practice，即 CPU 练习栈；真正的 Reef 会拒绝该名称'
    },
    explanation: {
      en: 'It speaks the protocol of a Reef stack and really learns, but it is not Slime and needs no GPU. To run on GPUs start from the template of the real recipe.',
      zh: '它使用 Reef 的协议并真正学习，但不是 Slime，也不需要 GPU。要在 GPU 上运行，请从真实 recipe 的模板开始。'
    },
    source: 'docs/practice-stack.md',
    *check(recipe) {
      if (recipe.practice) yield { at: at(recipe, 'training.backend') }
    }
  },
  {
    id: 'recipe/records-only',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'this recipe only records traffic; nothing is trained',
      zh: '该 recipe 只记录流量，不做训练'
    },
    explanation: {
      en: 'recipe.implementation recipe keeps inferences and reports. Name a recipe class to learn from them.',
      zh: 'recipe.implementation 为 recipe 时只保存推理与反馈，需指定 recipe 类才会学习。'
    },
    source: 'recipes/README.md',
    *check(recipe) {
      if (recipe.family?.id === 'basic') yield { at: at(recipe, 'recipe.implementation') }
    }
  },
  {
    id: 'recipe/big-model-cadence',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'a model of {size} billion parameters is made durable at every version',
      zh: '{size}B 参数的模型在每个版本都持久保存'
    },
    explanation: {
      en: 'Each publication copies tens of GB and pauses serving; beyond 300 s the engine watchdog kills the engines. The 30B examples raise checkpoint-every-n-versions.',
      zh: '每次发布都要复制数十 GB 并暂停服务，超过 300 秒时引擎的看门狗会杀掉引擎。30B 的示例调大了 checkpoint-every-n-versions。'
    },
    source: 'recipes/sao/examples/imo_answerbench/README.md',
    *check(recipe) {
      const model = recipe.text('inference.model-path') ?? ''
      const size = billionsByName(model) ?? 0
      const every = recipe.number('recipe.config.checkpoint-every-n-versions') ?? 1
      const lora = (recipe.flagNumber('megatron-lora-rank') ?? 0) > 0
      if (slime(recipe) && !lora && size >= 20 && every === 1)
        yield { at: at(recipe, 'recipe.config.checkpoint-every-n-versions'), args: { size } }
    }
  }
]

function* openService(recipe: ReefRecipe): Generator<Hit> {
  const hostValue = recipe.given('reef.host')
  const host = hostValue?.text ?? (recipe.versioned ? '127.0.0.1' : '0.0.0.0')
  if (LOOPBACK.includes(host) || (hostValue?.missing.length ?? 0) > 0) return
  const tokens = recipe.given('reef.tokens')
  if (recipe.given('reef.token') !== undefined || (tokens?.text.trim() ?? '') !== '') return
  const token = recipe.value('reef.token')
  const places: Place[] = []
  if (hostValue !== undefined) places.push(atValue(hostValue))
  if (token !== undefined) places.push(atValue(token))
  if (places.length === 0) places.push({ path: 'reef.host' })
  const local = hostValue === undefined ? null : setValue(recipe, hostValue, '127.0.0.1')
  const fix = fixOf({ en: 'Listen on 127.0.0.1', zh: '只监听 127.0.0.1' }, local)
  for (const place of places) yield { at: place, args: { host }, fix }
}

const STATE_PATHS: readonly string[] = [
  'reef.run-dir',
  'training.config.checkpoint_dir',
  'storage.artifact-repository',
  'storage.artifact-work-dir',
  'storage.artifact-cache-dir',
  'storage.agent-record-dir',
  'observability.wandb.directory',
  'recipe.config.prm-record-file'
]

function* relativePaths(recipe: ReefRecipe): Generator<Hit> {
  for (const path of STATE_PATHS) {
    const value = recipe.given(path)
    if (!decided(value) || !isRelative(value)) continue
    yield { at: atValue(value), args: { text: value.text } }
  }
}

function isRelative(value: Value): boolean {
  return !/^(?:[/~]|[A-Za-z]:\\|\$\{|[a-z]+:\/\/)/.test(value.text)
}
