import { useMutation } from '@tanstack/react-query'
import { Hourglass, LoaderCircle, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { QueuedLaunch } from '@contract/queue'
import { engine } from '../../api/client'
import { useText } from '../../i18n'
import { Button, Dialog, InlineState, type StateLook } from '../../ui'
import { FailureNote } from '../shared/failure-note'

const looks: Record<QueuedLaunch['state']['kind'], StateLook> = {
  waiting: { tone: 'idle', icon: Hourglass },
  starting: { tone: 'running', icon: LoaderCircle, pulse: true },
  refused: { tone: 'fail', icon: X }
}

/** What waits, for what, and the way out of the queue. */
export function QueueDialog(props: { items: readonly QueuedLaunch[]; close: () => void }) {
  const { t } = useTranslation(['queue', 'common'])
  const remove = useMutation({ mutationFn: (id: string) => engine.queue.remove({ id }) })
  const first = useMutation({ mutationFn: (id: string) => engine.queue.first({ id }) })
  const thrown = remove.error ?? first.error
  return (
    <Dialog
      open
      onClose={props.close}
      title={t('queue:title')}
      description={t('queue:sub')}
      width={640}
      data-testid="queue-dialog"
      footer={
        <Button onClick={props.close} keys="Escape">
          {t('common:close')}
        </Button>
      }
    >
      {props.items.length === 0 ? <p className="t2">{t('queue:empty')}</p> : null}
      {props.items.map((item) => (
        <Row
          key={item.id}
          item={item}
          isFirst={firstOfTarget(props.items, item)}
          first={() => first.mutate(item.id)}
          remove={() => remove.mutate(item.id)}
        />
      ))}
      {thrown === null ? null : <FailureNote className="mt-3" thrown={thrown} />}
    </Dialog>
  )
}

/** Nothing that waits for the same target stands before it. */
function firstOfTarget(items: readonly QueuedLaunch[], { id, request }: QueuedLaunch): boolean {
  const waiting = items.filter(({ state }) => state.kind === 'waiting')
  return waiting.find((one) => one.request.target === request.target)?.id === id
}

function Row(props: {
  item: QueuedLaunch
  isFirst: boolean
  first: () => void
  remove: () => void
}) {
  const { name, request, state } = props.item
  const { t } = useTranslation('queue')
  const text = useText()
  const why =
    state.kind === 'waiting'
      ? text(state.why)
      : state.kind === 'refused'
        ? text(state.failure.what)
        : ''
  return (
    <div className="flex items-start gap-3 border-t border-line-1 py-2 first:border-t-0">
      <div className="min-w-0 flex-1">
        <div className="font-medium break-words">{name}</div>
        <div className="t2 mono break-all">{request.target}</div>
      </div>
      <div className="min-w-0 flex-1">
        <InlineState look={looks[state.kind]}>{t(state.kind)}</InlineState>
        <div className="t2 break-words whitespace-pre-line">{why}</div>
      </div>
      {state.kind !== 'waiting' || props.isFirst ? null : (
        <Button size="small" onClick={props.first} data-testid="queue-first">
          {t('first')}
        </Button>
      )}
      {state.kind === 'starting' ? null : (
        <Button size="small" onClick={props.remove} data-testid="queue-remove">
          {t('remove')}
        </Button>
      )}
    </div>
  )
}
