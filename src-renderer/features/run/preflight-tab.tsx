import { useQuery } from '@tanstack/react-query'
import {
  Check,
  CircleQuestionMark,
  CircleSlash,
  ClipboardCheck,
  TriangleAlert,
  X
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Check as PreflightCheck, PreflightReport, Verdict } from '@contract/preflight'
import { savedPreflightQuery } from '../../api/queries'
import { formatDuration, useLanguage, useText } from '../../i18n'
import { CodeBlock, EmptyReason, InlineState, Skeleton, type StateLook } from '../../ui'
import { FailureNote } from '../shared/failure-note'

const looks: Record<Verdict, StateLook> = {
  fail: { tone: 'fail', icon: X },
  warn: { tone: 'warn', icon: TriangleAlert },
  unknown: { tone: 'idle', icon: CircleQuestionMark },
  pass: { tone: 'ready', icon: Check },
  skip: { tone: 'idle', icon: CircleSlash }
}

const order: readonly Verdict[] = ['fail', 'warn', 'unknown', 'pass', 'skip']

/** The preflight report the run was launched with. */
export function PreflightTab(props: { runId: string }) {
  const { t } = useTranslation('run')
  const report = useQuery(savedPreflightQuery(props.runId))
  if (report.isPending) return <Skeleton className="m-4 h-40" />
  if (report.isError) {
    return <FailureNote className="m-4" thrown={report.error} retry={() => void report.refetch()} />
  }
  if (report.data === null) {
    return (
      <EmptyReason
        className="flex-1"
        icon={ClipboardCheck}
        what={t('preflightNoneWhat')}
        why={t('preflightNoneWhy')}
      />
    )
  }
  return <Report report={report.data} />
}

function Report(props: { report: PreflightReport }) {
  const { checks, took } = props.report
  const { t } = useTranslation('run')
  const language = useLanguage()
  return (
    <div className="min-h-0 flex-1 overflow-auto px-4 py-3 text-xs">
      <div className="mb-2 flex items-baseline gap-2">
        <h2 className="text-base font-semibold">{t('preflightHead')}</h2>
        <span className="t2">
          {t('preflightSub', {
            count: checks.length,
            n: checks.length,
            time: took < 1000 ? `${Math.round(took)} ms` : formatDuration(took, language)
          })}
        </span>
      </div>
      {order.map((verdict) => (
        <Group
          key={verdict}
          verdict={verdict}
          checks={checks.filter((check) => check.verdict === verdict)}
        />
      ))}
    </div>
  )
}

function Group(props: { verdict: Verdict; checks: readonly PreflightCheck[] }) {
  const { t } = useTranslation('run')
  if (props.checks.length === 0) return null
  return (
    <section className="mb-4">
      <div className="mb-1 flex items-center gap-2">
        <InlineState look={looks[props.verdict]}>{t(`verdicts.${props.verdict}`)}</InlineState>
        <span className="cnt">{props.checks.length}</span>
      </div>
      <div className="panel">
        {props.checks.map((check) => (
          <CheckRow key={check.id} check={check} />
        ))}
      </div>
    </section>
  )
}

function CheckRow(props: { check: PreflightCheck }) {
  const { check } = props
  const { t } = useTranslation('common')
  const text = useText()
  return (
    <div className="border-t border-line-1 px-3 py-2 first:border-t-0">
      <div className="flex items-baseline gap-3">
        <span className="font-medium">{text(check.title)}</span>
        <span className="t2 num min-w-0 flex-1">{text(check.evidence)}</span>
        <span className="mono t2">{check.id}</span>
      </div>
      {check.why === undefined ? null : <div className="t2 mt-1">{text(check.why)}</div>}
      {check.remedy === undefined ? null : <div className="mt-1">{text(check.remedy)}</div>}
      {check.command === undefined ? null : (
        <div className="mt-2">
          <CodeBlock text={check.command} copyLabel={t('copy')} copiedLabel={t('copied')} />
        </div>
      )}
    </div>
  )
}
