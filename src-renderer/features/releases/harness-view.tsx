import type { HarnessFile, HarnessRelease, HarnessVerdict } from '@contract/release-detail'
import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatValue } from '../../charts'
import { formatBytes, useText } from '../../i18n'
import { Button, Dialog, InlineState, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { harnessDiffQuery } from './chain-feed'
import { nameOf } from './release-model'

const UNCHANGED_SHOWN = 4

export type HarnessViewProps = {
  readonly run: string
  readonly scenario: string | null
  readonly step: number
  readonly harness: HarnessRelease
}

/** A harness release: how it was judged, who asked for it, what it needs, and its files with what changed in them. */
export function HarnessView(props: HarnessViewProps) {
  const { t } = useTranslation('releases')
  const { verdict, request, proposal, mutations, notes, setup } = props.harness
  return (
    <div data-testid="release-harness">
      {verdict === null ? null : <Verdict verdict={verdict} />}
      {request === null ? null : (
        <Part title={t('harness.request')}>
          <p className="whitespace-pre-wrap">{request.text}</p>
          {request.client === null ? null : <p className="t2">{request.client}</p>}
        </Part>
      )}
      {proposal === null && mutations.length === 0 && notes.length === 0 ? null : (
        <Part title={t('harness.proposal')}>
          {proposal?.reason === null || proposal === null ? null : <p>{proposal.reason}</p>}
          {mutations.map(({ op, id }) => (
            <div key={`${op} ${id ?? ''}`} className="mono el">
              {id === null ? op : `${op} ${id}`}
            </div>
          ))}
          {notes.map(({ name, text }) => (
            <p key={name} className="whitespace-pre-wrap">
              <span className="t2">{name}:</span> {text}
            </p>
          ))}
        </Part>
      )}
      {setup.length === 0 ? null : (
        <Part title={t('harness.setup')}>
          {setup.map(({ name, kind, check }) => (
            <div key={name} className="flex h-6 items-center gap-2">
              <span className="mono">{name}</span>
              <span className="t2">{kind}</span>
              <span className="mono t2 el ml-auto">{check}</span>
            </div>
          ))}
        </Part>
      )}
      <Files {...props} />
    </div>
  )
}

function Part(props: { title: string; note?: string; children: ReactNode }) {
  return (
    <section>
      <h2>
        {props.title}{' '}
        {props.note === undefined ? null : <span className="t2 font-normal">{props.note}</span>}
      </h2>
      {props.children}
    </section>
  )
}

function Verdict({ verdict }: { verdict: HarnessVerdict }) {
  const { t } = useTranslation('releases')
  const { selected, reason, policy, wins, losses, ties, candidate, current, interval } = verdict
  const counted = wins !== null || losses !== null || ties !== null
  const facts = [
    counted ? t('harness.count', { wins: wins ?? 0, losses: losses ?? 0, ties: ties ?? 0 }) : null,
    candidate === null || current === null
      ? null
      : t('harness.scores', { candidate: formatValue(candidate), current: formatValue(current) }),
    interval === null
      ? null
      : t('harness.interval', { low: formatValue(interval[0]), high: formatValue(interval[1]) })
  ].filter((fact) => fact !== null)
  return (
    <Part title={t('harness.verdict')} {...(policy === null ? {} : { note: policy })}>
      {selected === null ? null : (
        <InlineState look={selected ? { tone: 'ready', icon: Check } : { tone: 'fail', icon: X }}>
          {t(selected ? 'harness.selected' : 'harness.rejected')}
        </InlineState>
      )}
      {reason === null ? null : <p>{reason}</p>}
      {facts.map((fact) => (
        <p key={fact} className="t2 num">
          {fact}
        </p>
      ))}
    </Part>
  )
}

function Files(props: HarnessViewProps) {
  const { t } = useTranslation('releases')
  const text = useText()
  const [all, setAll] = useState(false)
  const [open, setOpen] = useState<string | null>(null)
  const { files, noFiles, against } = props.harness
  if (files === null)
    return (
      <Part title={t('harness.files')}>
        {noFiles === null ? null : <p className="t2">{text(noFiles)}</p>}
      </Part>
    )
  const changed = files.filter(({ change }) => change !== 'same')
  const same = files.filter(({ change }) => change === 'same')
  const shown = all ? files : [...changed, ...same.slice(0, UNCHANGED_SHOWN)]
  const note =
    against === null
      ? t('harness.fileCount', { count: files.length })
      : t('harness.changedCount', {
          changed: changed.length,
          count: files.length,
          name: nameOf(against)
        })
  return (
    <Part title={t('harness.files')} note={note}>
      {shown.map((file) => (
        <FileRow key={file.path} file={file} onOpen={() => setOpen(file.path)} />
      ))}
      {shown.length < files.length || all ? (
        <Button size="small" variant="ghost" onClick={() => setAll(!all)}>
          {all ? t('fewerMetrics') : t('moreMetrics', { count: files.length - shown.length })}
        </Button>
      ) : null}
      {open === null ? null : <DiffDialog {...props} path={open} onClose={() => setOpen(null)} />}
    </Part>
  )
}

function FileRow({ file, onOpen }: { file: HarnessFile; onOpen: () => void }) {
  const { t } = useTranslation('releases')
  const { path, change, added, removed, bytes } = file
  return (
    <button
      type="button"
      className="flex h-6 w-full items-center gap-2 text-left"
      onClick={onOpen}
      data-testid={`harness-file-${path}`}
    >
      <span className={`mono el ${change === 'same' ? 't2' : ''}`} title={path}>
        {path}
      </span>
      <span className="num ml-auto flex flex-none gap-2">
        {change === 'same' ? (
          <span className="t2">{formatBytes(bytes)}</span>
        ) : (
          <>
            <span className="t2">{t(`harness.${change}`)}</span>
            {added === null ? null : <span className="c-ready">+{added}</span>}
            {removed === null ? null : <span className="c-fail">−{removed}</span>}
          </>
        )}
      </span>
    </button>
  )
}

function DiffDialog(props: HarnessViewProps & { path: string; onClose: () => void }) {
  const { t } = useTranslation('releases')
  const { run, scenario, step, path } = props
  const query = useQuery(harnessDiffQuery(run, scenario, step, path))
  const { data } = query
  return (
    <Dialog
      open
      width={760}
      onClose={props.onClose}
      title={path}
      description={
        data === undefined || data.against === null
          ? nameOf(step)
          : t('harness.diffOf', { name: nameOf(step), base: nameOf(data.against) })
      }
      footer={
        <Button keys="Escape" onClick={props.onClose}>
          {t('dialog.close')}
        </Button>
      }
      data-testid="harness-diff"
    >
      {query.isError ? (
        <FailureNote thrown={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton className="h-32" /> : null}
      {data === undefined ? null : data.lines === null ? (
        <p className="t2">{t('harness.noText')}</p>
      ) : data.lines.length === 0 ? (
        <p className="t2">{t('harness.noChange')}</p>
      ) : (
        <div className="harness-diff">
          {data.lines.map(({ sign, text }, at) => (
            <div key={`${at} ${sign}`} data-sign={sign}>
              {`${sign} ${text}`}
            </div>
          ))}
        </div>
      )}
      {data?.cut === true ? <p className="t2">{t('harness.cut')}</p> : null}
    </Dialog>
  )
}
