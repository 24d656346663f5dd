import { useQuery } from '@tanstack/react-query'
import { MessagesSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { EmptyReason, Segmented, Skeleton } from '../../ui'
import { isActive } from '../runs'
import { failureOf } from '../../api/failures'
import { FailureNote } from '../shared/failure-note'
import { FeedbackView } from './feedback-view'
import { recordsView, useRecordsView, type RecordsPart } from './records-store'
import { RecordsView } from './records-view'
import { ScenarioChoice } from './scenario-choice'
import { ScenariosView } from './scenarios-view'
import { doorwayQuery, keptQuery, useScenarioNames, useScenarioPulse } from './talk-feed'

const parts: readonly RecordsPart[] = ['records', 'feedback', 'scenarios']

/** What was asked and reported, where feedback went, and the scenarios: of the live service, or as an ended run left them. */
export function RecordsTab(props: { detail: RunDetail }) {
  const { summary, address, scenarios, nexrl } = props.detail
  if (nexrl !== undefined) return <Nothing name="driver" />
  if (!isActive(summary.state)) return <Kept key={summary.attempt} run={summary.id} />
  return address === null ? (
    <Nothing name="starting" />
  ) : (
    <Live run={summary.id} names={scenarios} />
  )
}

function Nothing(props: { name: 'off' | 'starting' | 'driver' }) {
  const { t } = useTranslation('talk')
  return (
    <EmptyReason
      className="flex-1"
      icon={MessagesSquare}
      what={t(`${props.name}What`)}
      why={t(`${props.name}Why`)}
      data-testid={`records-${props.name}`}
    />
  )
}

/** Records of a run that has ended, from its files. */
function Kept(props: { run: string }) {
  const { run } = props
  const view = useRecordsView(run)
  const kept = useQuery(keptQuery(run))
  const { t } = useTranslation('talk')
  if (kept.isPending) return <Skeleton className="m-3 h-40" />
  if (kept.data === undefined) {
    return failureOf(kept.error).code === 'not-live' ? (
      <Nothing name="off" />
    ) : (
      <FailureNote className="m-3" thrown={kept.error} retry={() => void kept.refetch()} />
    )
  }
  const { scenarios, folder } = kept.data
  const scenario = chosenOf(view.scenario, scenarios)
  if (scenario === null) return <Nothing name="off" />
  return (
    <>
      <Head run={run} scenario={scenario} scenarios={scenarios} parts={['records', 'feedback']}>
        <span
          className="t2 el ml-auto text-xs"
          title={t('keptFromHint')}
          data-testid="records-kept"
        >
          {t('keptFrom', { folder })}
        </span>
      </Head>
      {view.view === 'feedback' ? (
        <FeedbackView run={run} scenario={scenario} ended />
      ) : (
        <RecordsView key={scenario} run={run} scenario={scenario} />
      )}
    </>
  )
}

function chosenOf(wanted: string | null, known: readonly string[]): string | null {
  return wanted !== null && known.includes(wanted) ? wanted : (known[0] ?? null)
}

function Live(props: { run: string; names: readonly string[] }) {
  const { run, names } = props
  const view = useRecordsView(run)
  const door = useQuery(doorwayQuery(run))
  const known = door.data?.scenarios ?? []
  const scenario = chosenOf(view.scenario, known)
  useScenarioPulse(run, scenario)
  useScenarioNames(run, names)
  if (door.isPending) return <Skeleton className="m-3 h-40" />
  if (door.data === undefined) {
    return <FailureNote className="m-3" thrown={door.error} retry={() => void door.refetch()} />
  }
  return (
    <>
      <Head run={run} scenario={scenario} scenarios={known} parts={parts} />
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

function Head(props: {
  run: string
  scenario: string | null
  scenarios: readonly string[]
  parts: readonly RecordsPart[]
  children?: ReactNode
}) {
  const { run, scenario, scenarios, parts } = props
  const { view } = useRecordsView(run)
  const { t } = useTranslation('talk')
  const { set } = recordsView.getState()
  return (
    <div className="flex h-11 flex-none items-center gap-2 border-b border-line-1 px-3">
      <Segmented
        label={t('view.label')}
        value={parts.includes(view) ? view : 'records'}
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
      {props.children}
    </div>
  )
}
