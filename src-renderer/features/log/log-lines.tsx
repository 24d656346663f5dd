import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LogLine, LogSource } from '@contract/logs'
import { formatClock } from '../../i18n'
import { focusCurves, go } from '../../state'
import { useVirtualRows } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { classOf } from './level'
import { splitMatch, type Sought } from './split-match'
import { WINDOW, windowBeyond, windowFor } from './window-of-lines'
import { logView } from './log-store'
import { useLines } from './use-log'
import { useWrap } from './use-wrap'

const LINE = 18
/** Pixels from the end within which the list counts as being at its end. */
const NEAR = 24

/** Lines before the newest that a follower sees at most: a tall window full. */
const FOLLOWED = 120

/**
 * All lines of a source; following keeps the end in view until one scrolls away from it. Who follows sees the lines whose
 * text is here, and new ones when theirs is: never a place kept for a line that is on its way.
 */
export function AllLines(props: { run: string; source: LogSource }) {
  const { run, source } = props
  const cache = useLines(run, source.id)
  const total = source.lines
  const following = logView((store) => store.following)
  const wanted = useRef({ from: 0, to: 0 })
  useEffect(() => {
    const { from, to } = following ? { from: total - FOLLOWED, to: total } : wanted.current
    cache.want(from, to, total)
  }, [cache, total, following])
  return (
    <>
      {cache.failure === undefined ? null : <FailureNote className="m-2" thrown={cache.failure} />}
      <Lines
        run={run}
        source={source.id}
        count={following ? cache.reach(total, FOLLOWED) : total}
        lineAt={(i) => cache.line(i)}
        highlight={NOTHING}
        onRange={(from, to) => {
          wanted.current = { from, to }
          cache.want(from, to, total)
        }}
      />
    </>
  )
}

/** The lines a search found. */
export function FoundLines(props: { run: string; lines: readonly LogLine[]; highlight: Sought }) {
  return (
    <Lines
      run={props.run}
      source={null}
      count={props.lines.length}
      lineAt={(i) => props.lines[i]}
      highlight={props.highlight}
      onRange={nothing}
    />
  )
}

const nothing = (): void => undefined
const NOTHING: Sought = { text: '', regex: false, caseSensitive: false }

function Lines(props: {
  run: string
  /** Null where not every line is shown. */
  source: string | null
  count: number
  lineAt: (index: number) => LogLine | undefined
  highlight: Sought
  onRange: (from: number, to: number) => void
}) {
  const { count, onRange } = props
  const { t } = useTranslation('log')
  const scroller = useRef<HTMLDivElement>(null)
  const following = logView((store) => store.following)
  const target = logView((store) => store.target)
  const marked =
    target !== null && target.run === props.run && target.source === props.source
      ? target.line
      : null
  const { wrap } = useWrap()
  const [base, setBase] = useState(0)
  const [shown, setShown] = useState<typeof target>(null)
  const virtual = useVirtualRows(scroller, {
    count: Math.min(WINDOW, Math.max(0, count - base)),
    estimateSize: () => LINE,
    // Heights that were measured belong to lines, not to places of the window.
    getItemKey: (index) => base + index,
    overscan: 20
  })
  const items = virtual.getVirtualItems()
  const from = base + (items[0]?.index ?? 0)
  const to = base + (items.at(-1)?.index ?? -1) + 1
  useEffect(() => onRange(from, to), [onRange, from, to])
  const wanted = following && count > 0 ? count - 1 : marked
  // A marked line moves the window once, the end for as long as it is followed; afterwards the person scrolls.
  const fresh = marked !== null && target !== shown
  const needed = wanted !== null && (following || fresh) ? windowFor(wanted, base, count) : base
  if (needed !== base) setBase(needed)
  if (fresh) setShown(target)
  useLayoutEffect(() => {
    if (wanted === null) return
    // With the frame: asked for at once, the page would be laid out for each batch of lines and again for the frame.
    const frame = requestAnimationFrame(() =>
      virtual.scrollToIndex(wanted - base, { align: following ? 'end' : 'center' })
    )
    return () => cancelAnimationFrame(frame)
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted, following, target])
  const top = useRef(0)
  useEffect(() => {
    top.current = items[0] === undefined ? 0 : items[0].index
  })
  useLayoutEffect(() => {
    const first = top.current
    virtual.measure()
    if (!following) virtual.scrollToIndex(first, { align: 'start' })
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wrap])
  const height = virtual.getTotalSize()
  useLayoutEffect(() => {
    const box = scroller.current
    // Wrapped lines are as high as they turn out to be: the end moves on after it was scrolled to.
    if (wrap && following && box !== null) box.scrollTop = box.scrollHeight
  }, [wrap, following, height])
  const moveOn = (end: 'top' | 'bottom'): void => {
    const box = scroller.current
    const next = windowBeyond(end, base, count)
    if (box === null || next === base) return
    setBase(next)
    box.scrollTop += (base - next) * LINE
  }
  const onScroll = (): void => {
    const box = scroller.current
    if (box === null) return
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
    if (atEnd && base + WINDOW >= count) logView.getState().setFollowing(true)
    else if (atEnd) moveOn('bottom')
    else if (box.scrollTop < NEAR) moveOn('top')
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
      <div className="relative" style={{ height }}>
        {items.map((item) => (
          <div
            key={item.key}
            ref={wrap ? virtual.measureElement : undefined}
            data-index={item.index}
            className={`absolute inset-x-0 top-0 flex gap-3 px-3 leading-[18px] ${wrap ? 'wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre'} ${base + item.index === marked ? 'bg-panel-2 font-medium' : ''}`}
            data-marked={base + item.index === marked ? true : undefined}
            style={{
              ...(wrap ? { minHeight: LINE } : { height: LINE }),
              transform: `translateY(${item.start}px)`
            }}
          >
            <Line
              run={props.run}
              line={props.lineAt(base + item.index)}
              highlight={props.highlight}
            />
          </div>
        ))}
      </div>
    </div>
  )
}

const Line = memo(function Line(props: {
  run: string
  line: LogLine | undefined
  highlight: Sought
}) {
  const { line } = props
  if (line === undefined) return <span className="t3">…</span>
  return (
    <>
      <span className="t3 num w-[56px] flex-none text-right select-none">{line.line + 1}</span>
      {line.at === undefined ? null : <span className="t2 flex-none">{formatClock(line.at)}</span>}
      {line.step === undefined ? null : <StepLink run={props.run} step={line.step} />}
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
})

/** To the point of the curves that the line's numbers are. */
function StepLink(props: { run: string; step: number }) {
  const { t } = useTranslation('log')
  return (
    <button
      type="button"
      className="c-accent num flex-none self-start hover:underline"
      title={t('toCurve', { step: props.step })}
      onClick={() => {
        focusCurves(props.run, props.step)
        go({ page: 'run', id: props.run, tab: 'curves' })
      }}
      data-testid="log-to-curve"
    >
      {props.step}
    </button>
  )
}
