import type { KeyInfo, SeriesQuery, Smoothing } from '@contract/metrics'
import { useQuery } from '@tanstack/react-query'
import { memo, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  ChartPanel,
  EMPTY_DATA,
  formatValue,
  looksOf,
  restartsOf,
  stallVerdict,
  useGroupState
} from '../../charts'
import type { AxisKind, ChartData, ChartGroup, ChartMarks, LaneBlock, LitPiece } from '../../charts'
import { useText } from '../../i18n'
import { useNow } from '../../state/clock'
import { Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import type { PlannedPanel } from './panel-plan'
import { arrivalsOf, seriesQuery } from './series-feed'
import { useInView } from './use-in-view'
import { useSettled } from './use-settled'

/** Milliseconds a zoom must rest before the engine is asked for it; until then the known points are stretched. */
const SETTLE = 120

export type CurvePanelProps = {
  readonly run: string
  readonly panel: PlannedPanel
  readonly group: ChartGroup
  readonly axis: AxisKind
  readonly smoothing: Smoothing
  readonly log: boolean
  readonly lane: readonly LaneBlock[]
  readonly lit: readonly LitPiece[]
  /** First reward of the run, drawn as a line on its panel. */
  readonly start: { readonly key: string; readonly value: number } | null
  readonly running: boolean
  readonly labelRestarts: boolean
  readonly releaseAt: (x: number) => string | null
  readonly onPick: (x: number) => void
}

/** A panel that asks for its curves only while it is in sight, at the width it has. */
export const CurvePanel = memo(function CurvePanel(props: CurvePanelProps) {
  const { ref, inView } = useInView()
  return (
    <div ref={ref} className="grid min-h-0 min-w-0" data-testid={`panel-${props.panel.id}`}>
      {inView ? <LivePanel {...props} /> : <Skeleton className="h-full" />}
    </div>
  )
})

function LivePanel(props: CurvePanelProps) {
  const { panel, group } = props
  const text = useText()
  const [columns, setColumns] = useState(0)
  const range = useGroupState(group, (state) => state.range)
  const settled = useSettled(range, SETTLE)
  const query = useQuery({
    ...seriesQuery(queryOf(props, settled, columns)),
    enabled: columns > 0
  })
  const data = query.data ?? EMPTY_DATA
  const looks = useMemo(() => looksOf(panel.keys), [panel.keys])
  const marks = useMarks(props, data)
  const stalledFor = useStall(props)
  const hint = useHint(panel.info)
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
      subtitle={panel.info?.unit === undefined ? null : text(panel.info.unit)}
      hint={hint}
      data={data}
      keys={panel.keys}
      looks={looks}
      group={group}
      axis={props.axis}
      log={props.log}
      marks={marks}
      lane
      stalledFor={stalledFor}
      loading={query.isPending}
      releaseAt={props.releaseAt}
      onPick={props.onPick}
      onColumns={setColumns}
    />
  )
}

/** The question to the engine. Without a range it is about everything, and the answer grows with the run. */
function queryOf(
  props: CurvePanelProps,
  range: readonly [number, number] | null,
  columns: number
): SeriesQuery {
  return {
    run: props.run,
    keys: [...props.panel.keys],
    axis: props.axis === 'step' ? 'native' : props.axis,
    columns: Math.max(1, columns),
    smoothing: props.smoothing,
    ...(range === null ? {} : { range: [range[0], range[1]] })
  }
}

function useMarks(props: CurvePanelProps, data: ChartData): ChartMarks {
  const { t } = useTranslation('curves')
  const { lane, lit, start, panel, labelRestarts } = props
  return useMemo(
    () => ({
      lane,
      lit,
      references:
        start !== null && panel.keys.length === 1 && panel.keys[0] === start.key
          ? [{ value: start.value, label: t('startValue', { value: formatValue(start.value) }) }]
          : [],
      restarts: restartsOf(data.curves).map(({ attempt, x }) => ({
        x,
        label: labelRestarts ? t('attempt', { number: attempt }) : ''
      }))
    }),
    [lane, lit, start, panel.keys, labelRestarts, data, t]
  )
}

/** How long nothing came, once that is long for this run's pace. */
function useStall(props: CurvePanelProps): number | null {
  const now = useNow()
  const verdict = stallVerdict(arrivalsOf(props.run), now, props.running)
  return verdict.kind === 'stalled' ? Math.round(verdict.forMilliseconds / 1000) * 1000 : null
}

function useHint(info: KeyInfo | null): string | null {
  const { t } = useTranslation('charts')
  const text = useText()
  if (info === null) return null
  const parts = [
    info.key,
    info.description === undefined ? null : text(info.description),
    info.healthy === undefined ? null : t('healthy', { text: text(info.healthy) }),
    info.failure === undefined ? null : t('failure', { text: text(info.failure) })
  ]
  return parts.filter((part) => part !== null).join('\n')
}
