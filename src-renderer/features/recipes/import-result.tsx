import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { RecipeImport } from '@contract/recipes'
import { engine } from '../../api/client'
import { recipesQuery } from '../../api/queries'
import { formatCount } from '../../i18n'
import { Button } from '../../ui'

/** Lets a person pick a folder and copies the recipes in it beside one's own. Null: nothing was picked. */
export function useImportFolder() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (): Promise<RecipeImport | null> => {
      const { path } = await engine.host.pick({ what: 'folder' })
      return path === null ? null : engine.recipes.import({ path })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: recipesQuery.queryKey })
  })
}

/** What an import did with each file, by its fate. */
export function ImportResult(props: { result: RecipeImport; close: () => void }) {
  const { t } = useTranslation('recipes')
  const { result } = props
  const fates = [
    ['copied', result.copied],
    ['same', result.same],
    ['conflicts', result.conflicts],
    ['skipped', result.skipped]
  ] as const
  return (
    <div
      className="mx-4 mb-3 flex items-start gap-3 rounded-panel border border-line-2 p-3"
      role="status"
      data-testid="recipe-import-result"
    >
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <b className="el" title={result.folder}>
          {t('imported.into', { folder: result.folder })}
        </b>
        {fates.map(([fate, files]) =>
          files.length === 0 ? null : (
            <p key={fate} className={fate === 'conflicts' ? 'c-warn' : 't2'}>
              {t(`imported.${fate}`, { count: files.length, n: formatCount(files.length) })}{' '}
              <span className="mono break-all">{files.join(', ')}</span>
            </p>
          )
        )}
      </div>
      <Button size="small" onClick={props.close}>
        {t('imported.close')}
      </Button>
    </div>
  )
}
