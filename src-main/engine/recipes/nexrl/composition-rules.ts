import type { Hit, Rule } from '../rule'
import { atKey, atValue, isSecretName, type Place, type Value } from '../value'
import { parseYaml } from '../yaml-parse'
import { entryOf } from '../yaml-tree'
import { lastPart } from '../reef-recipe'
import type { NexrlRecipe } from './nexrl-recipe'

export type NexrlRule = Omit<Rule<NexrlRecipe>, 'dialects'>

const CONFIG = 'nexrl/utils/config_utils.py'

export function place(recipe: NexrlRecipe, path: string): Place {
  const value = recipe.value(path)
  return value === undefined ? { path } : atValue(value)
}

export const nexrlCompositionRules: readonly NexrlRule[] = [
  {
    id: 'nexrl/defaults-missing',
    severity: 'error',
    message: {
      en: '{file}, named in defaults, is not beside this recipe',
      zh: 'defaults 中的 {file} 不在该 recipe 旁边'
    },
    explanation: {
      en: 'Hydra composes the recipe from files of the same folder and stops when one is missing.',
      zh: 'Hydra 从同一目录的文件组合 recipe，缺少文件即停止。'
    },
    source: 'hydra defaults list',
    *check(recipe) {
      for (const missing of recipe.missingDefaults)
        yield { at: missing, args: { file: missing.path } }
    }
  },
  {
    id: 'nexrl/defaults-self',
    severity: 'error',
    message: {
      en: '{file}, named in defaults, is this recipe itself',
      zh: 'defaults 中的 {file} 就是该 recipe 自身'
    },
    explanation: {
      en: 'A recipe cannot be its own base. Name the file it builds on, and write `_self_` for the place of its own fields.',
      zh: 'recipe 不能以自身为基础。请写它所依据的文件；自身字段的位置用 `_self_` 表示。'
    },
    source: 'hydra defaults list',
    *check(recipe) {
      for (const own of recipe.ownDefaults) yield { at: own, args: { file: own.path } }
    }
  },
  {
    id: 'nexrl/self-order',
    severity: 'warning',
    message: {
      en: '_self_ is not last: the base file overrides this recipe',
      zh: '_self_ 不在最后：基础文件会覆盖该 recipe'
    },
    explanation: { en: 'In a defaults list later entries win.', zh: 'defaults 列表中后面的优先。' },
    source: 'hydra defaults list',
    *check(recipe) {
      const entry = entryOf(recipe.source.root, 'defaults')
      if (recipe.selfNotLast)
        yield {
          at: {
            path: 'defaults',
            source: recipe.source,
            ...(entry === undefined ? {} : { span: entry.keySpan })
          }
        }
    }
  },
  {
    id: 'nexrl/missing-variable',
    severity: 'error',
    message: {
      en: '{name} is not set: the driver stops at start',
      zh: '{name} 未设置：驱动进程启动时即停止'
    },
    explanation: {
      en: 'All `${oc.env:NAME}` are resolved up front, also in branches that are not used; one that is unset ends the run. In a pod of NexRL’s own launcher keys may also come from secrets of the cluster, so a missing key is only a warning here; preflight knows how the run is started.',
      zh: '所有 `${oc.env:NAME}` 都会在启动时解析，未使用的分支也不例外；任何一个未设置都会使运行终止。在 NexRL 自带启动器的 pod 中，密钥也可能来自集群 secret，因此此处缺少密钥只给警告；预检知道实际的启动方式。'
    },
    source: CONFIG,
    check: missingVariables
  },
  {
    id: 'nexrl/unknown-reference',
    severity: 'error',
    message: { en: 'interpolation key {name} not found', zh: '插值 {name} 不存在' },
    explanation: {
      en: 'References count from the root of the composed recipe.',
      zh: '引用从组合后 recipe 的根开始。'
    },
    source: 'OmegaConf interpolation',
    *check(recipe) {
      for (const value of recipe.fields()) {
        for (const problem of recipe.problemsOf(value))
          if (problem.kind === 'unknown-reference')
            yield { at: atValue(value), args: { name: problem.name } }
      }
    }
  },
  {
    id: 'nexrl/reference-loop',
    severity: 'error',
    message: { en: 'recursive interpolation at {name}', zh: '{name} 处存在循环插值' },
    explanation: {
      en: 'Two fields take their value from each other; the driver stops with "Recursive interpolation detected".',
      zh: '两个字段互相取值，驱动进程会以 "Recursive interpolation detected" 停止。'
    },
    source: 'OmegaConf interpolation',
    *check(recipe) {
      for (const value of recipe.fields()) {
        for (const problem of recipe.problemsOf(value))
          if (problem.kind === 'loop') yield { at: atValue(value), args: { name: problem.name } }
      }
    }
  },
  {
    id: 'nexrl/key-in-file',
    severity: 'warning',
    message: { en: '{path} holds a key in the file', zh: '{path} 直接在文件中写有密钥' },
    explanation: {
      en: 'Write `${oc.env:NAME}` instead. NexRL copies the resolved recipe into the run folder, the log and the W&B config in clear text.',
      zh: '请改写为 `${oc.env:NAME}`。NexRL 会把解析后的 recipe 明文写入运行目录、日志与 W&B 配置。'
    },
    source: 'nexrl/main.py',
    *check(recipe) {
      for (const value of recipe.fields()) {
        const secret = isSecretName(lastPart(value.path)) && value.kind === 'string'
        if (secret && value.raw !== '' && !value.raw.includes('${'))
          yield { at: atValue(value), args: { path: value.path } }
      }
    }
  },
  {
    id: 'nexrl/placeholder-key',
    severity: 'warning',
    message: { en: '{name} holds a placeholder, not a key', zh: '{name} 是占位符而不是密钥' },
    explanation: {
      en: 'The bundled environment scripts contain made-up keys and are sourced after the real ones were injected.',
      zh: '自带的环境脚本含有示例密钥，且在真实密钥注入之后才被执行。'
    },
    source: 'recipe/*.env.sh',
    *check(recipe) {
      for (const name of ['WEAVER_API_KEY', 'TINKER_API_KEY', 'WANDB_KEY']) {
        const value = recipe.environment[name] ?? ''
        if (/your|placeholder|xxx|here/i.test(value)) yield { at: { path: '' }, args: { name } }
      }
    }
  },
  {
    id: 'nexrl/keys-in-clear',
    severity: 'hint',
    message: {
      en: 'NexRL writes the resolved recipe, keys included, into the run folder, the log and W&B',
      zh: 'NexRL 会把解析后的 recipe（含密钥）写入运行目录、日志与 W&B'
    },
    explanation: {
      en: 'Treat train_config_resolved.yaml, nexrl.log, the rendered jobs and the W&B run config as secret.',
      zh: '请把 train_config_resolved.yaml、nexrl.log、渲染后的作业与 W&B 配置当作机密。'
    },
    source: 'nexrl/main.py',
    *check(recipe) {
      if (
        recipe.value('service.weaver_service.api_key') !== undefined ||
        recipe.value('service.tinker_service.api_key') !== undefined
      )
        yield { at: { path: '' } }
    }
  },
  {
    id: 'nexrl/experiment-in-base',
    severity: 'hint',
    message: {
      en: 'experiment_name is not written in this file: the folder becomes logs/default',
      zh: '该文件没有写 experiment_name：日志目录将是 logs/default'
    },
    explanation: {
      en: 'The launcher reads the name from the file it is given, before composition.',
      zh: '启动器在组合之前从给定的文件读取该名称。'
    },
    source: 'cli/run.py',
    *check(recipe) {
      if (
        entryOf(recipe.source.root, 'defaults') !== undefined &&
        entryOf(recipe.source.root, 'experiment_name') === undefined
      )
        yield { at: { path: 'experiment_name' } }
    }
  },
  {
    id: 'nexrl/experiment-shared',
    severity: 'hint',
    message: {
      en: '{file} has the same experiment_name: both runs share one log folder',
      zh: '{file} 的 experiment_name 相同：两者共用一个日志目录'
    },
    explanation: {
      en: 'Runs of both recipes mix under logs/<experiment_name>.',
      zh: '两个 recipe 的运行会混在 logs/<experiment_name> 下。'
    },
    source: 'cli/run.py',
    *check(recipe) {
      const own = entryOf(recipe.source.root, 'experiment_name')
      if (own?.value.type !== 'scalar') return
      for (const [file, text] of Object.entries(recipe.siblings)) {
        // Looking before parsing: most siblings never mention the name.
        if (text === recipe.source.text || !text.includes(own.value.text)) continue
        const other = entryOf(parseYaml(text, 'omegaconf').root, 'experiment_name')?.value
        if (other?.type === 'scalar' && other.text === own.value.text)
          yield {
            at: { path: 'experiment_name', span: own.valueSpan, source: recipe.source },
            args: { file }
          }
      }
    }
  }
]

function* missingVariables(recipe: NexrlRecipe): Generator<Hit> {
  const firstField = new Map<string, string>()
  for (const value of recipe.fields()) {
    for (const problem of recipe.problemsOf(value)) {
      if (problem.kind !== 'missing-variable') continue
      const field = value.path.replace(/\[\d+\]$/, '')
      const first = firstField.get(problem.name) ?? field
      firstField.set(problem.name, first)
      const severity = isSecretName(problem.name) ? 'warning' : first === field ? 'error' : 'hint'
      yield { at: spotOf(value), args: { name: problem.name }, severity }
    }
  }
}

function spotOf(value: Value): Place {
  return value.node === undefined ? atKey(value) : atValue(value)
}
