import type { RecipeCheck } from '../../contract/recipes'
import { checkRecipe, type CheckInput } from './check'

const checks = new WeakMap<CheckInput, RecipeCheck>()

/** The check of an input that several questions are asked of: same input, same findings, so it is made once. */
export function checkedOnce(input: CheckInput): RecipeCheck {
  const known = checks.get(input)
  if (known !== undefined) return known
  const made = checkRecipe(input)
  checks.set(input, made)
  return made
}
