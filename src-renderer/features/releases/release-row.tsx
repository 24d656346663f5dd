import type { Release } from '@contract/releases'
import type { Language } from '@contract/text'
import type { TFunction } from 'i18next'
import { memo, useMemo } from 'react'
import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { formatCount, formatDifference, formatValue } from '../../charts'
import { formatDuration, formatWhen, useLanguage } from '../../i18n'
import { InlineState } from '../../ui'
import { releaseState } from './release-look'
import { metricOf, nameOf } from './release-model'

/** Height of a row in pixels. */
export const ROW = 28
/** Columns of the table, as a CSS grid. */
export const COLUMNS =
  '48px 68px minmax(96px, 160px) 48px minmax(68px, 1fr) 64px minmax(84px, 1.4fr) 72px 60px 72px 92px'

/** What rows say, looked up once for all of them: forty rows come into sight within one frame. */
export type RowWords = {
  readonly language: Language
  readonly t: TFunction<'releases'>
  readonly operation: Readonly<Record<Release['operation'], string>>
  readonly live: string
  readonly yes: string
  readonly no: string
  readonly notYet: string
}

/** The words of rows in the language of the page. */
export function useRowWords(): RowWords {
  const { t } = useTranslation('releases')
  const language = useLanguage()
  return useMemo(
    () => ({
      language,
      t,
      operation: {
        creation: t('operation.creation'),
        training: t('operation.training'),
        rollback: t('operation.rollback'),
        promote: t('operation.promote'),
        recovery: t('operation.recovery')
      },
      live: t('live'),
      yes: t('yes'),
      no: t('no'),
      notYet: t('notYet')
    }),
    [language, t]
  )
}

type RowProps = {
  readonly words: RowWords
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

/** One release of the table. Asks nothing of the page itself: what it shows is handed to it. */
export const ReleaseRow = memo(
  function ReleaseRow(props: RowProps) {
    const { release, words } = props
    const state = releaseState(release, words.t)
    const onClick = (event: MouseEvent): void => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) props.onOther(release.step)
      else props.onSelect(release.step)
    }
    return (
      <div
        role="row"
        aria-rowindex={props.place.index + 2}
        aria-selected={props.selected}
        data-opens
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
        <span role="gridcell">{words.operation[release.operation]}</span>
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
          {release.contentKind === 'live_weights' ? words.live : release.contentId}
        </span>
        <Restorable release={release} words={words} />
        <span role="gridcell" className="text-right">
          {release.consumed === null ? '–' : formatCount(release.consumed)}
        </span>
        <span role="gridcell" className="text-right">
          {release.took === null ? '–' : formatDuration(release.took, words.language)}
        </span>
        <span role="gridcell" className="t2 text-right">
          {release.recordedAt === null
            ? '–'
            : formatWhen(release.recordedAt, props.minute, words.language)}
        </span>
      </div>
    )
  },
  // Each update of a live chain brings new objects for old rows; what a row shows is named here.
  (before, after) =>
    before.words === after.words &&
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

function Restorable(props: { release: Release; words: RowWords }) {
  const { release, words } = props
  if (release.restorable)
    return (
      <span role="gridcell" className="c-ready">
        {words.yes}
      </span>
    )
  const why = release.notRestorable?.[words.language]
  return (
    <span role="gridcell" className="t2 el" title={why}>
      {release.result === 'pending' ? words.notYet : words.no}
    </span>
  )
}
