import type { ReefRecipe } from '../reef-recipe'
import { atValue, type Place, type Value } from '../value'

/** The field where it is written, or its bare path when it is absent. */
export function at(recipe: ReefRecipe, path: string): Place {
  const value = recipe.value(path)
  return value === undefined ? { path } : atValue(value)
}

export function atFlag(recipe: ReefRecipe, name: string): Place {
  const value = recipe.flag(name)
  return value === undefined ? { path: `training.options.${name}` } : atValue(value)
}

/** The first flag of these that is written, for a finding about an absent partner. */
export function atFirst(recipe: ReefRecipe, ...names: string[]): Place {
  for (const name of names) {
    const value = recipe.flag(name)
    if (value !== undefined) return atValue(value)
  }
  return { path: `training.options.${names[0] ?? ''}` }
}

/** True where the text really says something: unset environment leaves a field undecidable, not wrong. */
export function decided(value: Value | undefined): value is Value {
  return value !== undefined && value.missing.length === 0
}
