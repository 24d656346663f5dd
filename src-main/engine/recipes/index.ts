/** Recipes: reading, resolving, judging, changing and keeping them. */
export { refuseBroken } from './broken'
export { checkModule, checkRecipe, type CheckInput } from './check'
export { compareRecipes } from './compare'
export { completeRecipe } from './complete'

export { applyEdits } from './edit'
export { parseEnvFile } from './env-file'
export { checkpointTimes } from './facts'
export { hoverRecipe } from './hover'
export { noHubId } from './hub-id'
export { gatherInput } from './inputs'
export { listTemplates, RecipeLibrary } from './library'
export { migrateRecipe } from './migrate'

export { modelFromConfig } from './models'
export { newRecipeProposal } from './proposal'
export { readRecipeText, refuseEmpty } from './read-recipe'
export { resolveRecipe, type ResolvedRecipe } from './resolve'
export { nearestRules, ruleBook, ruleById } from './rule-book'
export { ruleFix } from './rule-fixes'

export { scaleBatch } from './scale-batch'
export { isSecretName, isSecretVariable, secretValues } from './value'
