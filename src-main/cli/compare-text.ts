import type { SideComparison, WeightComparison } from '../contract/compare'
import type { MetricDifference } from '../contract/releases'
import { mostTelling, type WeightPair } from '../engine/compare'
import { table, words, type Io } from './output'

/** A number as these tables show it. */
export const figure = (value: number | null): string =>
  value === null ? '-' : value.toPrecision(4)

/** From one bound of an interval to the other. */
export function span(io: Io, [from, to]: readonly [string, string]): string {
  return words(io, { en: `${from} to ${to}`, zh: `${from} 至 ${to}` })
}

/** What a difference proves, in one cell: its size, its interval, and whether it is one. */
function verdict(io: Io, difference: MetricDifference | null): string {
  if (difference === null || difference.difference === null) return '-'
  const { interval, n } = difference
  const bounds =
    interval === null ? '' : ` (${span(io, [figure(interval[0]), figure(interval[1])])})`
  const size = `${difference.difference > 0 ? '+' : ''}${figure(difference.difference)}${bounds}`
  switch (difference.verdict) {
    case 'better':
      return `${size} ${words(io, { en: 'better', zh: '更好' })}`
    case 'worse':
      return `${size} ${words(io, { en: 'worse', zh: '更差' })}`
    case 'not-proven': {
      const least = n === null ? 0 : Math.min(...n)
      return words(io, {
        en: `${size} not proven, n = ${least}`,
        zh: `${size} 未获证实，n = ${least}`
      })
    }
    case 'same':
      return words(io, { en: 'same', zh: '相同' })
    case 'counter':
    case 'no-direction':
    case 'missing':
      return size
  }
}

/** What the numbers are, and what an interval is of. */
function numbersNote({ sides, baseline, window }: SideComparison, io: Io): string {
  const label = sides[baseline]?.label ?? ''
  const plain = sides.some(({ run, step }) => run !== null && step === null)
  const newest = plain
    ? {
        en: `, of a run without releases of its newest ${window} values`,
        zh: `；没有版本的运行取最新 ${window} 个值的均值`
      }
    : { en: '', zh: '' }
  return words(io, {
    en: `Means of the last ${window} releases up to each side${newest.en}; differences from ${label}, with their 95 % interval.`,
    zh: `每一方为截至该版本最近 ${window} 个版本的均值${newest.zh}；差值以 ${label} 为基准，括号内为 95% 区间。`
  })
}

/** One line a metric: each side's value, then each side's difference from the baseline. */
function metricLines(comparison: SideComparison, io: Io): string {
  const { sides, baseline, metrics } = comparison
  const others = sides.map((_, index) => index).filter((index) => index !== baseline)
  const name = (index: number): string => sides[index]?.label ?? ''
  const base = (label: string): string =>
    words(io, { en: `${label} (baseline)`, zh: `${label}（基准）` })
  const head = [
    words(io, { en: 'metric', zh: '指标' }),
    ...sides.map(({ label }, index) => (index === baseline ? base(label) : label)),
    ...others.map((index) => `${name(index)} - ${name(baseline)}`)
  ]
  const lines = metrics.map(({ key, cells, against }) => [
    key,
    ...cells.map(({ value }) => figure(value)),
    ...others.map((index) => verdict(io, against[index] ?? null))
  ])
  return table([head, ...lines])
}

function resultLines({ sides, baseline, results }: SideComparison, io: Io): string {
  const others = sides.map((_, index) => index).filter((index) => index !== baseline)
  const score = (value: number | null, n: number | null): string =>
    n === null
      ? figure(value)
      : words(io, { en: `${figure(value)} of ${n}`, zh: `${figure(value)}（共 ${n}）` })
  return table([
    [
      words(io, { en: 'result', zh: '结果' }),
      ...sides.map(({ label }) => label),
      ...others.map((index) => `${sides[index]?.label ?? ''} - ${sides[baseline]?.label ?? ''}`)
    ],
    ...results.map(({ task, cells, against }) => [
      task,
      ...cells.map((cell) => (cell === null ? '-' : score(cell.score, cell.n))),
      ...others.map((index) => verdict(io, against[index] ?? null))
    ])
  ])
}

function settingLines({ sides, settings }: SideComparison, io: Io): string {
  return table([
    [words(io, { en: 'setting', zh: '设置' }), ...sides.map(({ label }) => label)],
    ...settings.map(({ path, values }) => [path, ...values.map((value) => value ?? '-')])
  ])
}

/** A comparison as a person reads it in a terminal. */
export function sidesText(
  comparison: SideComparison,
  weights: readonly WeightPair[],
  io: Io
): string {
  const { sides, baseline, metrics, results, settings } = comparison
  const parts: string[] = []
  if (metrics.length > 0)
    parts.push(`${numbersNote(comparison, io)}\n${metricLines(comparison, io)}`)
  if (results.length > 0) parts.push(resultLines(comparison, io))
  if (settings.length > 0) parts.push(settingLines(comparison, io))
  else if (sides.filter(({ hasRecipe }) => hasRecipe).length > 1)
    parts.push(words(io, { en: 'The recipes mean the same.', zh: '两份配方含义相同。' }))
  const name = (side: number): string => sides[side]?.label ?? ''
  for (const one of weights) {
    const head = {
      en: `weights of ${name(one.side)} against ${name(baseline)}`,
      zh: `${name(one.side)} 与 ${name(baseline)} 的权重比较`
    }
    parts.push(`${words(io, head)}\n${weightTable(one.comparison, io)}`)
  }
  return parts.join('\n\n')
}

/** Tensors that moved most, at most this many lines. */
const MOST_MOVED = 20

const WEIGHT_HEADS = {
  en: ['tensor', 'relative', 'cosine', 'changed', 'NaN', 'inf', 'shape'],
  zh: ['张量', '相对变化', '余弦', '改变比例', 'NaN', 'inf', '形状']
}

/** Two sets of weights: the tensors that are broken or moved most, and everything in sum. */
export function weightTable(comparison: WeightComparison, io: Io): string {
  const { total, tensors, onlyA, onlyB, problems } = comparison
  const sum = figure(total.relative)
  return [
    ...comparison.warnings.map((warning) => `! ${words(io, warning)}`),
    table([
      WEIGHT_HEADS[io.language],
      ...mostTelling(tensors, MOST_MOVED).map((tensor) => [
        tensor.name,
        figure(tensor.relative),
        tensor.cosine === null ? '-' : tensor.cosine.toFixed(7),
        figure(tensor.changed),
        tensor.nan.join(', '),
        tensor.infinite.join(', '),
        tensor.shape.join('×')
      ])
    ]),
    words(io, {
      en: `${tensors.length} tensors, relative change ${sum}, only in A ${onlyA.length}, only in B ${onlyB.length}, not compared ${problems.length}`,
      zh: `${tensors.length} 个张量，相对变化 ${sum}，仅 A 有 ${onlyA.length}，仅 B 有 ${onlyB.length}，未比较 ${problems.length}`
    }),
    ...problems.map(({ name, why }) => `! ${name}: ${words(io, why)}`),
    ...comparison.files.map(({ file, path, a, b }) => `${file} ${path}: ${a ?? '-'} → ${b ?? '-'}`)
  ].join('\n')
}
