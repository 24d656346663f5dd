import type { Checkpoint, CheckpointCatalogue, CheckpointCheck } from '@contract/checkpoints'
import type { Release } from '@contract/releases'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Check, FileCheck, FolderOpen, Pin, PinOff, Share, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { engine, queryClient } from '../../api'
import { formatValue } from '../../charts'
import { formatBytes, formatWhen, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state/clock'
import { Banner, EmptyReason, IconButton, InlineState, Skeleton, Tag } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { nameOf } from './release-model'

/** Milliseconds between two looks at the folders. */
const LOOK_EVERY = 15_000

const checkpointsQuery = (run: string) =>
  queryOptions({
    queryKey: ['checkpoints', run],
    queryFn: ({ signal }) => engine.checkpoints.list({ run }, { signal }),
    refetchInterval: LOOK_EVERY
  })

/** Every saved checkpoint of a run: what it holds, what will become of it, and what can be done with it. */
export function CheckpointsView(props: { run: string; releases: readonly Release[] }) {
  const { t } = useTranslation('releases')
  const query = useQuery(checkpointsQuery(props.run))
  if (query.isError)
    return <FailureNote className="m-3" thrown={query.error} retry={() => void query.refetch()} />
  if (query.data === undefined) return <Skeleton className="m-3 h-64" />
  if (query.data.checkpoints.length === 0)
    return <EmptyReason className="flex-1" what={t('saved.emptyWhat')} why={t('saved.emptyWhy')} />
  return <Loaded {...props} catalogue={query.data} />
}

function Loaded(props: {
  run: string
  releases: readonly Release[]
  catalogue: CheckpointCatalogue
}) {
  const { t } = useTranslation('releases')
  const { catalogue } = props
  const byPath = new Map(
    [...props.releases]
      .reverse()
      .flatMap((release) =>
        release.checkpoint === null ? [] : [[release.checkpoint, release.step] as const]
      )
  )
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="checkpoints">
      {catalogue.strays.length === 0 ? null : (
        <Banner tone="warn">{t('saved.strays', { files: catalogue.strays.join(', ') })}</Banner>
      )}
      <Restart catalogue={catalogue} />
      <div className="min-h-0 flex-1 overflow-auto">
        <table className="checkpoint-table">
          <thead>
            <tr>
              <th>{t('saved.rollout')}</th>
              <th>{t('column.release')}</th>
              <th>{t('saved.parts')}</th>
              <th className="r">{t('saved.size')}</th>
              <th className="r">{t('saved.reward')}</th>
              <th>{t('saved.fate')}</th>
              <th className="r">{t('column.recorded')}</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {catalogue.checkpoints.map((checkpoint) => (
              <Row
                key={checkpoint.rolloutId}
                run={props.run}
                checkpoint={checkpoint}
                release={byPath.get(checkpoint.export?.path ?? '') ?? null}
              />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** Whether the newest one can be started from where it lies. */
function Restart(props: { catalogue: CheckpointCatalogue }) {
  const { t } = useTranslation('releases')
  const text = useText()
  const { restart, bytes, checkpoints } = props.catalogue
  return (
    <div className="flex flex-none flex-wrap items-center gap-3 px-3 pb-2 text-xs">
      <span className="t2">
        {t('saved.sum', {
          count: checkpoints.length,
          size: formatBytes(bytes)
        })}
      </span>
      {restart.kind === 'offered' ? (
        <InlineState look={{ tone: 'ready', icon: Check }}>
          {t('saved.restart', { rollout: restart.rolloutId })}
        </InlineState>
      ) : (
        <span className="t2">
          {t('saved.noRestart')} {text(restart.why)}
        </span>
      )}
    </div>
  )
}

function Row(props: { run: string; checkpoint: Checkpoint; release: number | null }) {
  const { t } = useTranslation('releases')
  const text = useText()
  const language = useLanguage()
  const now = useNow()
  const { run, checkpoint, release } = props
  const { rolloutId } = checkpoint
  const verify = useMutation({
    mutationFn: () => engine.checkpoints.verify({ run, rolloutId })
  })
  const parts = [checkpoint.export, checkpoint.trainer, checkpoint.critic]
  const { kept } = checkpoint
  const readable = checkpoint.export ?? kept
  const bytes = parts.reduce((sum, part) => sum + (part?.bytes ?? 0), 0)
  const modified = Math.max(...parts.map((part) => part?.modified ?? 0))
  return (
    <tr data-testid={`checkpoint-${rolloutId}`}>
      <td className="mono">{rolloutId}</td>
      <td className="mono">{release === null ? '–' : nameOf(release)}</td>
      <td>
        <span className="flex gap-1">
          {checkpoint.export === null ? null : <Tag>{t('saved.export')}</Tag>}
          {checkpoint.trainer === null ? null : <Tag>{t('saved.trainer')}</Tag>}
          {checkpoint.critic === null ? null : <Tag>critic</Tag>}
          {kept === null ? null : (
            <span title={kept.path}>
              <InlineState look={{ tone: 'ready', icon: Pin }}>{t('saved.kept')}</InlineState>
            </span>
          )}
          {checkpoint.trainerWhole === false ? (
            <InlineState look={{ tone: 'warn', icon: TriangleAlert }}>
              {t('saved.cutOff')}
            </InlineState>
          ) : null}
        </span>
      </td>
      <td className="r">{formatBytes(bytes)}</td>
      <td className="r">{checkpoint.reward === null ? '–' : formatValue(checkpoint.reward)}</td>
      <td className="fate t2">{text(checkpoint.fateWhy)}</td>
      <td className="r t2">{modified === 0 ? '–' : formatWhen(modified, now, language)}</td>
      <td>
        <span className="flex items-center justify-end gap-1">
          <Verified state={verify.data ?? null} failed={verify.error} />
          <KeepButton run={run} rolloutId={rolloutId} kept={kept !== null} />
          {readable === null ? null : (
            <>
              <IconButton
                icon={FileCheck}
                label={t('saved.verify')}
                onClick={() => verify.mutate()}
                data-testid={`verify-${rolloutId}`}
              />
              <ExportButton run={run} rolloutId={rolloutId} />
              <RevealButton path={readable.path} />
            </>
          )}
        </span>
      </td>
    </tr>
  )
}

function Verified(props: { state: CheckpointCheck | null; failed: unknown }) {
  const { t } = useTranslation('releases')
  const text = useText()
  if (props.failed !== null) return <FailureNote thrown={props.failed} />
  if (props.state === null) return null
  const { problems, tensors, shards } = props.state
  const first = problems[0]
  return first === undefined ? (
    <InlineState look={{ tone: 'ready', icon: Check }}>
      {t('saved.whole', { tensors, shards })}
    </InlineState>
  ) : (
    <span title={problems.map(({ file, why }) => `${file}: ${text(why)}`).join('\n')}>
      <InlineState look={{ tone: 'fail', icon: TriangleAlert }}>{text(first.why)}</InlineState>
    </span>
  )
}

/** Keeps a checkpoint whatever the stack cleans up, or ends that. */
function KeepButton(props: { run: string; rolloutId: number; kept: boolean }) {
  const { t } = useTranslation('releases')
  const { run, rolloutId, kept } = props
  const work = useMutation({
    mutationFn: async () => {
      if (kept) await engine.checkpoints.letGo({ run, rolloutId })
      else await engine.checkpoints.keep({ run, rolloutId })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: checkpointsQuery(run).queryKey })
  })
  return (
    <>
      {work.isError ? <FailureNote thrown={work.error} /> : null}
      <IconButton
        icon={kept ? PinOff : Pin}
        label={t(kept ? 'saved.letGo' : 'saved.keep')}
        onClick={() => work.mutate()}
        data-testid={`keep-${rolloutId}`}
      />
    </>
  )
}

function ExportButton(props: { run: string; rolloutId: number }) {
  const { t } = useTranslation('releases')
  const work = useMutation({
    mutationFn: async () => {
      const suggested = `checkpoint-${props.rolloutId}`
      const { path } = await engine.host.pick({ what: 'save', suggested })
      return path === null ? null : engine.checkpoints.export({ ...props, to: path })
    }
  })
  return (
    <>
      {work.isError ? <FailureNote thrown={work.error} /> : null}
      {work.data === undefined || work.data === null ? null : (
        <InlineState look={{ tone: 'ready', icon: Check }}>
          {work.data.adapter ? t('saved.exportedAdapter') : t('saved.exported')}
        </InlineState>
      )}
      <IconButton icon={Share} label={t('saved.exportTo')} onClick={() => work.mutate()} />
    </>
  )
}

function RevealButton(props: { path: string }) {
  const { t } = useTranslation('releases')
  const reveal = useMutation({ mutationFn: () => engine.host.reveal({ path: props.path }) })
  return <IconButton icon={FolderOpen} label={t('reveal')} onClick={() => reveal.mutate()} />
}
