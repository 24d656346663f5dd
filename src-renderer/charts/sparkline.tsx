import { memo } from 'react'
import { Line, LineChart, YAxis } from 'recharts'
import { sameProps } from './same-props'

/**
 * A curve of at most some sixty points, as small as a word. Without axes: it shows the way, not the value.
 * Draws nothing for less than two finite points.
 */
export const Sparkline = memo(function Sparkline(props: {
  values: readonly number[]
  /** Said to screen readers. */
  label: string
  /** CSS pixels. */
  width?: number
  height?: number
  /** Series colour token; one run alone is `c1`. */
  token?: 'c1' | 'cmp-a' | 'cmp-b'
}) {
  const { width = 96, height = 20, token = 'c1' } = props
  const finite = props.values.filter((value) => Number.isFinite(value))
  if (finite.length < 2) return <span style={{ display: 'inline-block', width, height }} />
  const points = props.values.map((value) => ({ value: Number.isFinite(value) ? value : null }))
  const last = points.length - 1
  const colour = `var(--${token})`
  return (
    <span
      role="img"
      aria-label={props.label}
      // Its parts are replaced as values come: a click that begins on one must still reach the row around it.
      style={{ display: 'inline-block', width, height, pointerEvents: 'none' }}
    >
      <LineChart
        width={width}
        height={height}
        data={points}
        margin={{ top: 3, right: 4, bottom: 3, left: 2 }}
        accessibilityLayer={false}
      >
        <YAxis hide domain={['dataMin', 'dataMax']} />
        <Line
          dataKey="value"
          type="linear"
          stroke={colour}
          strokeWidth={1.5}
          isAnimationActive={false}
          activeDot={false}
          dot={(dot: { index?: number; cx?: number; cy?: number }) =>
            dot.index === last && dot.cx !== undefined && dot.cy !== undefined ? (
              <circle key="last" cx={dot.cx} cy={dot.cy} r={2} fill={colour} />
            ) : (
              <g key={`none-${dot.index ?? ''}`} />
            )
          }
        />
      </LineChart>
    </span>
  )
}, sameProps)
