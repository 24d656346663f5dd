import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunDetail, RunState } from '@contract/run'
import type { Text } from '@contract/text'
import { engine } from '../../api/client'
import { formatCount, formatDuration, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state'
import { Button, Dialog } from '../../ui'
import { isActive } from '../runs'
import { FailureNote } from '../shared/failure-note'

/** Says what stopping does before it is done. Force is a second, separate step. */
export function StopDialog(props: { detail: RunDetail; close: () => void }) {
  const { detail, close } = props
  const { summary } = detail
  const { t } = useTranslation(['run', 'common'])
  const cancel = useRef<HTMLButtonElement>(null)
  const stop = useMutation({
    mutationFn: (force: boolean) => engine.runs.stop({ run: summary.id, force }),
    onSuccess: ({ note }, force) => {
      if (force && note === undefined) close()
    }
  })
  const stopping = summary.state.kind === 'stopping' || stop.isSuccess
  const over = !isActive(summary.state)
  const ask = (): void => {
    if (!stopping && !stop.isPending) stop.mutate(false)
  }
  return (
    <Dialog
      open
      onClose={close}
      focus={cancel}
      title={t('run:stopTitle', { name: summary.name })}
      onConfirm={ask}
      data-testid="stop-dialog"
      footer={
        <>
          <Button ref={cancel} onClick={close} keys="Escape">
            {over || stopping ? t('common:close') : t('common:cancel')}
          </Button>
          {over || stopping ? null : (
            <Button
              variant="danger"
              keys="Mod+Enter"
              off={stop.isPending ? t('run:stopping') : undefined}
              onClick={ask}
              data-testid="confirm-stop"
            >
              {t('run:stopConfirm')}
            </Button>
          )}
        </>
      }
    >
      <What detail={detail} />
      <Awaited state={summary.state} />
      {stop.isError ? <FailureNote className="mt-3" thrown={stop.error} /> : null}
      <Unwritten note={stop.data?.note} />
      {over ? null : (
        <Force stopping={stopping} pending={stop.isPending} force={() => stop.mutate(true)} />
      )}
    </Dialog>
  )
}

function What(props: { detail: RunDetail }) {
  const { stopCost, summary, nexrl } = props.detail
  const { stages } = summary
  const { t } = useTranslation(['run', 'nexrl'])
  const text = useText()
  const waiting = stages.batchHave ?? 0
  const cost = stopCost === null ? [] : [text(stopCost)]
  const lines =
    nexrl === undefined
      ? [
          t('run:stopAsk'),
          t('run:stopServing', { served: formatCount(stages.served) }),
          ...cost,
          waiting > 0
            ? t('run:stopBatchLost', { have: formatCount(waiting) })
            : t('run:stopBatchNone'),
          t('run:stopKept', { released: formatCount(stages.released) }),
          t('run:stopUndo')
        ]
      : [
          t('run:stopAsk'),
          ...cost,
          ...(waiting > 0 ? [t('nexrl:stopBatchLost', { have: formatCount(waiting) })] : []),
          t('nexrl:stopKept')
        ]
  return (
    <>
      <div className="mb-1 font-medium">{t('run:stopWhat')}</div>
      <ul className="t2 list-disc pl-4">
        {lines.map((line) => (
          <li key={line} className="py-0.5">
            {line}
          </li>
        ))}
      </ul>
    </>
  )
}

/** The stack was asked and the run does not show it. */
function Unwritten({ note }: { note: Text | undefined }) {
  const text = useText()
  return note === undefined ? null : (
    <div className="callout info mt-3" role="status">
      {text(note)}
    </div>
  )
}

function Awaited(props: { state: RunState }) {
  const { state } = props
  const { t } = useTranslation('run')
  const text = useText()
  const language = useLanguage()
  const now = useNow()
  if (state.kind !== 'stopping') return null
  return (
    <div className="callout info mt-3" role="status">
      <div>{t('awaiting', { what: text(state.awaiting) })}</div>
      <div className="t2 num">
        {t('forceIn', { time: formatDuration(state.deadline - now, language) })}
      </div>
    </div>
  )
}

function Force(props: { stopping: boolean; pending: boolean; force: () => void }) {
  const { t } = useTranslation('run')
  return (
    <div className="mt-4 flex items-start gap-4 border-t border-line-1 pt-3">
      <div className="min-w-0 flex-1">
        <div className="font-medium">{t('forceTitle')}</div>
        <div className="t2">{t('forceWhat')}</div>
      </div>
      <Button
        variant="danger"
        off={props.stopping ? (props.pending ? t('stopping') : undefined) : t('forceOff')}
        onClick={props.force}
        data-testid="force-stop"
      >
        {t('force')}
      </Button>
    </div>
  )
}
