/** Recipes: reading, resolving, judging, changing and keeping them. */
export { checkRecipe, type CheckInput } from './check'
export { compareRecipes } from './compare'
export { completeRecipe } from './complete'

export { applyEdits } from './edit'
export { parseEnvFile } from './env-file'
export { hoverRecipe } from './hover'
export { gatherInput } from './inputs'
export { listTemplates, RecipeLibrary } from './library'
export { migrateRecipe } from './migrate'

export { modelFromConfig } from './models'
export { newRecipeProposal } from './proposal'
export { ruleBook, ruleById } from './rule-book'

export { scaleBatch } from './scale-batch'
