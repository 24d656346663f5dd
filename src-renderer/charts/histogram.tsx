import { memo } from 'react'
import { sameProps } from './same-props'

export type HistogramBar = { readonly label: string; readonly count: number }

/** Room over the bars, and under them for their labels. CSS pixels. */
const TOP = 4
const FOOT = 20
/** Share of its place a bar leaves free on each side. */
const GAP = 0.1

/**
 * A few bars with their labels under them. `lit` is drawn in the series colour, the others grey. Plain elements, because
 * it changes with every release: a chart library's store, effects and measured words cost a page that is live too much.
 */
export const Histogram = memo(function Histogram(props: {
  bars: readonly HistogramBar[]
  label: string
  /** Index of the bar to stand out; null draws all alike. */
  lit: number | null
  width?: number
  height?: number
}) {
  const { bars, lit, width = 288, height = 72 } = props
  const bottom = height - FOOT
  const boxes = barBoxes(
    bars.map(({ count }) => count),
    { width, top: TOP, bottom }
  )
  const shown = shownLabels(
    bars.map(({ label }) => label),
    width
  )
  return (
    <svg role="img" aria-label={props.label} width={width} height={height} className="block">
      {boxes.map((box, index) => (
        <rect
          key={bars[index]?.label}
          {...box}
          fill={lit === null || lit === index ? 'var(--c1)' : 'var(--line-3)'}
        />
      ))}
      <line x1={0} x2={width} y1={bottom + 0.5} y2={bottom + 0.5} stroke="var(--axis)" />
      {shown.map(({ label, index }) => (
        <text
          key={label}
          x={((index + 0.5) * width) / bars.length}
          y={height - 5}
          textAnchor="middle"
          style={{ fill: 'var(--text-2)', fontSize: 12 }}
        >
          {label}
        </text>
      ))}
    </svg>
  )
}, sameProps)

type Box = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Where the bars stand, from zero up or down to their values; a value that is no number has no height. CSS pixels. */
export function barBoxes(
  counts: readonly number[],
  room: { readonly width: number; readonly top: number; readonly bottom: number }
): Box[] {
  const values = counts.map((count) => (Number.isFinite(count) ? count : 0))
  const most = Math.max(0, ...values)
  const least = Math.min(0, ...values)
  const perUnit = (room.bottom - room.top) / (most - least || 1)
  const zero = room.bottom + least * perUnit
  const place = room.width / counts.length
  return values.map((value, index) => ({
    x: index * place + GAP * place,
    y: zero - Math.max(0, value) * perUnit,
    width: (1 - 2 * GAP) * place,
    height: Math.abs(value) * perUnit
  }))
}

/** Pixels of a letter at 12 px, and between two labels. */
const LETTER = 7
const LABEL_GAP = 8

/**
 * The labels there is room for, the last one always among them. Reckoned and not measured: measuring words lays out the
 * whole page for each of them.
 * @param width CSS pixels all bars share.
 */
export function shownLabels(
  labels: readonly string[],
  width: number
): { readonly label: string; readonly index: number }[] {
  const widest = Math.max(0, ...labels.map((label) => label.length)) * LETTER + LABEL_GAP
  const every = Math.max(1, Math.ceil((widest * labels.length) / width))
  return labels.flatMap((label, index) =>
    (labels.length - 1 - index) % every === 0 ? [{ label, index }] : []
  )
}
