import { editDistance } from '../lib'
import type { ReefRecipe } from './reef-recipe'
import type { Rule, RuleInfo } from './rule'
import { moduleRules, nexrlRules } from './nexrl'
import { batchRules } from './rules/batch-rules'
import { checkpointRules } from './rules/checkpoint-rules'
import { engineRules } from './rules/engine-rules'
import { environmentRules } from './rules/environment-rules'
import { evaluationRules } from './rules/evaluation-rules'
import { familyRules } from './rules/family-rules'
import { flagRules } from './rules/flag-rules'
import { gpuRules } from './rules/gpu-rules'
import { legacyRules } from './rules/legacy-rules'
import { modelRules } from './rules/model-rules'
import { parallelRules } from './rules/parallel-rules'
import { practiceRules } from './rules/practice-rules'
import { runtimeRules } from './rules/runtime-rules'
import { shapeRules } from './rules/shape-rules'
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
  ...parallelRules,
  ...familyRules,
  ...checkpointRules,
  ...slimeRules,
  ...engineRules,
  ...evaluationRules,
  ...flagRules,
  ...runtimeRules,
  ...practiceRules
]

/** Every rule the checker knows, in the order of the documentation. */
export const ruleBook: readonly RuleInfo[] = [
  ...yamlRules,
  ...reefRules,
  ...modelRules,
  ...shapeRules,
  ...nexrlRules,
  ...moduleRules
]

export function ruleById(id: string): RuleInfo | undefined {
  return ruleBook.find((rule) => rule.id === id)
}

/** Rules a mistyped id may have meant, nearest first; at most three. */
export function nearestRules(id: string): string[] {
  const typed = id.toLowerCase()
  const name = typed.slice(typed.indexOf('/') + 1)
  const scored = ruleBook.flatMap((rule) => {
    const own = rule.id.slice(rule.id.indexOf('/') + 1)
    const distance = Math.min(editDistance(typed, rule.id, 4), editDistance(name, own, 3))
    const contained = name.length > 3 && rule.id.includes(name)
    return contained || distance <= 3 ? [{ id: rule.id, distance: contained ? 1 : distance }] : []
  })
  return scored
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((one) => one.id)
}
