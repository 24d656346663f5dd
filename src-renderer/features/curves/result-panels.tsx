import type { ResultRow } from '@contract/compare'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { resultsQuery } from '../../api'
import { ChartPanel, NO_MARKS, looksOf, type AxisKind, type ChartData } from '../../charts'
import type { ChartGroup, ChartMarks, LaneBlock, ReleaseLane } from '../../charts'

type ResultPanelsProps = {
  readonly run: string
  readonly group: ChartGroup
  readonly axis: AxisKind
  readonly lane: ReleaseLane
  readonly releaseAt: (x: number) => string | null
  readonly onPick: (x: number) => void
}

type Placed = { readonly x: number; readonly row: ResultRow; readonly score: number }

/** Results made outside the stack, a chart a task on the x axis of the curves; newest tables count. */
export function ResultPanels(props: ResultPanelsProps) {
  const tables = useQuery(resultsQuery(props.run)).data ?? NOTHING
  const rows = tables.flatMap((table) => table.rows)
  const tasks = [...new Set(rows.map(({ task }) => task))]
  return tasks.map((task) => (
    <ResultPanel key={task} {...props} task={task} rows={rows.filter((row) => row.task === task)} />
  ))
}

const NOTHING: readonly { rows: ResultRow[] }[] = []

/** Where a result stands: at the end of what made its release, else at its own step; the base model before all. */
export function placeResults(
  rows: readonly ResultRow[],
  lane: readonly LaneBlock[],
  axis: AxisKind
): Placed[] {
  const ends = new Map(lane.map((block) => [block.step, block.to]))
  const first = lane[0]?.from
  const placed = new Map<number, Placed>()
  for (const row of rows) {
    if (row.score === null) continue
    const own = axis === 'step' ? (row.step ?? first) : row.step === null ? first : undefined
    const x = row.release === null ? own : ends.get(row.release)
    if (x !== undefined) placed.set(x, { x, row, score: row.score })
  }
  return [...placed.values()].sort((one, two) => one.x - two.x)
}

function ResultPanel(props: ResultPanelsProps & { task: string; rows: readonly ResultRow[] }) {
  const { t } = useTranslation('curves')
  const { task, rows, axis } = props
  const lane = useStore(props.lane, (state) => state.lane)
  const placed = useMemo(() => placeResults(rows, lane, axis), [rows, lane, axis])
  const data = useMemo(() => dataOf(task, placed), [task, placed])
  const looks = useMemo(() => looksOf([task]), [task])
  const marks = useMemo(
    (): ChartMarks => ({
      ...NO_MARKS,
      whiskers: placed.flatMap(({ x, row, score }) =>
        row.interval === null
          ? []
          : [{ x, value: score, low: row.interval[0], high: row.interval[1] }]
      )
    }),
    [placed]
  )
  if (placed.length === 0) return null
  return (
    <div className="grid min-h-0 min-w-0" data-testid={`result-panel-${task}`}>
      <ChartPanel
        id={`result-${task}`}
        title={task}
        titleIsWords={false}
        subtitle={t('resultNote')}
        hint={t('resultHint')}
        data={data}
        keys={[task]}
        looks={looks}
        group={props.group}
        axis={axis}
        log={false}
        marks={marks}
        releases={props.lane}
        lane
        stalledFor={null}
        loading={false}
        running={false}
        releaseAt={props.releaseAt}
        onPick={props.onPick}
        onColumns={ignore}
      />
    </div>
  )
}

const ignore = (): void => undefined

/** The scores as a curve whose band is the interval. */
function dataOf(task: string, placed: readonly Placed[]): ChartData {
  const column = (of: (one: Placed) => number): Float64Array => Float64Array.from(placed, of)
  const x = column((one) => one.x)
  const raw = column((one) => one.score)
  const curve = {
    key: task,
    attempt: 1,
    source: '',
    superseded: false,
    total: placed.length,
    x,
    min: column(({ row, score }) => row.interval?.[0] ?? score),
    max: column(({ row, score }) => row.interval?.[1] ?? score),
    raw,
    smooth: x.map(() => Number.NaN),
    smoothed: false,
    nonFinite: [],
    nonFiniteCount: 0
  }
  const [from, to] = [placed[0]?.x, placed.at(-1)?.x]
  return {
    revision: 0,
    extent: from === undefined || to === undefined ? null : [from, to],
    curves: [curve]
  }
}
