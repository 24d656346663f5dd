import type { Route } from './place'
import { go, routes } from './route'

/** Last part of a path, for people. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path
}

/** Opens a recipe in the workbench; null shows the list. */
export function showRecipe(path: string | null): void {
  go(path === null ? { page: 'recipes' } : { page: 'recipes', path })
}

/** Where one was last among the recipes: at the list or at one of them. */
export function recipesRoute(): Route {
  const { entries, at } = routes.getState()
  const been = entries.slice(0, at + 1).reverse()
  return been.find((entry) => entry.page === 'recipes') ?? { page: 'recipes' }
}
