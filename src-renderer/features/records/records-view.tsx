import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ListChecks, Search } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { TalkRecord } from '@contract/talk'
import { formatCount, formatMoment, formatScore, useLanguage } from '../../i18n'
import { useToday } from '../../state/clock'
import { Button, EmptyReason, Field, Segmented, Skeleton } from '../../ui'
import { useInView } from '../curves/use-in-view'
import { FailureNote } from '../shared/failure-note'
import { ConversationView } from './conversation-view'
import { ReleaseLink } from './release-link'
import { recordsView, useRecordsView } from './records-store'
import { firstWordsQuery, recordsQuery, type RecordKind } from './talk-feed'

/** Answers and reports newest first, searchable, with the chosen one read beside them. */
export function RecordsView(props: { run: string; scenario: string }) {
  const { run, scenario } = props
  const { chosen } = useRecordsView(run)
  const { t } = useTranslation('talk')
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <Filter run={run} />
        <Rows run={run} scenario={scenario} />
      </div>
      <aside className="side right w-[360px] flex-none" data-testid="record-inspector">
        {chosen === null ? (
          <EmptyReason
            className="h-full"
            icon={ListChecks}
            what={t('pickWhat')}
            why={t('pickWhy')}
          />
        ) : (
          <ConversationView run={run} scenario={scenario} id={chosen} />
        )}
      </aside>
    </div>
  )
}

function Filter(props: { run: string }) {
  const { kind, text } = useRecordsView(props.run)
  const { t } = useTranslation('talk')
  const kinds: readonly RecordKind[] = ['all', 'inference', 'report']
  return (
    <div className="flex h-11 flex-none items-center gap-2 px-3">
      <Segmented
        label={t('kind.label')}
        value={kind}
        segments={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
        onChange={(next) => recordsView.getState().set(props.run, { kind: next })}
        data-testid="records-kind"
      />
      <Field
        className="w-80"
        icon={Search}
        label={t('search')}
        placeholder={t('search')}
        value={text}
        onChange={(next) => recordsView.getState().set(props.run, { text: next })}
        data-testid="records-search"
      />
    </div>
  )
}

function Rows(props: { run: string; scenario: string }) {
  const { run, scenario } = props
  const { kind, text } = useRecordsView(run)
  const { t } = useTranslation('talk')
  const query = useInfiniteQuery(recordsQuery(run, scenario, kind, text.trim()))
  if (query.isPending) return <Skeleton className="m-3 h-40" />
  if (query.data === undefined) {
    return <FailureNote className="m-3" thrown={query.error} retry={() => void query.refetch()} />
  }
  const { pages } = query.data
  const records = pages.flatMap((page) => page.records)
  const older = query.hasNextPage ? (
    <Button
      size="small"
      off={query.isFetchingNextPage ? '' : undefined}
      onClick={() => void query.fetchNextPage()}
      data-testid="records-older"
    >
      {text === '' ? t('older') : t('searchOlder')}
    </Button>
  ) : null
  if (records.length === 0) {
    const looked = pages.reduce((sum, page) => sum + page.scanned, 0)
    const empty = (pages[0]?.total ?? 0) === 0
    return (
      <EmptyReason
        className="flex-1"
        what={empty ? t('noneWhat') : t('noMatchWhat')}
        why={empty ? t('noneWhy') : t('noMatchWhy', { n: formatCount(looked) })}
        action={older ?? undefined}
      />
    )
  }
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <RecordTable run={run} records={records} scenario={scenario} />
      <div className="t2 flex items-center gap-3 px-3 py-2 text-xs">
        <span className="num">
          {t('ofAll', {
            shown: formatCount(records.length),
            total: formatCount(pages[0]?.total ?? 0)
          })}
        </span>
        {older}
        {pages[0]?.complete === false ? <span>{t('reading')}</span> : null}
      </div>
    </div>
  )
}

/** Rows of records; a click chooses one. With their scenario they say how each begins. */
export function RecordTable(props: {
  run: string
  records: readonly TalkRecord[]
  scenario?: string
}) {
  const { scenario } = props
  const { t } = useTranslation('talk')
  return (
    <table className="tbl table-fixed" data-testid="records-table">
      <thead>
        <tr>
          <th className="w-[120px]" style={{ paddingLeft: 12 }}>
            {t('time')}
          </th>
          <th className="w-[80px]">{t('type')}</th>
          {scenario === undefined ? null : <th>{t('begins')}</th>}
          <th className={scenario === undefined ? undefined : 'w-[120px]'}>{t('id')}</th>
          <th className="r w-[72px]">{t('score')}</th>
          <th className="w-[96px]">{t('release')}</th>
          <th className="w-[120px]">{t('learntBy')}</th>
        </tr>
      </thead>
      <tbody>
        {props.records.map((record) => (
          <RecordRow key={record.id} run={props.run} record={record} scenario={scenario ?? null} />
        ))}
      </tbody>
    </table>
  )
}

/** How a record begins. Each is a request to the service: only rows in sight ask. */
function FirstWords(props: { run: string; scenario: string; id: string }) {
  const { ref, inView } = useInView()
  const words = useQuery({
    ...firstWordsQuery(props.run, props.scenario, props.id),
    enabled: inView
  }).data?.words
  return (
    <div ref={ref} className="el" title={words ?? undefined} translate="no">
      {words ?? ''}
    </div>
  )
}

function RecordRow(props: { run: string; record: TalkRecord; scenario: string | null }) {
  const { run, record } = props
  const { chosen } = useRecordsView(run)
  const { t } = useTranslation('talk')
  const language = useLanguage()
  const today = useToday()
  const choose = (): void => recordsView.getState().set(run, { chosen: record.id, view: 'records' })
  const kinds: Record<string, string> = { inference: t('typeAnswer'), report: t('typeReport') }
  return (
    <tr
      aria-selected={chosen === record.id}
      tabIndex={0}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key === 'Enter') choose()
      }}
      data-testid={`record-${record.id}`}
    >
      <td className="num t2 el" style={{ paddingLeft: 12 }}>
        {record.createdAt === null ? '–' : formatMoment(record.createdAt, today, language)}
      </td>
      <td>{kinds[record.type] ?? <span translate="no">{record.type}</span>}</td>
      {props.scenario === null ? null : (
        <td>
          <FirstWords run={run} scenario={props.scenario} id={record.id} />
        </td>
      )}
      <td className="mono el" title={record.id}>
        {record.id}
      </td>
      <td className="r">{record.score === null ? '' : formatScore(record.score)}</td>
      <td className="el">
        <ReleaseLink run={run} release={record.release} />
      </td>
      <td>
        {record.learntBy === null ? null : (
          <ReleaseLink run={run} release={{ releaseId: null, step: record.learntBy }} />
        )}
      </td>
    </tr>
  )
}
