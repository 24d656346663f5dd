import type { ResultRow } from '@contract/compare'
import { useTranslation } from 'react-i18next'
import { formatValue } from '../../charts'

const WIDTH = 360
const HEIGHT = 150
const LEFT = 44
const BOTTOM = 22
const TOP = 8

type Point = { readonly x: number; readonly row: ResultRow; readonly score: number }

/** Where a result stands on the axis: its release, else its step; the base model before all. */
function pointsOf(rows: readonly ResultRow[]): { points: Point[]; by: 'release' | 'step' } {
  const by = rows.some(({ release }) => release !== null) ? 'release' : 'step'
  const points = rows.flatMap((row): Point[] => {
    if (row.score === null) return []
    const x = by === 'release' ? row.release : row.step
    return [{ x: x ?? 0, row, score: row.score }]
  })
  return { points: points.sort((one, two) => one.x - two.x), by }
}

/** Scores of one task over releases or steps, each proportion with its 95 % Wilson interval. */
export function ResultChart(props: { rows: readonly ResultRow[]; task: string }) {
  const { t } = useTranslation('compare')
  const { points, by } = pointsOf(props.rows)
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined) return null
  const lows = points.map(({ row, score }) => row.interval?.[0] ?? score)
  const highs = points.map(({ row, score }) => row.interval?.[1] ?? score)
  const [low, high] = [Math.min(...lows), Math.max(...highs)]
  const pad = high > low ? (high - low) * 0.08 : 0.05
  const span = high - low + 2 * pad
  const y = (value: number): number => TOP + ((high + pad - value) / span) * (HEIGHT - TOP - BOTTOM)
  const x = (value: number): number =>
    last.x === first.x
      ? (LEFT + WIDTH) / 2
      : LEFT + 10 + ((value - first.x) / (last.x - first.x)) * (WIDTH - LEFT - 24)
  const name = (value: number): string => (by === 'release' ? `r${value}` : String(value))
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="w-full"
      role="img"
      aria-label={t('results.chart', { task: props.task })}
      data-testid={`result-chart-${props.task}`}
    >
      {[low, high].map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} stroke="var(--line-1)" />
          <text x={LEFT - 6} y={y(value) + 4} textAnchor="end" fontSize="12" fill="var(--text-2)">
            {formatValue(value)}
          </text>
        </g>
      ))}
      <polyline
        points={points.map((point) => `${x(point.x)},${y(point.score)}`).join(' ')}
        fill="none"
        stroke="var(--c1)"
        strokeWidth="1.5"
        opacity="0.6"
      />
      {points.map(({ row, score, x: at }, index) => (
        <g key={`${at}/${index}`}>
          {row.interval === null ? null : (
            <line
              x1={x(at)}
              x2={x(at)}
              y1={y(row.interval[0])}
              y2={y(row.interval[1])}
              stroke="var(--c1)"
              strokeWidth="2"
            />
          )}
          <circle cx={x(at)} cy={y(score)} r="3.5" fill="var(--c1)">
            <title>{wordsOf(name(at), row, score)}</title>
          </circle>
        </g>
      ))}
      {[first, last].map((point, index) => (
        <text
          key={`${point.x}/${index}`}
          x={x(point.x)}
          y={HEIGHT - 6}
          textAnchor="middle"
          fontSize="12"
          fill="var(--text-2)"
        >
          {index === 1 && last.x === first.x ? '' : name(point.x)}
        </text>
      ))}
    </svg>
  )
}

function wordsOf(name: string, row: ResultRow, score: number): string {
  const interval =
    row.interval === null
      ? ''
      : ` (${formatValue(row.interval[0])}–${formatValue(row.interval[1])})`
  return `${name}: ${formatValue(score)}${interval}${row.n === null ? '' : `, n = ${row.n}`}`
}
