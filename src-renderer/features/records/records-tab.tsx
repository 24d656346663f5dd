import { useQuery } from '@tanstack/react-query'
import { MessagesSquare } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { EmptyReason, Segmented, Skeleton } from '../../ui'
import { isActive } from '../runs'
import { FailureNote } from '../shared/failure-note'
import { FeedbackView } from './feedback-view'
import { recordsView, useRecordsView, type RecordsPart } from './records-store'
import { RecordsView } from './records-view'
import { ScenarioChoice } from './scenario-choice'
import { ScenariosView } from './scenarios-view'
import { doorwayQuery, useScenarioPulse } from './talk-feed'

const parts: readonly RecordsPart[] = ['records', 'feedback', 'scenarios']

/** What was asked and reported, where feedback went, and the scenarios: read from the live service. */
export function RecordsTab(props: { detail: RunDetail }) {
  const { detail } = props
  const { t } = useTranslation('talk')
  if (!isActive(detail.summary.state) || detail.address === null) {
    return (
      <EmptyReason
        className="flex-1"
        icon={MessagesSquare}
        what={t('offWhat')}
        why={t('offWhy')}
        data-testid="records-off"
      />
    )
  }
  return <Live run={detail.summary.id} />
}

function Live(props: { run: string }) {
  const { run } = props
  const view = useRecordsView(run)
  const door = useQuery(doorwayQuery(run))
  const known = door.data?.scenarios ?? []
  const scenario =
    view.scenario !== null && known.includes(view.scenario) ? view.scenario : (known[0] ?? null)
  useScenarioPulse(run, scenario)
  if (door.isPending) return <Skeleton className="m-3 h-40" />
  if (door.data === undefined) {
    return <FailureNote className="m-3" thrown={door.error} retry={() => void door.refetch()} />
  }
  return (
    <>
      <Head run={run} scenario={scenario} scenarios={known} />
      {view.view === 'scenarios' || scenario === null ? (
        <ScenariosView run={run} />
      ) : view.view === 'records' ? (
        <RecordsView key={scenario} run={run} scenario={scenario} />
      ) : (
        <FeedbackView run={run} scenario={scenario} />
      )}
    </>
  )
}

function Head(props: { run: string; scenario: string | null; scenarios: readonly string[] }) {
  const { run, scenario, scenarios } = props
  const { view } = useRecordsView(run)
  const { t } = useTranslation('talk')
  const { set } = recordsView.getState()
  return (
    <div className="flex h-11 flex-none items-center gap-2 border-b border-line-1 px-3">
      <Segmented
        label={t('view.label')}
        value={view}
        segments={parts.map((value) => ({ value, label: t(`view.${value}`) }))}
        onChange={(next) => set(run, { view: next })}
        data-testid="records-view"
      />
      {scenario === null || view === 'scenarios' ? null : (
        <ScenarioChoice
          value={scenario}
          scenarios={scenarios}
          onChange={(next) => set(run, { scenario: next, chosen: null })}
        />
      )}
    </div>
  )
}
