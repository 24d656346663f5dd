import { ListOrdered } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunEvent } from '@contract/run'
import { formatClock, formatCount, useText } from '../../i18n'
import { EmptyReason, Panel, useVirtualRows } from '../../ui'

/** What happened to the run, newest first. Only visible rows exist: a long run has thousands. */
export function EventsPanel(props: { events: readonly RunEvent[] }) {
  const { events } = props
  const { t } = useTranslation('stack')
  return (
    <Panel
      className="flex min-h-0 flex-1 flex-col"
      title={t('events')}
      sub={t('eventsSub')}
      actions={<span className="cnt text-xs">{formatCount(events.length)}</span>}
      data-testid="events"
    >
      {events.length === 0 ? (
        <EmptyReason icon={ListOrdered} what={t('noEventsWhat')} why={t('noEventsWhy')} />
      ) : (
        <EventList events={events} />
      )}
    </Panel>
  )
}

function EventList(props: { events: readonly RunEvent[] }) {
  const { events } = props
  const { t } = useTranslation('stack')
  const text = useText()
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualRows(scroller, {
    count: events.length,
    estimateSize: () => 24,
    overscan: 10
  })
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-auto border-t border-line-1 py-1 text-xs"
      tabIndex={0}
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const event = events[events.length - 1 - item.index]
          if (event === undefined) return null
          return (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="absolute inset-x-0 top-0 flex gap-3 px-3 py-1"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <span className="t2 num flex-none">{formatClock(event.at)}</span>
              <span className="min-w-0 flex-1 break-words">{text(event.text)}</span>
              {event.step === undefined ? null : (
                <span className="t2 num flex-none">{t('step', { n: event.step })}</span>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
