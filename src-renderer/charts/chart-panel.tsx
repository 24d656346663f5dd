import { AlertTriangle, Ellipsis, RotateCcw } from 'lucide-react'
import {
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject
} from 'react'
import { useTranslation } from 'react-i18next'
import {
  EmptyReason,
  IconButton,
  InlineState,
  Menu,
  Skeleton,
  Tooltip,
  type MenuEntry
} from '../ui'
import type { AxisKind, ChartHandle } from './chart-handle'
import { ChartTip } from './chart-tip'
import { ChartTable } from './chart-table'
import type { ChartGroup } from './chart-group'
import { shownRange } from './chart-group'
import { chartMenu } from './chart-menu'
import type { ChartData } from './columns'
import { nearestIndex, newestRaw } from './columns'
import { useKeyName } from './key-name'
import type { ChartMarks } from './marks'
import { countNonFinite } from './marks'
import { formatValue } from './number-format'
import type { SeriesLook } from './palette'
import type { ReleaseLane } from './release-lane'
import { formatDuration } from './ticks'
import { useCanvasChart } from './use-canvas-chart'
import { useGroupState } from './use-group-state'
import { chooseScale } from './value-scale'
import { visibleSpread } from './view-range'
import './charts.css'

export type ChartPanelProps = {
  /** Names the chart for crosshair, file names and tests. */
  readonly id: string
  readonly title: string
  /** Whether the title is words and not the name of a metric. */
  readonly titleIsWords: boolean
  readonly subtitle: string | null
  /** What the keys mean, shown when the title is hovered or focused. */
  readonly hint: ReactNode
  readonly data: ChartData
  readonly keys: readonly string[]
  readonly looks: ReadonlyMap<string, SeriesLook>
  readonly group: ChartGroup
  readonly axis: AxisKind
  readonly log: boolean
  /** Whether rare values are cut at the edge, so that the ordinary ones fill the plot. */
  readonly clip?: boolean
  readonly marks: ChartMarks
  /** Where lane and lit pieces come from as they change; without it they are those of `marks`. */
  readonly releases?: ReleaseLane | undefined
  readonly lane: boolean
  /** Since when nothing came, in milliseconds; null while samples come as usual. */
  readonly stalledFor: number | null
  /** True until the first answer. */
  readonly loading: boolean
  /** What is said where there is nothing to draw, when that is not for want of samples. */
  readonly empty?: ReactNode
  /** Whether more samples are to be expected. */
  readonly running: boolean
  /** Label of the release at an x, for the tooltip. */
  readonly releaseAt: (x: number) => string | null
  readonly onPick: (x: number) => void
  /** Further entries of its menu. */
  readonly more?: readonly MenuEntry[]
  /** Told the plot's width in CSS pixels whenever it changes. */
  readonly onColumns: (columns: number) => void
}

