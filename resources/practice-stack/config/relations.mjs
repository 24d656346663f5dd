/** Rules between fields, in Reef's words where Reef has the rule. */
import { ConfigError } from './fields.mjs'

/** @typedef {import('./resolve.mjs').Settings} Settings */

/** @param {Settings} settings */
export function checkRelations(settings) {
  /** @type {(path: string) => any} */
  const value = (path) => settings[path]?.value
  if (value('training.backend') !== 'practice') {
    throw new ConfigError(
      `training.backend '${value('training.backend') ?? ''}' is not 'practice': a recipe for real ` +
        'training needs Reef itself'
    )
  }
  if (value('inference.model-path') === null) {
    throw new ConfigError('weight training requires --inference.model-path')
  }
  if (value('inference.upstream-url') !== null) {
    throw new ConfigError(
      'automatic weight training uses training-owned inference; remove upstream provider settings'
    )
  }
  if (value('inference.url') !== null || value('recipe.runtime') !== null) {
    throw new ConfigError(
      'automatic weight training discovers its runtime and inference connection from the bridge'
    )
  }
  checkBatch(value)
  checkCheckpoints(value)
}

/** @param {(path: string) => any} value */
function checkBatch(value) {
  const batch = value('recipe.config.batch-size')
  if (batch !== undefined && batch <= 0) throw new ConfigError('batch_size must be positive')
  const groups = value('recipe.config.groups-per-step')
  if (groups !== undefined && groups <= 0) {
    throw new ConfigError('groups_per_step must be positive')
  }
  if (groups !== undefined && value('recipe.config.rollouts-per-group') < 2) {
    throw new ConfigError('rollouts_per_group must be at least two')
  }
  if ((value('training.options.global-batch-size') ?? 1) <= 0) {
    throw new ConfigError('training.options.global-batch-size must be positive')
  }
  if (value('training.options.num-rollout') <= 0) {
    throw new ConfigError('the Reef bridge requires a positive --num-rollout')
  }
  if ((value('recipe.config.checkpoint-every-n-versions') ?? 1) !== 1) {
    throw new ConfigError(
      'recipe.config.checkpoint-every-n-versions: the practice backend saves every version; use 1'
    )
  }
}

/** @param {(path: string) => any} value */
function checkCheckpoints(value) {
  const template = String(value('training.options.save-hf'))
  if (!template.includes('{rollout_id}')) {
    throw new ConfigError('the Reef bridge requires --save-hf with a {rollout_id} path template')
  }
  const parts = template.split('/')
  if (!(parts.at(-1) ?? '').includes('{rollout_id}')) {
    throw new ConfigError('HF checkpoint template must contain {rollout_id} in its basename')
  }
  const root = parts.slice(0, -2).join('/')
  const save = String(value('training.options.save')).split('/')
  if (save.slice(0, -1).join('/') !== root || save.at(-1) === parts.at(-2)) {
    throw new ConfigError(
      'HF and Megatron checkpoints must use distinct directories under one checkpoint root'
    )
  }
}
