import type { Release } from '@contract/releases'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useNow } from '../../state/clock'
import { COLUMNS, ROW, ReleaseRow, useRowWords } from './release-row'

const MINUTE = 60_000
/** Rows mounted beyond those in sight, at each end. A tall window shows about 35 rows: at most 60 in all. */
const SPARE_ROWS = 5
/** The number of slots is a multiple of it, so that half a row more or less in sight does not deal them anew. */
const SLOT_STEP = 16
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
  const words = useRowWords()
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualizer's functions are used here only
  const rows = useVirtualizer({
    count: releases.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: SPARE_ROWS
  })
  const shown = rows.getVirtualItems()
  // A row that is scrolled out of sight lends its place in the page to one that comes in: to write other words into it
  // costs a fraction of making it. Counted from the oldest, so that a release that comes in on top leaves every other
  // in its place: a row that changed its element between press and release of the button would miss the click.
  const slots = Math.ceil((shown.length + 1) / SLOT_STEP) * SLOT_STEP
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
          {shown.map((item) => {
            const release = releases[item.index]
            if (release === undefined) return null
            return (
              <ReleaseRow
                key={(releases.length - 1 - item.index) % slots}
                words={words}
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
