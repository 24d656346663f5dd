import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { runQuery } from '../../api/queries'
import { useRunStream } from '../../api/streams'
import { go, type RunTab } from '../../state'
import { Button, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { SafePanel } from '../shared/safe-panel'
import { RunHeader } from './run-header'
import { TabContent } from './tab-content'
import { useRunCommands } from './use-run-commands'

/** One run: a header that never changes between tabs, and the tab. */
export function RunPage(props: { runId: string; tab: RunTab }) {
  const { runId, tab } = props
  const { t } = useTranslation('run')
  useRunStream(runId)
  const query = useQuery(runQuery(runId))
  useRunCommands(runId, query.data)
  if (query.isPending) {
    return (
      <div className="rh flex h-[124px] flex-col gap-3" aria-busy="true">
        <Skeleton className="h-7 w-80" />
        <Skeleton className="h-5 w-2/3" />
        <Skeleton className="h-5 w-1/2" />
      </div>
    )
  }
  if (query.data === undefined) {
    return (
      <div className="flex flex-col items-start gap-4 p-4">
        <h1 className="text-lg font-semibold">{t('notFoundWhat')}</h1>
        <FailureNote thrown={query.error} retry={() => void query.refetch()} />
        <Button onClick={() => go({ page: 'runs' })}>{t('backToRuns')}</Button>
      </div>
    )
  }
  return (
    <>
      <RunHeader detail={query.data} tab={tab} />
      <div className="flex min-h-0 flex-1 flex-col" role="tabpanel" data-testid={`panel-${tab}`}>
        <SafePanel key={tab}>
          <TabContent detail={query.data} tab={tab} />
        </SafePanel>
      </div>
    </>
  )
}
