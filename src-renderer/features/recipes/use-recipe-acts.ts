import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { recipesQuery, recipeTextQuery } from '../../api/queries'
import { go } from '../../state'
import type { CheckState } from './use-recipe-check'
import { forgetDraft } from './use-draft-keeper'
import { rememberOnDisk } from './use-disk'
import { isDirty, workbench, type RecipeDoc } from './workbench'

/** Saving and launching, each with the reason why it is off, if it is. */
export function useRecipeActs(doc: RecipeDoc, state: CheckState, gone: boolean) {
  const { t } = useTranslation('recipes')
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: async () => {
      const { path, text, lead, modified } = doc
      const known = gone ? null : modified
      const saved = await engine.recipes.save({ path, text: lead + text, modified: known })
      await rememberOnDisk(path, saved.modified)
      workbench.getState().saved(path, text, saved.modified)
      await forgetDraft(path)
      void client.invalidateQueries({ queryKey: recipesQuery.queryKey })
      void client.invalidateQueries({ queryKey: recipeTextQuery(path).queryKey })
    }
  })
  const dirty = isDirty(doc) || gone
  const saveOff = doc.readOnly ? t('saveOffReadOnly') : dirty ? undefined : t('saveOffClean')
  const errors = state.check?.summary.errors ?? 0
  const launchOff =
    errors > 0
      ? t('launchOffErrors', { count: errors, n: errors })
      : state.fresh
        ? undefined
        : t('launchOffChecking')
  const launch = async (): Promise<void> => {
    // The launch page reads the file, so what is on screen is saved first.
    if (dirty && !doc.readOnly) {
      try {
        await save.mutateAsync()
      } catch {
        // Shown by `save.error`; without the save there is nothing to launch.
        return
      }
    }
    go({ page: 'new', recipe: doc.path })
  }
  return { save, saveOff, errors, launchOff, launch: () => void launch() }
}

export type RecipeActs = ReturnType<typeof useRecipeActs>
