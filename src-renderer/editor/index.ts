import { lazy } from 'react'
import { languageChosen } from '../i18n'

export type { EditorHandle } from './recipe-editor'
export type { RecipeContext } from './recipe-language'

/**
 * The editor, loaded when it is first shown and not before the language is known: some of its own words are read once,
 * while it loads.
 */
export const RecipeEditor = lazy(async () => {
  await languageChosen
  return { default: (await import('./recipe-editor')).RecipeEditor }
})

/** Two texts side by side, loaded when first shown. */
export const RecipeDiff = lazy(async () => {
  await languageChosen
  return { default: (await import('./recipe-diff')).RecipeDiff }
})
