import { fileName, showRecipe } from '../../state'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { recipesQuery } from '../../api/queries'
import { Button, Dialog, Field } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { type RecipeDoc } from './workbench'

/** Makes a recipe of the person's own from another one and opens it. */
export function useCreateRecipe(done: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (asked: { from: string; name: string }) => engine.recipes.create(asked),
    onSuccess: async ({ path }) => {
      await client.invalidateQueries({ queryKey: recipesQuery.queryKey })
      showRecipe(path)
      done()
    }
  })
}

/** Asks for the name of a copy. */
export function DuplicateDialog(props: { doc: RecipeDoc; close: () => void }) {
  const { doc, close } = props
  const { t } = useTranslation(['recipes', 'common'])
  const plain = fileName(doc.path).replace(/\.ya?ml$/i, '')
  const [name, setName] = useState<string>(t('recipes:copyOf', { name: plain }))
  const input = useRef<HTMLInputElement>(null)
  const create = useCreateRecipe(close)
  const run = (): void => create.mutate({ from: doc.path, name })
  return (
    <Dialog
      open
      onClose={close}
      title={t('recipes:duplicateTitle', { name: fileName(doc.path) })}
      description={t('recipes:duplicateText')}
      focus={input}
      onConfirm={run}
      data-testid="duplicate-dialog"
      footer={
        <>
          <Button onClick={close}>{t('common:cancel')}</Button>
          <Button variant="primary" keys="Mod+Enter" onClick={run} data-testid="duplicate-create">
            {t('recipes:create')}
          </Button>
        </>
      }
    >
      <Field
        label={t('recipes:copyName')}
        showLabel
        value={name}
        onChange={setName}
        inputRef={input}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) run()
        }}
        data-testid="duplicate-name"
      />
      {create.isError ? <FailureNote className="mt-3" thrown={create.error} /> : null}
    </Dialog>
  )
}
