import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { LogLine, LogSource } from '@contract/logs'
import { formatClock } from '../../i18n'
import { useVirtualRows } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { classOf } from './level'
import { splitMatch } from './split-match'
import { logView } from './log-store'
import { useLines } from './use-log'

const LINE = 18
/** Pixels from the end within which the list counts as being at its end. */
const NEAR = 24

/** All lines of a source; following keeps the end in view until one scrolls away from it. */
export function AllLines(props: { run: string; source: LogSource }) {
  const { run, source } = props
  const cache = useLines(run, source.id)
  const total = source.lines
  const wanted = useRef({ from: 0, to: 0 })
  useEffect(() => {
    const { from, to } = wanted.current
    cache.want(from, to, total)
  }, [cache, total])
  return (
    <>
      {cache.failure === undefined ? null : <FailureNote className="m-2" thrown={cache.failure} />}
      <Lines
        count={total}
        lineAt={(i) => cache.line(i)}
        highlight=""
        onRange={(from, to) => {
          wanted.current = { from, to }
          cache.want(from, to, total)
        }}
      />
    </>
  )
}

/** The lines a search found. */
export function FoundLines(props: { lines: readonly LogLine[]; highlight: string }) {
  return (
    <Lines
      count={props.lines.length}
      lineAt={(i) => props.lines[i]}
      highlight={props.highlight}
      onRange={nothing}
    />
  )
}

const nothing = (): void => undefined

function Lines(props: {
  count: number
  lineAt: (index: number) => LogLine | undefined
  highlight: string
  onRange: (from: number, to: number) => void
}) {
  const { count, onRange } = props
  const { t } = useTranslation('log')
  const scroller = useRef<HTMLDivElement>(null)
  const following = logView((store) => store.following)
  const virtual = useVirtualRows(scroller, {
    count,
    estimateSize: () => LINE,
    overscan: 20
  })
  const items = virtual.getVirtualItems()
  const from = items[0]?.index ?? 0
  const to = (items.at(-1)?.index ?? -1) + 1
  useEffect(() => onRange(from, to), [onRange, from, to])
  useEffect(() => {
    if (following && count > 0) virtual.scrollToIndex(count - 1, { align: 'end' })
  }, [following, count, virtual])
  const onScroll = (): void => {
    const box = scroller.current
    if (box === null) return
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
    if (atEnd) logView.getState().setFollowing(true)
  }
  const lookBack = (): void => logView.getState().setFollowing(false)
  return (
    <div
      ref={scroller}
      className="mono min-h-0 flex-1 overflow-auto py-1 text-xs"
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={t('title')}
      onScroll={onScroll}
      onWheel={(event) => {
        if (event.deltaY < 0) lookBack()
      }}
      onKeyDown={(event) => {
        if (['ArrowUp', 'PageUp', 'Home'].includes(event.key)) lookBack()
      }}
      data-testid="log-lines"
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => (
          <div
            key={item.key}
            className="absolute inset-x-0 top-0 flex gap-3 px-3 leading-[18px] whitespace-pre"
            style={{ height: LINE, transform: `translateY(${item.start}px)` }}
          >
            <Line line={props.lineAt(item.index)} highlight={props.highlight} />
          </div>
        ))}
      </div>
    </div>
  )
}

function Line(props: { line: LogLine | undefined; highlight: string }) {
  const { line } = props
  if (line === undefined) return <span className="t3">…</span>
  return (
    <>
      <span className="t3 num w-[56px] flex-none text-right select-none">{line.line + 1}</span>
      {line.at === undefined ? null : <span className="t2 flex-none">{formatClock(line.at)}</span>}
      <span className={`min-w-0 ${classOf(line.level)}`}>
        {splitMatch(line.text, props.highlight).map((part, i) =>
          part.hit ? (
            <mark
              key={i}
              style={{
                background: 'var(--warn-wash)',
                color: 'inherit',
                outline: '1px solid var(--warn)'
              }}
            >
              {part.text}
            </mark>
          ) : (
            part.text
          )
        )}
      </span>
    </>
  )
}
