import type { SideComparison } from '@contract/compare'
import { ALIGNMENTS } from '@contract/comparing'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyReason, Panel, Segmented, Skeleton } from '../../ui'
import { compareQuery, nameOf } from '../releases'
import { FailureNote } from '../shared/failure-note'
import { ComparisonActions } from './comparison-actions'
import { NumberTable } from './number-table'
import { PairCurves } from './pair-curves'
import type { PairProps } from './pair-head'
import { sidesQuery, type Asked } from './side-feed'
import { arrange, useArrangement, type CompareView } from './side-store'
import { SettingsView, SidesTable } from './sides-table'

const VIEWS: readonly CompareView[] = ['numbers', 'weights', 'settings', 'behaviour', 'results']

type ViewsProps = {
  readonly run: string
  readonly asked: Asked
  /** The two releases of this run that lead it; null for a comparison of any other sides. */
  readonly pair: PairProps | null
  /** What it came to when it was kept: shown where a side is gone since. */
  readonly then?: SideComparison
  readonly beside?: ReactNode
  /** What it was kept as. */
  readonly name?: string
}

const named = (name: string | undefined) => (name === undefined ? {} : { name })

/** Everything that two to eight sides are compared by, one view at a time. */
export function ComparisonViews(props: ViewsProps) {
  const { t } = useTranslation('compare')
  const { run } = props
  const { view } = useArrangement(run)
  const query = useQuery(sidesQuery(props.asked))
  const comparison = query.data ?? (query.isError ? (props.then ?? null) : null)
  return (
    <>
      <div className="flex flex-none flex-wrap items-center gap-2 px-3 pt-2 text-xs">
        <Segmented
          label={t('view.label')}
          value={view}
          onChange={(next) => arrange(run, { view: next })}
          segments={VIEWS.map((value) => ({ value, label: t(`view.${value}`) }))}
          data-testid="compare-view"
        />
        {props.beside}
        <span className="ml-auto flex gap-2">
          <ComparisonActions run={run} asked={props.asked} {...named(props.name)} />
        </span>
      </div>
      {query.isError ? (
        <FailureNote className="m-3" thrown={query.error} retry={() => void query.refetch()} />
      ) : null}
      <View {...props} view={view} comparison={comparison} />
    </>
  )
}

const WeightsOfSides = lazy(() =>
  import('./weights-of-sides').then((module) => ({ default: module.WeightsOfSides }))
)
const ResultsView = lazy(() =>
  import('./results-view').then((module) => ({ default: module.ResultsView }))
)
const BehaviourView = lazy(() =>
  import('./behaviour-view').then((module) => ({ default: module.BehaviourView }))
)
const AlignedCurves = lazy(() =>
  import('./aligned-curves').then((module) => ({ default: module.AlignedCurves }))
)

const LOADING = <Skeleton className="m-3 h-40" />

function View(props: ViewsProps & { view: CompareView; comparison: SideComparison | null }) {
  const { run, view, comparison } = props
  switch (view) {
    case 'numbers':
      return <Numbers {...props} />
    case 'weights':
      return (
        <Suspense fallback={LOADING}>
          {comparison === null ? LOADING : <WeightsOfSides comparison={comparison} />}
        </Suspense>
      )
    case 'settings':
      return comparison === null ? LOADING : <SettingsView comparison={comparison} />
    case 'behaviour':
      return (
        <Suspense fallback={LOADING}>
          {comparison === null ? LOADING : <BehaviourView run={run} comparison={comparison} />}
        </Suspense>
      )
    case 'results':
      return (
        <Suspense fallback={LOADING}>
          <ResultsView run={run} comparison={comparison} />
        </Suspense>
      )
  }
}

function Numbers(props: ViewsProps & { comparison: SideComparison | null }) {
  const { comparison, pair } = props
  const ofPair = pair !== null && props.asked.sides.length === 2
  return (
    <div className="compare-grid">
      {ofPair ? (
        <PairNumbers {...pair} />
      ) : comparison === null ? (
        LOADING
      ) : (
        <SidesTable comparison={comparison} />
      )}
      <Curves {...props} ofPair={ofPair} />
    </div>
  )
}

function PairNumbers({ run, scenario, a, b }: PairProps) {
  const query = useQuery(compareQuery(run, scenario, { a: a.step, b: b.step }))
  if (query.isPending) return <Skeleton className="h-full" />
  if (query.isError) return <FailureNote thrown={query.error} retry={() => void query.refetch()} />
  return <NumberTable rows={query.data} a={`A ${nameOf(a.step)}`} b={`B ${nameOf(b.step)}`} />
}

/** Two releases of one run on its own curves; anything else, and any other axis, laid over each other. */
function Curves(props: ViewsProps & { comparison: SideComparison | null; ofPair: boolean }) {
  const { t } = useTranslation('compare')
  const { run, pair, comparison, ofPair } = props
  const { alignment } = useArrangement(run)
  const own = ofPair && alignment === 'step'
  return (
    <Panel
      title={t('curves')}
      sub={own ? t('curvesNote') : t(`align.note.${alignment}`)}
      className="flex min-h-0 flex-col"
      actions={
        <Segmented
          label={t('align.label')}
          size="small"
          value={alignment}
          onChange={(next) => arrange(run, { alignment: next })}
          segments={ALIGNMENTS.map((value) => ({ value, label: t(`align.${value}`) }))}
          data-testid="compare-align"
        />
      }
    >
      {own && pair !== null ? (
        <PairCurves run={run} releases={pair.releases} a={pair.a.step} b={pair.b.step} />
      ) : comparison === null ? (
        <EmptyReason what={t('noMetricsWhat')} why={t('noMetricsWhy')} />
      ) : (
        <Suspense fallback={LOADING}>
          <AlignedCurves comparison={comparison} alignment={alignment} />
        </Suspense>
      )}
    </Panel>
  )
}
