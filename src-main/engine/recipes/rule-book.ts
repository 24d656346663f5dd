import type { ReefRecipe } from './reef-recipe'
import type { Rule, RuleInfo } from './rule'
import { nexrlRules } from './nexrl'
import { batchRules } from './rules/batch-rules'
import { checkpointRules } from './rules/checkpoint-rules'
import { environmentRules } from './rules/environment-rules'
import { familyRules } from './rules/family-rules'
import { flagRules } from './rules/flag-rules'
import { gpuRules } from './rules/gpu-rules'
import { legacyRules } from './rules/legacy-rules'
import { modelRules } from './rules/model-rules'
import { runtimeRules } from './rules/runtime-rules'
import { slimeRules } from './rules/slime-rules'
import { structureRules } from './rules/structure-rules'
import { wiringRules } from './rules/wiring-rules'
import { yamlRules } from './rules/yaml-rules'

export const reefRules: readonly Rule<ReefRecipe>[] = [
  ...structureRules,
  ...legacyRules,
  ...environmentRules,
  ...wiringRules,
  ...batchRules,
  ...gpuRules,
  ...familyRules,
  ...checkpointRules,
  ...slimeRules,
  ...flagRules,
  ...runtimeRules
]

/** Every rule the checker knows, in the order of the documentation. */
export const ruleBook: readonly RuleInfo[] = [
  ...yamlRules,
  ...reefRules,
  ...modelRules,
  ...nexrlRules
]

export function ruleById(id: string): RuleInfo | undefined {
  return ruleBook.find((rule) => rule.id === id)
}
