import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { recipeTextQuery } from '../../api/queries'
import { CopyButton, Panel, Skeleton } from '../../ui'
import { CodeText } from '../shared/code-text'
import { FailureNote } from '../shared/failure-note'

/** The recipe byte for byte as it was launched. */
export function RecipeTab(props: { detail: RunDetail }) {
  const { folder, recipe } = props.detail.summary
  const { t } = useTranslation(['run', 'common'])
  const separator = folder.includes('\\') ? '\\' : '/'
  const path = `${folder}${separator}recipe.yaml`
  const text = useQuery(recipeTextQuery(path))
  return (
    <div className="flex min-h-0 flex-1 flex-col p-3">
      <Panel
        className="flex min-h-0 flex-1 flex-col"
        title={t('run:recipeHead')}
        sub={t('run:recipeSub')}
        actions={
          <>
            <span className="mono t2 el max-w-[420px] text-xs" title={recipe.path}>
              {recipe.path}
            </span>
            <CopyButton
              text={text.data?.text ?? ''}
              label={t('common:copy')}
              done={t('common:copied')}
            />
          </>
        }
      >
        {text.isPending ? <Skeleton className="m-3 h-40" /> : null}
        {text.isError ? (
          <FailureNote className="m-3" thrown={text.error} retry={() => void text.refetch()} />
        ) : null}
        {text.data === undefined ? null : <CodeText text={text.data.text} />}
      </Panel>
    </div>
  )
}
