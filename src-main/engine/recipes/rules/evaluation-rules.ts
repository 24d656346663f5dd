import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Hit, type Rule } from '../rule'
import { atValue } from '../value'
import { atFlag, decided } from './place'

const SLIME = 'slime/utils/arguments.py'
const REWARDS = 'slime/rollout/rm_hub/__init__.py'

/** Names `--rm-type` is dispatched to; each may carry the prefix `boxed_`. */
const REWARD_MODELS: readonly string[] = [
  'deepscaler',
  'math',
  'dapo',
  'gpqa',
  'f1',
  'ifbench',
  'random',
  'remote_rm'
]

const slime = (recipe: ReefRecipe): boolean => recipe.trainer === 'slime'

/** Slime's own rollouts, rewards, evaluation and dumps. */
export const evaluationRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'slime/eval-data',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'eval-interval needs eval-prompt-data or eval-config',
      zh: 'eval-interval 需要 eval-prompt-data 或 eval-config'
    },
    explanation: {
      en: 'Slime stops at start with "Evaluation datasets must be configured when eval_interval is set."',
      zh: 'Slime 启动时会报 "Evaluation datasets must be configured when eval_interval is set."'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('eval-interval') : undefined
      const data = recipe.flag('eval-prompt-data') ?? recipe.flag('eval-config')
      if (value !== undefined && data === undefined) yield { at: atValue(value) }
    }
  },
  {
    id: 'slime/eval-pairs',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'eval-prompt-data must be pairs of a name and a path, got {count} words',
      zh: 'eval-prompt-data 必须是名称与路径成对出现，实际为 {count} 个词'
    },
    explanation: {
      en: 'Slime asserts an even number: name path name path.',
      zh: 'Slime 要求偶数个：名称 路径 名称 路径。'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('eval-prompt-data') : undefined
      if (!decided(value)) return
      const count = value.text.split(/\s+/).filter((word) => word !== '').length
      if (count % 2 !== 0) yield { at: atValue(value), args: { count } }
    }
  },
  {
    id: 'slime/group-rm-eval',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'group-rm is not supported in evaluation',
      zh: '评估不支持 group-rm'
    },
    explanation: {
      en: 'The first evaluation fails with "Group RM is not supported for eval rollout".',
      zh: '第一次评估会以 "Group RM is not supported for eval rollout" 失败。'
    },
    source: 'slime/rollout/sglang_rollout.py',
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('group-rm') : undefined
      if (value !== undefined && recipe.flag('eval-interval') !== undefined)
        yield { at: atValue(value) }
    }
  },
  {
    id: 'slime/rm-type',
    severity: 'warning',
    dialects: REEF,
    message: { en: 'rm-type {value}: {what}', zh: 'rm-type 为 {value}：{whatZh}' },
    explanation: {
      en: 'An unknown name is only noticed when the first sample is scored ("Rule-based RM for X is not implemented"). Under Reef scores come with the reports and this flag is not used.',
      zh: '未知名称要到第一个样本打分时才会报错（"Rule-based RM for X is not implemented"）。在 Reef 中得分随上报而来，此参数不起作用。'
    },
    source: REWARDS,
    check: rewardModel
  },
  {
    id: 'slime/endless-filter',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'this filter drops groups whose rewards are all equal, without a limit',
      zh: '该过滤器会无限制地丢弃得分全部相同的组'
    },
    explanation: {
      en: 'When every group is all right or all wrong, Slime’s own rollout never ends and only the drop counters move.',
      zh: '如果每组都全对或全错，Slime 自身的 rollout 永不结束，只有 drop 计数在增长。'
    },
    source: 'slime/rollout/filter_hub/dynamic_sampling_filters.py',
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('dynamic-sampling-filter-path') : undefined
      if (value?.text.includes('check_reward_nonzero_std') === true) yield { at: atValue(value) }
    }
  },
  {
    id: 'slime/num-epoch',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'num-epoch is ignored: num-rollout is set',
      zh: '已设置 num-rollout，num-epoch 会被忽略'
    },
    explanation: {
      en: 'Slime takes num-rollout when both are there.',
      zh: '两者都有时以 num-rollout 为准。'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('num-epoch') : undefined
      if (value !== undefined && recipe.flag('num-rollout') !== undefined)
        yield { at: atValue(value) }
    }
  },
  {
    id: 'slime/debug-dumps',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'save-debug-train-data and save-debug-rollout-data are the same path',
      zh: 'save-debug-train-data 与 save-debug-rollout-data 路径相同'
    },
    explanation: {
      en: 'One dump would write over the other; Slime refuses that at start.',
      zh: '两者会互相覆盖，Slime 启动时即拒绝。'
    },
    source: SLIME,
    *check(recipe) {
      const train = slime(recipe) ? recipe.flag('save-debug-train-data') : undefined
      const rollout = recipe.flag('save-debug-rollout-data')
      if (decided(train) && decided(rollout) && train.text === rollout.text)
        yield { at: atValue(train) }
    }
  },
  {
    id: 'slime/tensorboard',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'use-tensorboard needs tb-project-name and tb-experiment-name, or TENSORBOARD_DIR',
      zh: 'use-tensorboard 需要 tb-project-name 与 tb-experiment-name，或 TENSORBOARD_DIR'
    },
    explanation: {
      en: 'Without a name the first write fails with "tb_project_name and tb_experiment_name, or TENSORBOARD_DIR are required".',
      zh: '没有名称时，第一次写入会以 "tb_project_name and tb_experiment_name, or TENSORBOARD_DIR are required" 失败。'
    },
    source: 'slime/utils/tensorboard_utils.py',
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('use-tensorboard') : undefined
      if (value === undefined || (recipe.environment['TENSORBOARD_DIR'] ?? '') !== '') return
      const named = ['tb-project-name', 'tb-experiment-name'].every(
        (name) => recipe.flag(name) !== undefined
      )
      if (!named) yield { at: atValue(value) }
    }
  }
]

function* rewardModel(recipe: ReefRecipe): Generator<Hit> {
  const value = slime(recipe) ? recipe.flag('rm-type') : undefined
  if (!decided(value) || recipe.flag('custom-rm-path') !== undefined) return
  const name = value.text.replace(/^boxed_/, '')
  if (!REWARD_MODELS.includes(name)) {
    const what = `none of ${REWARD_MODELS.join(', ')}`
    const whatZh = `不是 ${REWARD_MODELS.join('、')} 之一`
    yield { at: atValue(value), args: { value: value.text, what, whatZh } }
  } else if (name === 'remote_rm' && recipe.flag('rm-url') === undefined) {
    const args = { value: value.text, what: 'rm-url is missing', whatZh: '缺少 rm-url' }
    yield { at: atFlag(recipe, 'rm-type'), args }
  }
}
