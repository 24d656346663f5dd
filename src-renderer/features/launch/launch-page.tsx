import { useQuery } from '@tanstack/react-query'
import { FileCode } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { recipesQuery } from '../../api/queries'
import { EmptyReason } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { emptyDraft, type LaunchDraft } from './launch-draft'
import { LaunchForm } from './launch-form'
import { PlanPanel } from './plan-panel'
import { RecipeList } from './recipe-list'
import { useLaunchState } from './use-launch-state'

/** Choose a recipe, see exactly what it would do, launch it. */
export function LaunchPage(props: { recipe: string | undefined }) {
  const [draft, setDraft] = useState<LaunchDraft>(() => emptyDraft(props.recipe ?? null))
  const { t } = useTranslation('launch')
  const recipes = useQuery(recipesQuery)
  const state = useLaunchState(draft)
  const change = (part: Partial<LaunchDraft>): void => setDraft((was) => ({ ...was, ...part }))
  return (
    <div
      className="grid min-h-0 flex-1 grid-cols-[220px_minmax(0,1fr)_minmax(360px,440px)]"
      data-testid="launch-page"
    >
      <aside className="side" aria-label={t('recipes')}>
        {recipes.isError ? (
          <FailureNote
            className="m-3"
            thrown={recipes.error}
            retry={() => void recipes.refetch()}
          />
        ) : (
          <RecipeList
            entries={recipes.data}
            chosen={draft.recipe}
            choose={(recipe) => change({ recipe, overrides: [] })}
          />
        )}
      </aside>
      {draft.recipe === null ? (
        <EmptyReason
          className="col-span-2"
          icon={FileCode}
          what={t('chooseWhat')}
          why={t('chooseWhy')}
        />
      ) : (
        <>
          <LaunchForm
            draft={draft}
            entry={recipes.data?.find((entry) => entry.path === draft.recipe)}
            check={state.check}
            judged={state.judged}
            plan={state.plan.data}
            change={change}
          />
          <PlanPanel state={state} />
        </>
      )}
    </div>
  )
}
