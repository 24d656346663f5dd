import { useQuery } from '@tanstack/react-query'
import { ClipboardCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { savedPreflightQuery } from '../../api/queries'
import { EmptyReason, Skeleton } from '../../ui'
import { PreflightReportView, ReportSummary } from '../preflight'
import { FailureNote } from '../shared/failure-note'

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
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto px-4 py-3 text-xs">
      <h2 className="text-base font-semibold">{t('preflightHead')}</h2>
      <ReportSummary report={report.data} />
      <PreflightReportView report={report.data} />
    </div>
  )
}
