import type { RecipeEntry } from '@contract/recipes'

/** The recipe behind "Launch the practice run": the shipped SAO one, else any practice recipe. */
export function practiceRecipe(entries: readonly RecipeEntry[]): RecipeEntry | undefined {
  const practice = entries.filter((entry) => entry.practice && entry.kind === 'template')
  return practice.find((entry) => entry.family === 'sao') ?? practice[0]
}
