import { useTranslation } from 'react-i18next'
import { formatDifference } from './number-format'

const WIDTH = 88
const HEIGHT = 16
const PAD = 6

/** Where an interval, its estimate and zero stand on a scale of their own, in CSS pixels. */
export function intervalLayout(
  difference: number,
  interval: readonly [number, number]
): { zero: number; low: number; high: number; estimate: number } {
  const reach = Math.max(Math.abs(interval[0]), Math.abs(interval[1]), Math.abs(difference))
  const middle = WIDTH / 2
  const perUnit = reach === 0 ? 0 : (middle - PAD) / reach
  const at = (value: number): number => middle + value * perUnit
  return { zero: middle, low: at(interval[0]), high: at(interval[1]), estimate: at(difference) }
}

/** A difference with its interval on its own scale; the tick is zero. Grey when zero is inside. */
export function IntervalMark(props: { difference: number; interval: readonly [number, number] }) {
  const { t } = useTranslation('charts')
  const { zero, low, high, estimate } = intervalLayout(props.difference, props.interval)
  const proven = props.interval[0] > 0 || props.interval[1] < 0
  const colour = proven ? 'var(--text)' : 'var(--text-3)'
  const middle = HEIGHT / 2
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={t('difference', {
        value: formatDifference(props.difference),
        low: formatDifference(props.interval[0]),
        high: formatDifference(props.interval[1])
      })}
    >
      <line x1={zero} x2={zero} y1={0} y2={HEIGHT} stroke="var(--line-3)" />
      <line x1={low} x2={high} y1={middle} y2={middle} stroke={colour} strokeWidth={2} />
      <circle cx={estimate} cy={middle} r={3} fill={colour} />
    </svg>
  )
}
