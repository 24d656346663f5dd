import type { SeriesQuery, Smoothing } from '@contract/metrics'
import type { Text } from '@contract/text'
import { useQuery } from '@tanstack/react-query'
import { memo, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  ChartPanel,
  EMPTY_DATA,
  NO_MARKS,
  formatValue,
  looksOf,
  restartsOf,
  stallVerdict,
  useGroupState
} from '../../charts'
import type { AxisKind, ChartData, ChartGroup, ChartMarks, Range, ReleaseLane } from '../../charts'
import { useText } from '../../i18n'
import { useFromNow } from '../../state/clock'
import { Button, EmptyReason, Skeleton, type MenuEntry } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { followedRange } from './asked-range'
import { curvePrefs } from './curve-prefs'
import { KeyCards } from './key-cards'
import { paperValuesOf } from './paper-values'
import type { PlannedPanel } from './panel-plan'
import { arrivalsOf, seriesQuery } from './series-feed'
import { isUntimed } from './untimed'
import { useInView } from './use-in-view'
import { useSettled } from './use-settled'

/** Milliseconds a zoom must rest before the engine is asked for it; until then the known points are stretched. */
const SETTLE = 120

export type CurvePanelProps = {
  readonly run: string
  readonly panel: PlannedPanel
  readonly group: ChartGroup
  readonly axis: AxisKind
  /** The metric on the x axis, where that is one. */
  readonly axisKey?: string | null
  readonly smoothing: Smoothing
  readonly log: boolean
  readonly clip?: boolean
  /** Recipe family whose published values are drawn; absent: none are. */
  readonly papersOf?: string | null
  readonly lane: ReleaseLane
  /** First reward of the run, drawn as a line on its panel. */
  readonly start: { readonly key: string; readonly value: number } | null
  readonly running: boolean
  readonly labelRestarts: boolean
  readonly releaseAt: (x: number) => string | null
  readonly onPick: (x: number) => void
  readonly wide?: boolean
  readonly more?: readonly MenuEntry[]
}

/** A panel that asks for its curves only while it is in sight, at the width it has. */
export const CurvePanel = memo(function CurvePanel(props: CurvePanelProps) {
  const { ref, inView } = useInView()
  return (
    <div
      ref={ref}
      className={`grid min-h-0 min-w-0 ${props.wide === true ? 'col-span-2' : ''}`}
      data-testid={`panel-${props.panel.id}`}
    >
      {inView ? <LivePanel {...props} /> : <Skeleton className="h-full" />}
    </div>
  )
})

function LivePanel(props: CurvePanelProps) {
  const { panel, group } = props
  const text = useText()
  const [columns, setColumns] = useState(0)
  const asked = useAsked(group)
  const query = useQuery({
    ...seriesQuery(queryOf(props, asked, columns)),
    enabled: columns > 0
  })
  const data = query.data ?? EMPTY_DATA
  const looks = useMemo(() => looksOf(panel.keys), [panel.keys])
  const marks = useMarks(props, data)
  const stalledFor = useStall(props)
  const hint = useMemo(() => <KeyCards infos={panel.infos} names={panel.keys} />, [panel])
  const empty = useMemo(
    () => (props.axis !== 'step' && isUntimed(panel.infos) ? <Untimed /> : null),
    [props.axis, panel.infos]
  )
  const title = panel.title === null ? panel.keys.join(', ') : text(panel.title)
  if (query.isError) {
    return (
      <div className="chart-panel justify-center">
        <FailureNote className="m-3" thrown={query.error} retry={() => void query.refetch()} />
      </div>
    )
  }
  return (
    <ChartPanel
      id={panel.id}
      title={panel.keys.length === 1 ? (panel.keys[0] ?? title) : title}
      subtitle={subtitleOf(panel, text)}
      titleIsWords={panel.keys.length !== 1}
      hint={hint}
      data={data}
      keys={panel.keys}
      looks={looks}
      group={group}
      axis={props.axis}
      log={props.log}
      clip={props.clip ?? false}
      marks={marks}
      releases={props.lane}
      lane
      stalledFor={stalledFor}
      loading={query.isPending}
      empty={empty}
      running={props.running}
      releaseAt={props.releaseAt}
      onPick={props.onPick}
      onColumns={setColumns}
      more={props.more ?? NO_ENTRIES}
    />
  )
}

