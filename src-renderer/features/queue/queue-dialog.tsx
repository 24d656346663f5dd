import { useMutation, useQuery } from '@tanstack/react-query'
import { Hourglass, LoaderCircle, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { QueuedLaunch } from '@contract/queue'
import { engine } from '../../api/client'
import { targetsQuery } from '../../api/queries'
import { useText } from '../../i18n'
import { Button, Dialog, InlineState, type StateLook } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { useTargetName } from '../shared/use-target-name'
import { reasonsOf } from './reasons'

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
  const again = useMutation({ mutationFn: (id: string) => engine.queue.again({ id }) })
  const thrown = remove.error ?? first.error ?? again.error
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
          again={() => again.mutate(item.id)}
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
  again: () => void
  remove: () => void
}) {
  const { name, request, state } = props.item
  const { t } = useTranslation('queue')
  const text = useText()
  const target = useTargetNameOf(request.target)
  const why =
    state.kind === 'waiting'
      ? text(state.why)
      : state.kind === 'refused'
        ? text(state.failure.what)
        : ''
  return (
    <div className="border-t border-line-1 py-2 first:border-t-0" data-testid="queue-row">
      <div className="flex min-h-6 items-center gap-3">
        <span className="el font-medium" title={name}>
          {name}
        </span>
        <span className="t2 el" title={request.target}>
          {target}
        </span>
        <span className="ml-auto flex-none">
          <InlineState look={looks[state.kind]}>{t(state.kind)}</InlineState>
        </span>
        {state.kind !== 'waiting' || props.isFirst ? null : (
          <Button size="small" onClick={props.first} data-testid="queue-first">
            {t('first')}
          </Button>
        )}
        {state.kind === 'refused' ? (
          <Button size="small" onClick={props.again} data-testid="queue-again">
            {t('again')}
          </Button>
        ) : null}
        {state.kind === 'starting' ? null : (
          <Button size="small" onClick={props.remove} data-testid="queue-remove">
            {t('remove')}
          </Button>
        )}
      </div>
      <Reasons why={why} />
    </div>
  )
}

/** Shown name of a target by its id; the id while its name is not known. */
function useTargetNameOf(id: string): string {
  const targetName = useTargetName()
  const targets = useQuery(targetsQuery).data ?? []
  return targetName({ id, name: targets.find(({ spec }) => spec.id === id)?.spec.name ?? id })
}

/** The first line tells what all the others are reasons of. */
function Reasons(props: { why: string }) {
  const [head, ...others] = reasonsOf(props.why)
  return (
    <div className="t2 break-words">
      {head?.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {others.length === 0 ? null : (
        <ul className="mt-1 flex list-disc flex-col gap-1 pl-4">
          {others.map((lines) => (
            <li key={lines.join('\n')}>
              {lines.map((line) => (
                <div key={line} className={line.startsWith('$ ') ? 'mono' : ''}>
                  {line}
                </div>
              ))}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
