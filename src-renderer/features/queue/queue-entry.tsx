import { Hourglass } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { formatCount } from '../../i18n'
import { queueView, showQueue } from '../../state'
import { Icon } from '../../ui'
import { useQueue } from './use-queue'

const QueueDialog = lazy(async () => ({ default: (await import('./queue-dialog')).QueueDialog }))

/** How many launches wait; nothing while none does. Opens the list. */
export function QueueEntry() {
  const { t } = useTranslation('queue')
  const items = useQueue()
  const open = queueView((view) => view.open)
  if (items.length === 0 && !open) return null
  const refused = items.some(({ state }) => state.kind === 'refused')
  return (
    <>
      <button
        type="button"
        className={refused ? 'c-warn' : ''}
        onClick={showQueue}
        data-testid="queue"
      >
        <Icon of={Hourglass} />
        {t('entry', { count: items.length, n: formatCount(items.length) })}
      </button>
      {open ? (
        <Suspense>
          <QueueDialog items={items} close={() => queueView.setState({ open: false })} />
        </Suspense>
      ) : null}
    </>
  )
}
