import { useQuery } from '@tanstack/react-query'
import { RotateCcw, Save } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WeaverCheckpoint } from '@contract/weaver'
import { formatDuration, formatWhen, useLanguage } from '../../i18n'
import { useNow } from '../../state'
import { Button, IconButton, Panel, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { ActDialog, type WeaverAct } from './act-dialog'
import { checkpointsQuery, renewStale } from './weaver-feed'

/** Checkpoints of one model with what is left of their lives, and the four acts. */
export function CheckpointsPanel(props: {
  model: string
  /** Changes with every export of a run that is followed: what is shown is asked for anew then, not more often than it stays fresh. */
  exported?: number
}) {
  const { model, exported } = props
  const { t } = useTranslation('weaver')
  const query = useQuery(checkpointsQuery(model))
  useEffect(() => renewStale(model), [model, exported])
  const [act, setAct] = useState<WeaverAct | null>(null)
  return (
    <Panel
      className="flex-none"
      title={t('checkpoints')}
      sub={<span className="mono">{model}</span>}
      actions={
        <>
          <IconButton icon={RotateCcw} label={t('refresh')} onClick={() => void query.refetch()} />
          <Button
            size="small"
            icon={Save}
            onClick={() => setAct({ kind: 'save', model })}
            data-testid="weaver-save"
          >
            {t('save')}
          </Button>
        </>
      }
      data-testid="weaver-checkpoints"
    >
      {query.isPending ? (
        <Skeleton className="m-3 h-24" />
      ) : query.isError ? (
        <FailureNote
          className="mx-3 mb-3"
          thrown={query.error}
          retry={() => void query.refetch()}
        />
      ) : query.data.length === 0 ? (
        <p className="t2 px-3 pb-3 text-xs">{t('noCheckpoints')}</p>
      ) : (
        <Rows model={model} rows={query.data} ask={setAct} />
      )}
      {act === null ? null : <ActDialog act={act} close={() => setAct(null)} />}
    </Panel>
  )
}

function Rows(props: {
  model: string
  rows: readonly WeaverCheckpoint[]
  ask: (act: WeaverAct) => void
}) {
  const { model, rows, ask } = props
  const { t } = useTranslation('weaver')
  const language = useLanguage()
  const now = useNow()
  return (
    <table className="tbl">
      <thead>
        <tr>
          <th style={{ paddingLeft: 12 }}>{t('path')}</th>
          <th>{t('type')}</th>
          <th>{t('created')}</th>
          <th>{t('left')}</th>
          <th />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.path} data-testid={`checkpoint-${row.name ?? row.id}`}>
            <td className="mono break-all" style={{ paddingLeft: 12 }}>
              {row.path}
            </td>
            <td className="mono">{row.type}</td>
            <td className="num">
              {row.createdAt === null ? '–' : formatWhen(row.createdAt, now, language)}
            </td>
            <td className="num" data-testid="checkpoint-left">
              <Left expiresAt={row.expiresAt} now={now} />
            </td>
            <td>
              <span className="flex justify-end gap-1">
                <Button
                  size="small"
                  onClick={() =>
                    ask({ kind: 'extend', model, path: row.path, expiresAt: row.expiresAt })
                  }
                >
                  {t('extend')}
                </Button>
                <Button size="small" onClick={() => ask({ kind: 'export', model, path: row.path })}>
                  {t('export')}
                </Button>
                <Button
                  size="small"
                  onClick={() => ask({ kind: 'download', model, path: row.path })}
                >
                  {t('download')}
                </Button>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Left(props: { expiresAt: number | null; now: number }) {
  const { expiresAt, now } = props
  const { t } = useTranslation('weaver')
  const language = useLanguage()
  if (expiresAt === null) return <span>{t('kept')}</span>
  if (expiresAt <= now) return <span className="c-fail">{t('expired')}</span>
  const soon = expiresAt - now < 15 * 60_000
  return <span className={soon ? 'c-warn' : ''}>{formatDuration(expiresAt - now, language)}</span>
}
