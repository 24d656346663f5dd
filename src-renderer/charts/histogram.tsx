import { memo } from 'react'
import { Bar, BarChart, Cell, XAxis, YAxis } from 'recharts'
import { sameProps } from './same-props'

export type HistogramBar = { readonly label: string; readonly count: number }

/** A few bars with their labels under them. `lit` is drawn in the series colour, the others grey. */
export const Histogram = memo(function Histogram(props: {
  bars: readonly HistogramBar[]
  label: string
  /** Index of the bar to stand out; null draws all alike. */
  lit: number | null
  width?: number
  height?: number
}) {
  const { width = 288, height = 72 } = props
  return (
    <div role="img" aria-label={props.label}>
      <BarChart
        width={width}
        height={height}
        data={[...props.bars]}
        margin={{ top: 4, right: 0, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <YAxis hide domain={[0, 'dataMax']} />
        <XAxis
          dataKey="label"
          tickLine={false}
          axisLine={{ stroke: 'var(--axis)' }}
          tick={{ fill: 'var(--text-2)', fontSize: 12 }}
          interval="preserveStartEnd"
          height={20}
        />
        <Bar dataKey="count" isAnimationActive={false}>
          {props.bars.map((bar, index) => (
            <Cell
              key={bar.label}
              fill={props.lit === null || props.lit === index ? 'var(--c1)' : 'var(--line-3)'}
            />
          ))}
        </Bar>
      </BarChart>
    </div>
  )
}, sameProps)