/** Why values that were logged stand nowhere on an x axis that needs their times, and the way to see them. */
function Untimed() {
  const { t } = useTranslation('curves')
  const { change } = curvePrefs.getState()
  return (
    <EmptyReason
      className="p-3"
      what={t('untimedWhat')}
      why={t('untimedWhy')}
      action={
        <Button size="small" onClick={() => change({ axis: 'step' })}>
          {t('untimedUse')}
        </Button>
      }
      data-testid="chart-untimed"
    />
  )
}

const NO_ENTRIES: readonly MenuEntry[] = []

/** Units that explain a key in its card but name nothing one could read off an axis. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['no unit', 'as its name says'])

/** What the number is, where that needs saying, and the unit, where all of its keys have the same. */
function subtitleOf({ note, infos }: PlannedPanel, text: (text: Text) => string): string | null {
  const [first, ...others] = infos.map((info) => info.unit)
  const one = others.every((unit) => unit?.en === first?.en)
  const unit = first === undefined || !one || SAYS_NOTHING.has(first.en) ? null : first
  const parts = [note, unit].flatMap((part) => (part === null ? [] : [text(part)]))
  return parts.length === 0 ? null : parts.join(' ')
}

/** A part of the x axis to ask for, and how many times as wide as the plot it is; a null range is all of it. */
type Asked = { readonly range: Range | null; readonly times: number }

/** What is asked for once a zoom rests. What rests on another axis is no question on this one. */
function useAsked(group: ChartGroup): Asked {
  const range = useGroupState(group, (state) => state.range)
  const live = useGroupState(group, (state) => state.live)
  const { range: part, times } = askedOf(range, live)
  const [low, high] = part ?? [null, null]
  const wanted = useMemo(
    () => ({ group, range: low === null || high === null ? null : ([low, high] as const), times }),
    [group, low, high, times]
  )
  const settled = useSettled(wanted, SETTLE, live)
  return settled.group === group ? settled : wanted
}

function askedOf(range: Range | null, live: boolean): Asked {
  return range !== null && live ? followedRange(range) : { range, times: 1 }
}

/** Most columns the engine is asked for, whatever the screen. */
const MOST_COLUMNS = 8192

/** The question to the engine. Without a range it is about everything, and the answer grows with the run. */
function queryOf(props: CurvePanelProps, { range, times }: Asked, columns: number): SeriesQuery {
  return {
    run: props.run,
    keys: [...props.panel.keys],
    axis: props.axis === 'step' ? 'native' : props.axis,
    ...(props.axis === 'metric' ? { by: props.axisKey ?? '' } : {}),
    columns: Math.min(MOST_COLUMNS, Math.max(1, Math.round(columns * times))),
    smoothing: props.smoothing,
    ...(range === null ? {} : { range: [range[0], range[1]] })
  }
}

function useMarks(props: CurvePanelProps, data: ChartData): ChartMarks {
  const { t } = useTranslation('curves')
  const { axis, start, panel, labelRestarts, papersOf = null } = props
  const text = useText()
  return useMemo(
    () => ({
      ...NO_MARKS,
      references: [
        ...(start !== null && panel.keys.length === 1 && panel.keys[0] === start.key
          ? [{ value: start.value, label: t('startValue', { value: formatValue(start.value) }) }]
          : []),
        ...paperValuesOf(papersOf, panel.keys).map(({ value, upTo, name }) => ({
          value,
          ...(upTo === undefined ? {} : { upTo }),
          label: `${text(name)}: ${formatValue(value)}${upTo === undefined ? '' : `–${formatValue(upTo)}`}`,
          always: true
        }))
      ],
      // On the values of a metric an attempt begins nowhere.
      restarts: (axis === 'metric' ? [] : restartsOf(data.curves)).map(({ attempt, x }) => ({
        x,
        label: labelRestarts ? t('attempt', { number: attempt }) : ''
      }))
    }),
    [axis, start, panel.keys, labelRestarts, papersOf, data, t, text]
  )
}

/** How long nothing came, once that is long for this run's pace. */
function useStall(props: CurvePanelProps): number | null {
  return useFromNow((now) => {
    const verdict = stallVerdict(arrivalsOf(props.run), now, props.running)
    return verdict.kind === 'stalled' ? Math.round(verdict.forMilliseconds / 1000) * 1000 : null
  })
}
