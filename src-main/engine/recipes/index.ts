/** Recipes: reading, resolving, judging, changing and keeping them. */
export { checkRecipe, readReef, type CheckInput, type Environment } from './check'
export { compareRecipes, type RecipeDifference } from './compare'
export { completeRecipe, type PositionInput } from './complete'
export { detectDialect, detectGeneration } from './dialect'
export { applyEdits } from './edit'
export { parseEnvFile } from './env-file'
export { hoverRecipe } from './hover'
export { gatherInput, readModel, readSiblings } from './inputs'
export { listTemplates, RecipeLibrary, type LibraryFolders, type RecipeFile } from './library'
export { migrateRecipe } from './migrate'
export type { Migration } from './migrate-versioned'
export { modelFromConfig, type ModelFacts } from './models'
export {
  newRecipeProposal,
  type Improve,
  type Proposal,
  type ProposalRequest,
  type Signal
} from './proposal'
export { ruleBook, ruleById } from './rule-book'
export type { RuleInfo } from './rule'
export { scaleBatch, type ScaledBatch } from './scale-batch'