/** A chart with its head, tooltip, menu and data table. */
export const ChartPanel = memo(function ChartPanel(props: ChartPanelProps) {
  const { t } = useTranslation('charts')
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [tableOpen, setTableOpen] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const host = useRef<HTMLDivElement>(null)
  const chart = useCanvasChart(host, { ...props, hidden })
  const zoomed = useGroupState(props.group, (state) => state.range !== null && !state.live)
  const curves = props.data.curves
  const bad = useMemo(() => countNonFinite(curves), [curves])
  const empty = curves.every((curve) => curve.x.length === 0)
  const openTable = useCallback(() => setTableOpen(true), [])
  const latest = useRef(curves)
  useEffect(() => {
    latest.current = curves
  }, [curves])
  return (
    <section
      className="chart-panel"
      aria-label={t('chartOf', { key: props.title })}
      data-testid={`chart-${props.id}`}
      data-points={curves.reduce((sum, curve) => sum + curve.x.length, 0)}
      data-restarts={props.marks.restarts.length}
    >
      <div className={props.keys.length > 1 ? 'chart-head shared' : 'chart-head'}>
        <Title hint={props.hint} title={props.title} isWords={props.titleIsWords} />
        <span className="unit t2 el">
          <Subtitle
            group={props.group}
            curves={curves}
            subtitle={props.subtitle}
            log={props.log}
            clip={props.clip === true}
          />
        </span>
        {bad.nan + bad.infinite > 0 ? (
          <InlineState look={{ tone: 'fail', icon: AlertTriangle }} data-testid="chart-nan">
            {[
              bad.nan > 0 ? t('nan', { count: bad.nan }) : '',
              bad.infinite > 0 ? t('infinite', { count: bad.infinite }) : ''
            ]
              .filter((words) => words !== '')
              .join(', ')}
          </InlineState>
        ) : null}
        {props.stalledFor === null ? null : (
          <span className="c-warn el">
            {t('stalled', { time: formatDuration(props.stalledFor) })}
          </span>
        )}
        {props.keys.length > 1 ? (
          <SeriesLegend
            keys={props.keys}
            looks={props.looks}
            hidden={hidden}
            onToggle={setHidden}
          />
        ) : null}
        <span className="chart-acts flex items-center gap-1">
          {zoomed ? (
            <IconButton
              size="small"
              variant="ghost"
              icon={RotateCcw}
              keys="R"
              label={t('resetHint')}
              onClick={props.group.reset}
              data-testid="chart-reset"
            />
          ) : null}
          <HeadValue data={props.data} group={props.group} keys={props.keys} />
          <Acts
            title={props.title}
            chart={chart}
            curves={latest}
            more={props.more ?? NO_ENTRIES}
            openTable={openTable}
            onProblem={setProblem}
          />
        </span>
      </div>
      {problem === null ? null : <div className="c-fail px-3 text-xs">{problem}</div>}
      <div className="chart-plot">
        <div ref={host} className="chart-host" />
        {!empty ? null : props.loading ? (
          <Skeleton className="absolute inset-3" />
        ) : (
          <Nothing {...props} />
        )}
        <ChartTip
          id={props.id}
          curves={curves}
          looks={props.looks}
          hidden={hidden}
          group={props.group}
          axis={props.axis}
          releaseAt={props.releaseAt}
          chart={chart}
        />
      </div>
      {tableOpen ? (
        <ChartTable
          title={props.title}
          axis={props.axis}
          curves={curves}
          onClose={() => setTableOpen(false)}
        />
      ) : null}
    </section>
  )
})

const NO_ENTRIES: readonly MenuEntry[] = []

/** Apart from the numbers, so that those that come do not render it. */
const Title = memo(function Title(props: { hint: ReactNode; title: string; isWords: boolean }) {
  const { hint, title } = props
  return (
    <Tooltip text={hint ?? title}>
      <span className={props.isWords ? 'named el' : 'key el'} tabIndex={0}>
        {title}
      </span>
    </Tooltip>
  )
})

/** What can be done with the chart. Apart from the numbers like its title. */
const Acts = memo(function Acts(props: {
  title: string
  chart: RefObject<ChartHandle | null>
  curves: RefObject<ChartData['curves']>
  more: readonly MenuEntry[]
  openTable: () => void
  onProblem: (words: string | null) => void
}) {
  const { t } = useTranslation('charts')
  const { title, chart, curves, more, openTable, onProblem } = props
  const entries = useMemo(
    () => [
      ...chartMenu({
        t,
        title,
        curves: () => curves.current,
        canvas: () => chart.current?.canvas() ?? null,
        svg: () => chart.current?.svg(title) ?? null,
        openTable,
        onProblem
      }),
      ...more
    ],
    [t, title, chart, curves, more, openTable, onProblem]
  )
  return (
    <Menu
      align="end"
      entries={entries}
      trigger={
        <IconButton
          size="small"
          variant="ghost"
          icon={Ellipsis}
          label={t('menu', { key: title })}
        />
      }
    />
  )
})

function Nothing(props: Pick<ChartPanelProps, 'title' | 'data' | 'running' | 'empty'>) {
  const { t } = useTranslation('charts')
  const never = props.data.extent === null
  if (never && (props.empty ?? null) !== null)
    return <div className="absolute inset-0 grid place-items-center">{props.empty}</div>
  if (never && props.running) {
    return (
      <div className="absolute inset-0 grid place-items-center" data-testid="chart-waiting">
        <EmptyReason className="p-3" what={t('waitingWhat')} why={t('waitingWhy')} />
      </div>
    )
  }
  return (
    <div className="absolute inset-0 grid place-items-center">
      <EmptyReason
        className="p-3"
        what={never ? t('emptyWhat', { key: props.title }) : t('emptyRange')}
        why={never ? t('emptyWhy') : t('emptyRangeWhy')}
      />
    </div>
  )
}

