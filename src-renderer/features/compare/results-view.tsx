import type { ResultRow, ResultTable, SideComparison } from '@contract/compare'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FileUp, Undo2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { engine, resultsQuery } from '../../api'
import { formatCount, formatValue } from '../../charts'
import { formatWhen, useLanguage } from '../../i18n'
import { useNow } from '../../state/clock'
import { Button, Dialog, EmptyReason, IconButton, Panel, Skeleton, TextArea } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { ResultChart } from './result-chart'
import { Against, Heads } from './sides-table'

/** Results made outside the stack: attached as a table, drawn over the releases, compared with their intervals. */
export function ResultsView(props: { run: string; comparison: SideComparison | null }) {
  const { t } = useTranslation('compare')
  const tables = useQuery(resultsQuery(props.run))
  if (tables.isError)
    return <FailureNote className="m-3" thrown={tables.error} retry={() => void tables.refetch()} />
  if (tables.data === undefined) return <Skeleton className="m-3 h-40" />
  const rows = tables.data.flatMap((table) => table.rows)
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-3" data-testid="results">
      {rows.length === 0 ? (
        <EmptyReason what={t('results.emptyWhat')} why={t('results.emptyWhy')} />
      ) : (
        <ResultCharts run={props.run} rows={rows} />
      )}
      {props.comparison === null || props.comparison.results.length === 0 ? null : (
        <Compared comparison={props.comparison} />
      )}
      <Attach run={props.run} />
      {tables.data.length === 0 ? null : <Attached tables={tables.data} />}
    </div>
  )
}

/** One chart a task; what is not tied to a release or step is only in the table. */
function ResultCharts(props: { run: string; rows: readonly ResultRow[] }) {
  const tasks = [...new Set(props.rows.map(({ task }) => task))]
  return (
    <div className="grid flex-none grid-cols-[repeat(auto-fill,minmax(360px,1fr))] gap-2">
      {tasks.map((task) => (
        <TaskPanel
          key={task}
          run={props.run}
          task={task}
          rows={props.rows.filter((row) => row.task === task)}
        />
      ))}
    </div>
  )
}

function TaskPanel(props: { run: string; task: string; rows: readonly ResultRow[] }) {
  const { run, task, rows } = props
  const { t } = useTranslation('compare')
  const [asking, setAsking] = useState(false)
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => engine.compare.removeResults({ run, task }),
    onSuccess: () => resultsChanged(client, run)
  })
  const close = (): void => {
    setAsking(false)
    remove.reset()
  }
  return (
    <Panel
      title={
        <span className="mono" translate="no">
          {task}
        </span>
      }
      actions={
        <IconButton
          size="small"
          variant="ghost"
          icon={Undo2}
          label={t('results.remove', { task })}
          onClick={() => setAsking(true)}
          data-testid={`results-remove-${task}`}
        />
      }
    >
      <ResultChart rows={rows} task={task} />
      <Dialog
        open={asking}
        onClose={close}
        title={t('results.removeTitle', { task })}
        description={t('results.removeWhat', { count: rows.length })}
        onConfirm={() => remove.mutate()}
        footer={
          <>
            <Button onClick={close}>{t('saved.cancel')}</Button>
            <Button
              variant="primary"
              onClick={() => remove.mutate()}
              data-testid="results-remove-confirm"
            >
              {t('results.removeAct')}
            </Button>
          </>
        }
        data-testid="results-remove-dialog"
      >
        {remove.isError ? <FailureNote thrown={remove.error} /> : null}
      </Dialog>
    </Panel>
  )
}

/** What is drawn of a run's results, and what was compared with them, is read again. */
async function resultsChanged(client: QueryClient, run: string): Promise<void> {
  await client.invalidateQueries({ queryKey: ['compare-sides'] })
  await client.invalidateQueries({ queryKey: resultsQuery(run).queryKey })
}

function Compared(props: { comparison: SideComparison }) {
  const { t } = useTranslation('compare')
  const { comparison } = props
  return (
    <Panel className="flex-none" title={t('results.compared')} sub={t('results.comparedSub')}>
      <table className="compare-table" data-testid="results-compared">
        <Heads first={t('results.task')} comparison={comparison} />
        <tbody>
          {comparison.results.map(({ task, cells, against }) => (
            <tr key={task}>
              <td className="mono">{task}</td>
              {cells.map((cell, index) => (
                <td key={comparison.sides[index]?.label} className="r">
                  {typeof cell?.score === 'number' ? formatValue(cell.score) : '–'}{' '}
                  <Against difference={against[index] ?? null} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function Attach(props: { run: string }) {
  const { t } = useTranslation('compare')
  const [text, setText] = useState('')
  const file = useRef<HTMLInputElement>(null)
  const client = useQueryClient()
  const attach = useMutation({
    mutationFn: (table: { source: string; text: string }) =>
      engine.compare.attachResults({ run: props.run, ...table }),
    onSuccess: () => {
      setText('')
      void resultsChanged(client, props.run)
    }
  })
  const read = async (chosen: File): Promise<void> => {
    attach.mutate({ source: chosen.name, text: await chosen.text() })
  }
  return (
    <Panel className="flex-none" title={t('results.attach')} sub={t('results.attachSub')}>
      <div className="flex flex-col gap-2 p-3 pt-0">
        <TextArea
          value={text}
          onChange={setText}
          label={t('results.paste')}
          placeholder={'release,task,n,correct\n12,math500,500,214'}
          rows={4}
          mono
          data-testid="results-text"
        />
        <div className="flex items-center gap-2">
          <Button
            variant="primary"
            off={text.trim() === '' ? t('results.nothing') : false}
            onClick={() => attach.mutate({ source: t('results.pasted'), text })}
            data-testid="results-attach"
          >
            {t('results.attachPasted')}
          </Button>
          <Button icon={FileUp} onClick={() => file.current?.click()}>
            {t('results.file')}
          </Button>
          <input
            ref={file}
            type="file"
            hidden
            accept=".csv,.tsv,.json,.txt"
            aria-label={t('results.file')}
            onChange={(event) => {
              const chosen = event.target.files?.[0]
              event.target.value = ''
              if (chosen !== undefined) void read(chosen)
            }}
          />
          <span className="t2 mono text-xs">slipway score {props.run} FILE</span>
        </div>
        {attach.isError ? <FailureNote thrown={attach.error} /> : null}
      </div>
    </Panel>
  )
}

function Attached(props: { tables: readonly ResultTable[] }) {
  const { t } = useTranslation('compare')
  const language = useLanguage()
  const now = useNow()
  return (
    <Panel className="flex-none" title={t('results.tables')}>
      <table className="compare-table">
        <tbody>
          {[...props.tables].reverse().map((table) => (
            <tr key={table.id}>
              <td className="mono">{table.source}</td>
              <td className="t2">{formatWhen(table.attachedAt, now, language)}</td>
              <td className="r t2">{t('results.rows', { count: table.rows.length })}</td>
              <td className="r t2">
                n {formatCount(table.rows.reduce((sum, row) => sum + (row.n ?? 0), 0))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
