import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { FeedbackSummary, ScenarioFacts, TalkRecord } from '@contract/talk'
import { formatCount, formatMoment, useLanguage, useText } from '../../i18n'
import { useToday } from '../../state/clock'
import { Panel, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { RecordTable } from './records-view'
import { feedbackQuery, scenariosQuery } from './talk-feed'

/** Where the feedback of a scenario went: each place it can get stuck, with what is stuck there. */
export function FeedbackView(props: { run: string; scenario: string; ended?: boolean }) {
  const { run, scenario, ended = false } = props
  const query = useQuery(feedbackQuery(run, scenario))
  const scenarios = useQuery({ ...scenariosQuery(run), enabled: !ended })
  const text = useText()
  if (query.isPending) return <Skeleton className="m-3 h-40" />
  if (query.data === undefined) {
    return <FailureNote className="m-3" thrown={query.error} retry={() => void query.refetch()} />
  }
  const summary = query.data
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-auto p-3 text-xs">
      <Counts summary={summary} ended={ended} />
      {ended ? null : <Slips scenarios={scenarios.data ?? []} />}
      <Refused refused={summary.refused} />
      <Stuck name="astray" count={summary.astray.count}>
        {summary.astray.newest.map(({ record, why }) => (
          <div key={record.id} className="flex gap-3 border-t border-line-1 px-3 py-2">
            <span className="mono el w-64 flex-none" title={record.id}>
              {record.id}
            </span>
            <span>{text(why)}</span>
          </div>
        ))}
      </Stuck>
      <StuckRecords run={run} name="unscored" {...summary.unscored} />
      <StuckRecords run={run} name="unreported" {...summary.unreported} />
      <StuckRecords run={run} name="waiting" {...summary.waiting} />
    </div>
  )
}

function Counts(props: { summary: FeedbackSummary; ended: boolean }) {
  const { summary, ended } = props
  const { t } = useTranslation('talk')
  const { have, need } = summary.batch
  const facts: readonly (readonly [string, string])[] = [
    [t('answers'), formatCount(summary.answers)],
    [t('reports'), formatCount(summary.reports)],
    [t('learnt'), formatCount(summary.learnt)],
    [
      t('nextStep'),
      ended
        ? t('nextStepEnded')
        : have === null || need === null
          ? t('nextStepUnknown')
          : t('nextStepOf', { have: formatCount(have), need: formatCount(need) })
    ]
  ]
  return (
    <div className="flex flex-wrap items-baseline gap-x-6 gap-y-1" data-testid="feedback-counts">
      {facts.map(([name, value]) => (
        <span key={name} className="flex gap-2">
          <span className="t2">{name}</span>
          <b className="num font-medium">{value}</b>
        </span>
      ))}
      {summary.complete ? null : <span className="t2">{t('reading')}</span>}
    </div>
  )
}

type StuckName = 'astray' | 'unscored' | 'unreported' | 'waiting' | 'refused' | 'typos'

/** One place where feedback gets stuck; empty ones say so in a line. */
function Stuck(props: { name: StuckName; count: number; children?: ReactNode }) {
  const { name, count } = props
  const { t } = useTranslation('talk')
  return (
    <Panel
      className="flex-none overflow-hidden"
      title={t(name)}
      sub={<span title={t(`${name}Why`)}>{t(`${name}Why`)}</span>}
      actions={<span className="num">{count === 0 ? t('allWell') : formatCount(count)}</span>}
      data-testid={`feedback-${name}`}
    >
      {count === 0 ? null : props.children}
    </Panel>
  )
}

function StuckRecords(props: {
  run: string
  name: StuckName
  count: number
  newest: readonly TalkRecord[]
}) {
  const { t } = useTranslation('talk')
  const { count, newest } = props
  return (
    <Stuck name={props.name} count={count}>
      <RecordTable run={props.run} records={newest} />
      {count > newest.length ? (
        <div className="t2 px-3 py-2">{t('newest', { n: formatCount(newest.length) })}</div>
      ) : null}
    </Stuck>
  )
}

function Refused(props: { refused: FeedbackSummary['refused'] }) {
  const { t } = useTranslation('talk')
  const language = useLanguage()
  const today = useToday()
  return (
    <Stuck name="refused" count={props.refused.count}>
      {props.refused.newest.map(({ at, of, text }, index) => (
        <div key={index} className="flex gap-3 border-t border-line-1 px-3 py-2">
          <span className="num t2 w-[116px] flex-none">
            {at === null ? '–' : formatMoment(at, today, language)}
          </span>
          <span className="w-16 flex-none">{t(`refusedOf.${of}`)}</span>
          <span className="mono min-w-0 break-words" translate="no">
            {text}
          </span>
        </div>
      ))}
    </Stuck>
  )
}

function Slips(props: { scenarios: readonly ScenarioFacts[] }) {
  const { t } = useTranslation('talk')
  const slips = props.scenarios.filter(({ looksLike }) => looksLike !== null)
  return (
    <Stuck name="typos" count={slips.length}>
      {slips.map(({ name, looksLike, answers }) => (
        <div key={name} className="border-t border-line-1 px-3 py-2">
          {t('typo', { name, like: looksLike ?? '', n: formatCount(answers) })}
        </div>
      ))}
    </Stuck>
  )
}
