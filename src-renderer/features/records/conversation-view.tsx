import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Conversation, ReportText, TalkRecord, Turn } from '@contract/talk'
import { formatCount, formatMoment, formatScore, useLanguage } from '../../i18n'
import { useToday } from '../../state/clock'
import { CodeBlock, KeyValues, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { ReleaseLink } from './release-link'
import { conversationQuery } from './talk-feed'

/** One answer: what was asked, what came, its score, who answered and who learnt from it. */
export function ConversationView(props: { run: string; scenario: string; id: string }) {
  const { run, scenario, id } = props
  const query = useQuery(conversationQuery(run, scenario, id))
  if (query.isPending) return <Skeleton className="m-3 h-40" />
  if (query.data === undefined) {
    return <FailureNote className="m-3" thrown={query.error} retry={() => void query.refetch()} />
  }
  return <Told run={run} told={query.data} />
}

function Told(props: { run: string; told: Conversation }) {
  const { run, told } = props
  const { t } = useTranslation(['talk', 'common'])
  return (
    <div className="px-3 pb-4" data-testid="conversation">
      {told.answer === null ? (
        <div className="callout warn mt-3">{t('talk:noAnswerFor')}</div>
      ) : (
        <AnswerFacts run={run} answer={told.answer} />
      )}
      <Talked told={told} />
      <h2>{t('talk:reportsHead')}</h2>
      {told.reports.length === 0 ? <div className="t2">{t('talk:reportsNone')}</div> : null}
      {told.reportsTotal > told.reports.length ? (
        <div className="t2 mb-2">
          {t('talk:reportsNewest', {
            n: formatCount(told.reports.length),
            all: formatCount(told.reportsTotal)
          })}
        </div>
      ) : null}
      {told.reports.map((report) => (
        <OneReport key={report.record.id} run={run} report={report} />
      ))}
      {told.raw === null ? null : (
        <details className="mt-3">
          <summary className="t2 cursor-default">{t('talk:raw')}</summary>
          <div className="mt-1">
            <CodeBlock
              text={told.raw}
              copyLabel={t('common:copy')}
              copiedLabel={t('common:copied')}
            />
          </div>
        </details>
      )}
    </div>
  )
}

function AnswerFacts(props: { run: string; answer: TalkRecord }) {
  const { run, answer } = props
  const { t } = useTranslation('talk')
  const language = useLanguage()
  const today = useToday()
  return (
    <KeyValues
      rows={[
        [t('receipt'), <span className="mono break-all">{answer.id}</span>],
        [
          t('time'),
          answer.createdAt === null ? null : formatMoment(answer.createdAt, today, language)
        ],
        [t('answeredBy'), <ReleaseLink run={run} release={answer.release} />],
        [t('learntBy'), <LearntBy run={run} step={answer.learntBy} />]
      ]}
    />
  )
}

/** The release that learnt from a record, or that none has yet. */
export function LearntBy(props: {
  run: string
  step: number | null
  onOpen?: (() => void) | undefined
}) {
  const { t } = useTranslation('talk')
  if (props.step === null) return <span className="t2">{t('notLearnt')}</span>
  return (
    <span data-testid="learnt-by">
      <ReleaseLink
        run={props.run}
        release={{ releaseId: null, step: props.step }}
        onOpen={props.onOpen}
      />
    </span>
  )
}

function Talked(props: { told: Conversation }) {
  const { answer, turns, reply, raw } = props.told
  const { t } = useTranslation('talk')
  if (answer === null) return null
  const note = raw === null ? t('noContent') : turns === null ? t('otherForm') : null
  return (
    <>
      <h2>{t('conversation')}</h2>
      {note === null ? null : <div className="t2">{note}</div>}
      {turns?.map((turn, at) => (
        <Bubble key={at} role={turn.role} text={turn.text} />
      ))}
      {reply === null ? null : <Bubble role="assistant" text={reply} />}
    </>
  )
}

/** One thing said, as it was said. */
export function Bubble(props: { role: Turn['role']; text: string }) {
  const { t } = useTranslation('talk')
  const names = { user: t('you'), assistant: t('model'), system: 'system' }
  return (
    <div className="mt-1 flex gap-2">
      <span className="t2 w-14 flex-none" translate={props.role === 'system' ? 'no' : undefined}>
        {names[props.role]}
      </span>
      <span className="min-w-0 flex-1 break-words whitespace-pre-wrap" translate="no">
        {props.text}
      </span>
    </div>
  )
}

function OneReport(props: { run: string; report: ReportText }) {
  const { record, words, metadata } = props.report
  const { t } = useTranslation('talk')
  const language = useLanguage()
  const today = useToday()
  return (
    <div className="mb-2 border-b border-line-1 pb-2" data-testid="conversation-report">
      <KeyValues
        rows={[
          [t('score'), record.score === null ? null : formatScore(record.score)],
          [t('words'), words === null ? null : <span translate="no">{words}</span>],
          [
            t('time'),
            record.createdAt === null ? null : formatMoment(record.createdAt, today, language)
          ],
          [t('learntBy'), <LearntBy run={props.run} step={record.learntBy} />],
          [t('id'), <span className="mono break-all">{record.id}</span>]
        ]}
      />
      {metadata === null ? null : <div className="mono t2 break-all">{metadata}</div>}
    </div>
  )
}
