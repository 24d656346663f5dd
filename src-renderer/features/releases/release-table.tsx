import type { Release } from '@contract/releases'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useLayoutEffect, useRef } from 'react'
import type { KeyboardEvent, MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { formatCount, formatDifference, formatValue } from '../../charts'
import { formatDuration, formatWhen, useLanguage } from '../../i18n'
import { useNow } from '../../state/clock'
import { InlineState } from '../../ui'
import { releaseState } from './release-look'
import { metricOf, nameOf } from './release-model'

const ROW = 28
const MINUTE = 60_000
/** Rows mounted beyond those in sight, at each end. A tall window shows about 35 rows: at most 60 in all. */
const SPARE_ROWS = 8
const COLUMNS =
  '48px 68px minmax(96px, 160px) 48px minmax(68px, 1fr) 64px minmax(84px, 1.4fr) 72px 60px 72px 92px'
/** The columns at their narrowest, with gaps and padding: fits beside the inspector in a window of 1280. */
const NARROWEST = 880

export type ReleaseTableProps = {
  readonly releases: readonly Release[]
  readonly selected: number | null
  readonly other: number | null
  readonly rewardKey: string | null
  /** The row a release was made from, for the difference. */
  readonly baseOf: (release: Release) => Release | null
  /** Newest x of a release on the curves. */
  readonly stepOf: (release: Release) => number | null
  readonly onSelect: (step: number) => void
  readonly onOther: (step: number) => void
  readonly onOpen: (step: number) => void
}

/** All releases, newest first; mounts only the rows in sight. */
export function ReleaseTable(props: ReleaseTableProps) {
  const { t } = useTranslation('releases')
  const scroller = useRef<HTMLDivElement>(null)
  const { releases, selected } = props
  const minute = Math.floor(useNow() / MINUTE) * MINUTE
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualizer's functions are used here only
  const rows = useVirtualizer({
    count: releases.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => releases[index]?.step ?? index,
    estimateSize: () => ROW,
    overscan: SPARE_ROWS
  })
  const newest = useRef<number | null>(null)
  // Rows that come in above what somebody reads leave it where it is; at the top they are shown.
  useLayoutEffect(() => {
    const before = newest.current
    newest.current = releases[0]?.step ?? null
    const box = scroller.current
    if (box === null || before === null || box.scrollTop === 0) return
    const above = releases.findIndex((release) => release.step === before)
    if (above > 0) box.scrollTop += above * ROW
  }, [releases])
  const index = selected === null ? -1 : releases.findIndex((release) => release.step === selected)
  useEffect(() => {
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' })
  }, [index, rows])

  const move = (distance: number): void => {
    const next = releases[Math.min(releases.length - 1, Math.max(0, index + distance))]
    if (next !== undefined) props.onSelect(next.step)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const distance = distanceOf(event.key, releases.length)
    if (distance !== null) {
      event.preventDefault()
      move(distance)
    } else if (event.key === 'Enter' && selected !== null) props.onOpen(selected)
  }
  return (
    <div
      role="grid"
      aria-rowcount={releases.length + 1}
      className="flex min-h-0 flex-1 flex-col overflow-x-auto border-t border-line-1"
    >
      <div
        role="row"
        className="release-row head t2 h-7 flex-none border-line-2 font-medium"
        style={{ gridTemplateColumns: COLUMNS, minWidth: NARROWEST }}
      >
        <Head {...props} />
      </div>
      <div
        ref={scroller}
        className="release-rows min-h-0 flex-1 overflow-auto"
        style={{ minWidth: NARROWEST }}
        tabIndex={0}
        onKeyDown={onKeyDown}
        aria-label={t('releases')}
        data-testid="release-rows"
      >
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map((item) => {
            const release = releases[item.index]
            if (release === undefined) return null
            return (
              <Row
                key={item.key}
                release={release}
                base={props.baseOf(release)}
                step={props.stepOf(release)}
                rewardKey={props.rewardKey}
                minute={minute}
                place={{ index: item.index, top: item.start }}
                selected={release.step === selected}
                other={release.step === props.other}
                onSelect={props.onSelect}
                onOther={props.onOther}
                onOpen={props.onOpen}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

function distanceOf(key: string, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return 1
    case 'ArrowUp':
      return -1
    case 'PageDown':
      return 20
    case 'PageUp':
      return -20
    case 'Home':
      return -count
    case 'End':
      return count
    default:
      return null
  }
}

function Head(props: Pick<ReleaseTableProps, 'rewardKey'>) {
  const { t } = useTranslation('releases')
  const cells: readonly (readonly [string, boolean])[] = [
    [t('column.release'), false],
    [t('column.operation'), false],
    [t('column.state'), false],
    [t('column.step'), true],
    [props.rewardKey?.split('/').at(-1) ?? '–', true],
    [t('column.difference'), true],
    [t('column.content'), false],
    [t('column.restorable'), false],
    [t('column.receipts'), true],
    [t('column.took'), true],
    [t('column.recorded'), true]
  ]
  return cells.map(([name, right], index) => (
    <span
      role="columnheader"
      key={index}
      title={index === 4 ? (props.rewardKey ?? undefined) : name}
      className={`el ${right ? 'text-right' : ''} ${index === 4 ? 'mono' : ''}`}
    >
      {name}
    </span>
  ))
}

type RowProps = {
  readonly release: Release
  readonly base: Release | null
  readonly step: number | null
  readonly rewardKey: string | null
  /** The time to the minute, so that rows redraw when `today` ends and not every second. */
  readonly minute: number
  readonly place: { readonly index: number; readonly top: number }
  readonly selected: boolean
  readonly other: boolean
  readonly onSelect: (step: number) => void
  readonly onOther: (step: number) => void
  readonly onOpen: (step: number) => void
}

const Row = memo(
  function Row(props: RowProps) {
    const { t } = useTranslation('releases')
    const { release } = props
    const language = useLanguage()
    const state = releaseState(release, t)
    const onClick = (event: MouseEvent): void => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) props.onOther(release.step)
      else props.onSelect(release.step)
    }
    return (
      <div
        role="row"
        aria-rowindex={props.place.index + 2}
        aria-selected={props.selected}
        data-other={props.other}
        data-testid={`release-r${release.step}`}
        className="release-row num absolute right-0 left-0"
        style={{
          gridTemplateColumns: COLUMNS,
          height: ROW,
          transform: `translateY(${props.place.top}px)`
        }}
        onClick={onClick}
        onDoubleClick={() => props.onOpen(release.step)}
      >
        <span role="gridcell" className="mono font-medium">
          {nameOf(release.step)}
        </span>
        <span role="gridcell">{t(`operation.${release.operation}`)}</span>
        <span role="gridcell" className="el">
          {state === null ? null : <InlineState look={state.look}>{state.word}</InlineState>}
        </span>
        <span role="gridcell" className="text-right">
          {props.step === null ? '–' : formatCount(props.step)}
        </span>
        <RewardCells {...props} />
        <span
          role="gridcell"
          className={`mono el ${release.contentKind === 'live_weights' ? 't2' : ''}`}
          title={release.contentId}
        >
          {release.contentKind === 'live_weights' ? t('live') : release.contentId}
        </span>
        <Restorable release={release} />
        <span role="gridcell" className="text-right">
          {release.consumed === null ? '–' : formatCount(release.consumed)}
        </span>
        <span role="gridcell" className="text-right">
          {release.took === null ? '–' : formatDuration(release.took, language)}
        </span>
        <Recorded at={release.recordedAt} now={props.minute} />
      </div>
    )
  },
  // Each update of a live chain brings new objects for old rows; what a row shows is named here.
  (before, after) =>
    before.place.top === after.place.top &&
    before.selected === after.selected &&
    before.other === after.other &&
    before.rewardKey === after.rewardKey &&
    before.minute === after.minute &&
    before.step === after.step &&
    before.base?.step === after.base?.step &&
    sameRow(before.release, after.release)
)

function sameRow(a: Release, b: Release): boolean {
  return (
    a === b ||
    (a.step === b.step &&
      a.releaseId === b.releaseId &&
      a.result === b.result &&
      a.served === b.served &&
      a.leftBehind === b.leftBehind &&
      a.restorable === b.restorable &&
      a.consumed === b.consumed &&
      a.contentId === b.contentId)
  )
}

function RewardCells(props: Pick<RowProps, 'release' | 'base' | 'rewardKey'>) {
  const { release, base, rewardKey } = props
  const value = rewardKey === null ? null : metricOf(release, rewardKey)
  const before = rewardKey === null || base === null ? null : metricOf(base, rewardKey)
  return (
    <>
      <span role="gridcell" className="text-right font-medium">
        {value === null ? '–' : formatValue(value)}
      </span>
      <span role="gridcell" className="t2 text-right">
        {value === null || before === null ? '' : formatDifference(value - before, value, before)}
      </span>
    </>
  )
}

function Restorable(props: { release: Release }) {
  const { t } = useTranslation('releases')
  const language = useLanguage()
  const { release } = props
  if (release.restorable)
    return (
      <span role="gridcell" className="c-ready">
        {t('yes')}
      </span>
    )
  const why = release.notRestorable?.[language]
  return (
    <span role="gridcell" className="t2 el" title={why}>
      {release.result === 'pending' ? t('notYet') : t('no')}
    </span>
  )
}

function Recorded(props: { at: number | null; now: number }) {
  const language = useLanguage()
  return (
    <span role="gridcell" className="t2 text-right">
      {props.at === null ? '–' : formatWhen(props.at, props.now, language)}
    </span>
  )
}
