import type { AxisKind } from './chart-handle'
import { formatTicks, formatValue } from './number-format'
import { formatDuration, linearTicks, timeTicks } from './ticks'
import type { Range } from './view-range'

const SECOND = 1000
const DAY = 86_400_000

/** Ticks of an x axis. */
export function xTicks(axis: AxisKind, range: Range, most: number): number[] {
  switch (axis) {
    case 'metric':
      return linearTicks(range[0], range[1], most)
    case 'step':
    case 'rollout':
      // There is no step between two steps.
      return linearTicks(range[0], range[1], most).filter(Number.isInteger)
    case 'relative':
      return timeTicks(range[0] * SECOND, range[1] * SECOND, 0, most).map((tick) => tick / SECOND)
    case 'wall':
      return timeTicks(range[0], range[1], -new Date(range[1]).getTimezoneOffset(), most)
  }
}

/** Labels of those ticks. Clock times say the day only where a day is what they tell apart. */
export function xLabels(axis: AxisKind, ticks: readonly number[]): string[] {
  switch (axis) {
    case 'step':
    case 'rollout':
    case 'metric':
      return formatTicks(ticks)
    case 'relative':
      return ticks.map((tick) => formatDuration(tick * SECOND))
    case 'wall':
      return ticks.map((tick) => clockLabel(tick, spacing(ticks)))
  }
}

/** One x for a tooltip or a table. */
export function formatX(axis: AxisKind, x: number): string {
  switch (axis) {
    case 'metric':
      return formatValue(x)
    case 'step':
    case 'rollout':
      return formatTicks([Math.round(x * 1000) / 1000])[0] ?? ''
    case 'relative':
      return formatDuration(x * SECOND)
    case 'wall':
      return clockLabel(x, SECOND)
  }
}

function spacing(ticks: readonly number[]): number {
  const [first, second] = ticks
  return first === undefined || second === undefined ? DAY : second - first
}

function clockLabel(at: number, step: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  if (step >= DAY) return `${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`
  return step < 60 * SECOND ? `${clock}:${two(date.getSeconds())}` : clock
}
