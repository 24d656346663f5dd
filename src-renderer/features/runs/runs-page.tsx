import { useQuery } from '@tanstack/react-query'
import { FileChartLine, FilterIcon, Folder, Import, Plus } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunList } from '@contract/run'
import { runsQuery } from '../../api/queries'
import { formatCount } from '../../i18n'
import { go, runsView } from '../../state'
import { Button, EmptyReason, Field, Menu, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { DropZone } from './drop-zone'
import { readFilter } from './filter'
import { FirstRun } from './first-run'
import { inView, rowsOf } from './rows'
import { RunsTable } from './runs-table'
import { RunsSide } from './runs-side'
import { SelectionBar } from './selection-bar'
import { useImport, useImportCommands } from './use-import'
import { useListCommands } from './use-list-commands'

/** Every run there is, or, before the first one, the way to it. */
export function RunsPage() {
  const query = useQuery(runsQuery)
  useImportCommands()
  if (query.isPending) return <Loading />
  if (query.isError) {
    return <FailureNote className="m-4" thrown={query.error} retry={() => void query.refetch()} />
  }
  const list = query.data
  const first = list.runs.length === 0 && list.damaged.length === 0
  return <DropZone>{first ? <FirstRun /> : <Listing list={list} />}</DropZone>
}

function Loading() {
  return (
    <div className="flex flex-col gap-4 p-4" aria-busy="true">
      {[0, 1, 2, 3, 4, 5].map((i) => (
        <Skeleton key={i} className="h-7" />
      ))}
    </div>
  )
}

function Listing(props: { list: RunList }) {
  const { list } = props
  const { t } = useTranslation('runs')
  const view = runsView((store) => store.view)
  const filterText = runsView((store) => store.filter)
  const folded = runsView((store) => store.folded)
  const setFilter = runsView((store) => store.setFilter)
  const input = useRef<HTMLInputElement>(null)
  const filter = useMemo(() => readFilter(filterText), [filterText])
  const rows = useMemo(
    () => rowsOf(list, view, filter.kind === 'ok' ? filter.matches : () => true, folded),
    [list, view, filter, folded]
  )
  useListCommands(rows, input)
  const there = list.runs.filter((run) => inView(run, view))
  const matching = filter.kind === 'ok' ? there.filter(filter.matches).length : there.length
  const filtered = filterText.trim() !== ''
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[184px_minmax(0,1fr)]">
      <RunsSide runs={list.runs} />
      <div className="relative flex min-h-0 min-w-0 flex-col">
        <div className="flex h-12 flex-none items-center gap-2 px-4">
          <h1 className="text-lg font-semibold">{t('title')}</h1>
          <span className="t2 num mt-0.5">
            {t('shown', { shown: formatCount(matching), all: formatCount(list.runs.length) })}
          </span>
          <ImportMenu />
          <Button
            variant="primary"
            icon={Plus}
            keys="N"
            onClick={() => go({ page: 'new' })}
            data-testid="new-run"
          >
            {t('newRun')}
          </Button>
        </div>
        <Field
          className="flex-none px-4 pb-3"
          size="tall"
          mono
          icon={FilterIcon}
          label={t('filter')}
          placeholder={t('filterHint')}
          value={filterText}
          onChange={setFilter}
          inputRef={input}
          keys="/"
          note={filtered ? t('matches', { count: matching, n: formatCount(matching) }) : undefined}
          error={filter.kind === 'bad-field' ? t('badWord', { word: filter.word }) : undefined}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' && event.key !== 'Enter') return
            event.preventDefault()
            event.stopPropagation()
            if (event.key === 'Escape') setFilter('')
            event.currentTarget.blur()
          }}
          data-testid="runs-filter"
        />
        {rows.length === 0 ? (
          <NothingShown filtered={filtered} hidden={there.length} filter={filterText} />
        ) : (
          <RunsTable rows={rows} />
        )}
        <SelectionBar runs={list.runs} />
      </div>
    </div>
  )
}

/** Records of other tools: their files, or a folder of them. */
function ImportMenu() {
  const { t } = useTranslation('runs')
  const { mutate, isPending } = useImport()
  return (
    <Menu
      align="end"
      width={320}
      trigger={
        <Button
          className="ml-auto"
          icon={Import}
          off={isPending ? t('importing') : undefined}
          data-testid="import-runs"
        >
          {isPending ? t('importing') : t('import')}
        </Button>
      }
      entries={[
        {
          kind: 'item',
          id: 'import-file',
          label: t('importFile'),
          icon: FileChartLine,
          run: () => mutate('file')
        },
        {
          kind: 'item',
          id: 'import-folder',
          label: t('importFolder'),
          icon: Folder,
          run: () => mutate('folder')
        }
      ]}
    />
  )
}

function NothingShown(props: { filtered: boolean; hidden: number; filter: string }) {
  const { t } = useTranslation('runs')
  const { setFilter, setView } = runsView.getState()
  if (props.filtered && props.hidden > 0) {
    return (
      <EmptyReason
        className="flex-1"
        what={t('noMatchWhat')}
        why={t('noMatchWhy', { n: formatCount(props.hidden), filter: props.filter })}
        action={<Button onClick={() => setFilter('')}>{t('clearFilter')}</Button>}
      />
    )
  }
  return (
    <EmptyReason
      className="flex-1"
      what={t('noneHereWhat')}
      why={t('noneHereWhy')}
      action={<Button onClick={() => setView({ kind: 'all' })}>{t('showAll')}</Button>}
    />
  )
}