/** The unit, and in which way the log axis was made, when it is on. */
function Subtitle(props: {
  group: ChartGroup
  curves: ChartData['curves']
  subtitle: string | null
  log: boolean
  clip: boolean
}) {
  const { t } = useTranslation('charts')
  const { curves, log, clip } = props
  // The way, not the range: that one moves with every sample.
  const kind = useGroupState(props.group, (state) =>
    log ? chooseScale('log', visibleSpread(curves, shownRange(state))).kind : 'linear'
  )
  const words = kind === 'log' ? t('log') : kind === 'symlog' ? t('symlog') : null
  const cut = clip ? t('clipped') : null
  return <>{[props.subtitle, words, cut].filter((part) => part !== null).join(', ')}</>
}

/**
 * The value under the crosshair, else the newest one; as it was written, for what is smoothed equals nothing one could
 * look up elsewhere. Only for a chart of one key: several would need names.
 */
function HeadValue(props: Pick<ChartPanelProps, 'data' | 'group' | 'keys'>) {
  const { t } = useTranslation('charts')
  const cross = useGroupState(props.group, (state) => state.cross?.x ?? null)
  if (props.keys.length !== 1) return null
  const curves = props.data.curves
  const under = cross === null ? undefined : curveNear(curves, cross)
  const value =
    under === undefined || cross === null
      ? (newestRaw(curves)?.value ?? null)
      : (under.raw[nearestIndex(under.x, cross)] ?? NaN)
  if (value === null) return null
  return (
    <span
      className="num font-semibold whitespace-nowrap"
      title={t(under === undefined ? 'newestValue' : 'valueUnder')}
      data-testid="chart-value"
    >
      {formatValue(value)}
    </span>
  )
}

/** The curve that owns an x: the one whose nearest point is nearest, what counts before what was left behind. */
function curveNear(
  curves: ChartData['curves'],
  x: number
): ChartData['curves'][number] | undefined {
  let best: { curve: ChartData['curves'][number]; distance: number } | undefined
  for (const curve of curves) {
    const at = curve.x[nearestIndex(curve.x, x)]
    if (at === undefined || curve.superseded) continue
    const distance = Math.abs(at - x)
    if (best === undefined || distance <= best.distance) best = { curve, distance }
  }
  return best?.curve
}

function SeriesLegend(props: {
  keys: readonly string[]
  looks: ReadonlyMap<string, SeriesLook>
  hidden: ReadonlySet<string>
  onToggle: (hidden: ReadonlySet<string>) => void
}) {
  const { t } = useTranslation('charts')
  const nameOf = useKeyName()
  const toggle = (key: string): void => {
    const next = new Set(props.hidden)
    if (!next.delete(key)) next.add(key)
    props.onToggle(next)
  }
  return (
    <div
      className="chart-legend flex h-5 min-w-0 items-center gap-3 overflow-hidden text-xs"
      aria-label={t('series')}
    >
      {props.keys.map((key) => (
        <button
          key={key}
          type="button"
          aria-pressed={!props.hidden.has(key)}
          className={`el flex items-center gap-1 ${props.hidden.has(key) ? 't3 line-through' : ''}`}
          title={key}
          onClick={() => toggle(key)}
        >
          <SeriesDash look={props.looks.get(key)} />
          <span className="el">{nameOf(key, true)}</span>
        </button>
      ))}
    </div>
  )
}

/** The short dash that stands for a series beside its name. */
export function SeriesDash(props: { look: SeriesLook | undefined }) {
  const colour = `var(--${props.look?.token ?? 'c1'})`
  return (
    <svg width="10" height="4" aria-hidden className="flex-none">
      <line
        x1="0"
        x2="10"
        y1="2"
        y2="2"
        stroke={colour}
        strokeWidth="2.5"
        strokeDasharray={props.look?.dash.map((length) => length / 2).join(' ')}
      />
    </svg>
  )
}
