import { lazy } from 'react'

export type { EditorHandle } from './recipe-editor'
export type { RecipeContext } from './recipe-language'

/** The editor, loaded when it is first shown. */
export const RecipeEditor = lazy(async () => ({
  default: (await import('./recipe-editor')).RecipeEditor
}))

/** Two texts side by side, loaded when first shown. */
export const RecipeDiff = lazy(async () => ({
  default: (await import('./recipe-diff')).RecipeDiff
}))
