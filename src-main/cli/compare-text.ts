import type { SideComparison, WeightComparison } from '../contract/compare'
import type { MetricDifference } from '../contract/releases'
import { table } from './output'

/** Weights of one side against those of the baseline. */
export interface SideWeights {
  side: number
  comparison: WeightComparison
}

const figure = (value: number | null): string => (value === null ? '-' : value.toPrecision(4))

/** What a difference proves, in one cell: its size, its interval, and whether it is one. */
function verdict(difference: MetricDifference | null): string {
  if (difference === null || difference.difference === null) return '-'
  const { interval, n } = difference
  const span = interval === null ? '' : ` (${figure(interval[0])} to ${figure(interval[1])})`
  const size = `${difference.difference > 0 ? '+' : ''}${figure(difference.difference)}${span}`
  switch (difference.verdict) {
    case 'better':
    case 'worse':
      return `${size} ${difference.verdict}`
    case 'not-proven':
      return `${size} not proven, n = ${n === null ? 0 : Math.min(...n)}`
    case 'no-direction':
    case 'missing':
      return size
  }
}

/** One line a metric: each side's value, then each side's difference from the baseline. */
function metricLines(comparison: SideComparison): string {
  const { sides, baseline, metrics } = comparison
  const others = sides.map((_, index) => index).filter((index) => index !== baseline)
  const name = (index: number): string => sides[index]?.label ?? ''
  const head = [
    'metric',
    ...sides.map(({ label }, index) => (index === baseline ? `${label} (baseline)` : label)),
    ...others.map((index) => `${name(index)} - ${name(baseline)}`)
  ]
  const lines = metrics.map(({ key, cells, against }) => [
    key,
    ...cells.map(({ value }) => figure(value)),
    ...others.map((index) => verdict(against[index] ?? null))
  ])
  return table([head, ...lines])
}

function resultLines({ sides, baseline, results }: SideComparison): string {
  const others = sides.map((_, index) => index).filter((index) => index !== baseline)
  return table([
    [
      'result',
      ...sides.map(({ label }) => label),
      ...others.map((index) => sides[index]?.label ?? '')
    ],
    ...results.map(({ task, cells, against }) => [
      task,
      ...cells.map((cell) =>
        cell === null ? '-' : `${figure(cell.score)}${cell.n === null ? '' : ` of ${cell.n}`}`
      ),
      ...others.map((index) => verdict(against[index] ?? null))
    ])
  ])
}

function settingLines({ sides, settings }: SideComparison): string {
  return table([
    ['setting', ...sides.map(({ label }) => label)],
    ...settings.map(({ path, values }) => [path, ...values.map((value) => value ?? '-')])
  ])
}

/** A comparison as a person reads it in a terminal. */
export function sidesText(
  comparison: SideComparison,
  weights: readonly SideWeights[],
  weightText: (comparison: WeightComparison) => string
): string {
  const { sides, baseline, metrics, results, settings } = comparison
  const parts: string[] = []
  if (metrics.length > 0) parts.push(metricLines(comparison))
  if (results.length > 0) parts.push(resultLines(comparison))
  if (settings.length > 0) parts.push(settingLines(comparison))
  else if (sides.filter(({ hasRecipe }) => hasRecipe).length > 1)
    parts.push('The recipes mean the same.')
  for (const one of weights)
    parts.push(
      `weights of ${sides[one.side]?.label ?? ''} against ${sides[baseline]?.label ?? ''}\n${weightText(one.comparison)}`
    )
  return parts.join('\n\n')
}
