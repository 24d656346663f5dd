import type { Tally, Trial, TrialRow } from '../../contract/behaviour'
import type { Alignment } from '../../contract/comparing'
import type { SideComparison, TensorDifference } from '../../contract/compare'
import type { MetricDifference } from '../../contract/releases'
import { mostTelling } from './figures'
import { FIGURE_STYLE, type Figure, figureHtml } from './curve-figure'
import type { OddPair, WeightPair } from './weight-pairs'
import { wordsIn } from './page-words'

export interface PageContent {
  name: string
  comparison: SideComparison
  /** Curves of the sides that are releases, and by what they are laid over each other. */
  curves: { by: Alignment; figures: readonly Omit<Figure, 'unit'>[] }
  weights: readonly WeightPair[]
  odd: readonly OddPair[]
  trials: readonly Trial[]
  language: 'en' | 'zh'
  /** Unix milliseconds. */
  madeAt: number
}

type Say = ReturnType<typeof wordsIn>

/** Tensors listed of one pair. */
const LISTED = 40

const STYLE = `
:root{color-scheme:light dark;--line:#8884;--quiet:#777;--good:#197a3c;--bad:#b3261e;--hot:#c2410c}
@media (prefers-color-scheme:dark){:root{--quiet:#9a9a9a;--good:#5fd08a;--bad:#ff8a80;--hot:#fb923c}}
body{font:14px/1.5 system-ui,sans-serif;max-width:1200px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1rem 0 .25rem}
.quiet{color:var(--quiet)}.good{color:var(--good)}.bad{color:var(--bad)}
.wide{overflow-x:auto}
table{border-collapse:collapse}th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th{font-weight:600}th:first-child,td:first-child{text-align:left}
code,.mono{font-family:ui-monospace,monospace;font-size:.9em}
.heat td{padding:0;border:0;min-width:14px;height:18px}.heat th{border:0;padding:0 .5rem;text-align:right;font-weight:400}
.answers{display:grid;grid-template-columns:1fr 1fr;gap:1rem;margin:.25rem 0 1rem}
.answers pre,.prompt{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:6px;padding:.5rem;margin:0;font:inherit}
`

/** Text that stands in HTML as it is, in an element or an attribute. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

const figure = (value: number | null): string =>
  value === null ? '–' : String(Number(value.toPrecision(4)))

/**
 * A comparison as one HTML page: no script, nothing loaded, and a policy in the page that forbids both, so that it can
 * be mailed and opened anywhere.
 */
export function comparisonPage(content: PageContent): string {
  const { name, comparison, curves, weights, odd, trials, language, madeAt } = content
  const say = wordsIn(language)
  const labels = comparison.sides.map(({ label }) => label)
  const runs = new Map(comparison.sides.flatMap(({ run }) => (run === null ? [] : [[run.id, run]])))
  const from = [...runs.values()].map((run) => `${run.name} (${run.id})`)
  const body = [
    `<h1>${escaped(name)}</h1>`,
    `<p class="quiet">${[labels, from]
      .filter((line) => line.length > 0)
      .map((line) => escaped(line.join(' · ')))
      .join('<br>')}<br>${say('made')}, <time>${new Date(madeAt).toISOString()}</time></p>`,
    numbers(comparison, say),
    curvesPart(curves, say),
    results(comparison, say),
    settings(comparison, say),
    ...weights.map((one) => weightPart(one, comparison, say, language)),
    ...odd.map(
      ({ side, why }) =>
        `<p class="bad">${say('weights')}: ${escaped(labels[side] ?? '')}: ${escaped(why[language])}</p>`
    ),
    ...trials.map((trial) => trialPart(trial, say, language))
  ]
  return [
    '<!doctype html>',
    `<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">`,
    '<head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(name)}</title><style>${STYLE}${FIGURE_STYLE}</style></head>`,
    `<body>${body.filter((part) => part !== '').join('\n')}</body></html>`,
    ''
  ].join('\n')
}

function curvesPart({ by, figures }: PageContent['curves'], say: Say): string {
  if (figures.length === 0) return ''
  const drawn = figures.map((figure) => figureHtml({ ...figure, unit: say(`by-${by}`) }, escaped))
  return `<h2>${say('curves')}</h2><p class="quiet">${say('curvesNote')}</p>${drawn.join('\n')}`
}

/** A table whose cells are HTML already. */
function grid(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<div class="wide"><table><thead>${line(heads, 'th')}</thead><tbody>${rows
    .map((row) => line(row, 'td'))
    .join('')}</tbody></table></div>`
}

function heads(first: string, { sides, baseline }: SideComparison, say: Say): string[] {
  return [
    first,
    ...sides.map(
      ({ label }, index) =>
        escaped(label) +
        (index === baseline ? ` <span class="quiet">${say('baseline')}</span>` : '')
    )
  ]
}

function against(difference: MetricDifference | null, say: Say): string {
  if (difference === null || difference.difference === null) return ''
  const { interval, n, verdict, difference: d } = difference
  const span = interval === null ? '' : ` (${figure(interval[0])} … ${figure(interval[1])})`
  const size = `${d > 0 ? '+' : ''}${figure(d)}${span}`
  switch (verdict) {
    case 'better':
      return `<br><span class="good">${size} ✓ ${say('better')}</span>`
    case 'worse':
      return `<br><span class="bad">${size} ✗ ${say('worse')}</span>`
    case 'not-proven':
      return `<br><span class="quiet">${size} ${say('notProven')}, n = ${n === null ? 0 : Math.min(...n)}</span>`
    case 'same':
      return `<br><span class="quiet">${say('same')}</span>`
    case 'counter':
    case 'no-direction':
    case 'missing':
      return `<br><span class="quiet">${size}</span>`
  }
}

function numbers(comparison: SideComparison, say: Say): string {
  if (comparison.metrics.length === 0) return ''
  const rows = comparison.metrics.map(({ key, cells, against: differences }) => [
    `<code>${escaped(key)}</code>`,
    ...cells.map(({ value }, index) => figure(value) + against(differences[index] ?? null, say))
  ])
  return `<h2>${say('numbers')}</h2><p class="quiet">${say('numbersNote')}</p>${grid(
    heads(say('metric'), comparison, say),
    rows
  )}`
}

function results(comparison: SideComparison, say: Say): string {
  if (comparison.results.length === 0) return ''
  const rows = comparison.results.map(({ task, cells, against: differences }) => [
    `<code>${escaped(task)}</code>`,
    ...cells.map((cell, index) => {
      if (cell === null) return '–'
      const span =
        cell.interval === null ? '' : ` (${figure(cell.interval[0])} … ${figure(cell.interval[1])})`
      const of = cell.n === null ? '' : `, n = ${cell.n}`
      return `${figure(cell.score)}<span class="quiet">${span}${of}</span>${against(differences[index] ?? null, say)}`
    })
  ])
  return `<h2>${say('results')}</h2>${grid(heads(say('task'), comparison, say), rows)}`
}

function settings(comparison: SideComparison, say: Say): string {
  if (comparison.sides.filter(({ hasRecipe }) => hasRecipe).length < 2) return ''
  const title = `<h2>${say('settings')}</h2>`
  if (comparison.settings.length === 0) return `${title}<p>${say('equal')}</p>`
  const rows = comparison.settings.map(({ path, values, derived }) => [
    `<code>${escaped(path)}</code>${derived ? ` <span class="quiet">${say('follows')}</span>` : ''}`,
    ...values.map((value) => `<code>${value === null ? '–' : escaped(value)}</code>`)
  ])
  return title + grid(heads(say('setting'), comparison, say), rows)
}

function weightPart(
  { side, comparison }: PageContent['weights'][number],
  { sides, baseline }: SideComparison,
  say: Say,
  language: 'en' | 'zh'
): string {
  const name = (index: number): string => escaped(sides[index]?.label ?? '')
  const { total, tensors, warnings, problems, files } = comparison
  const bad = [...total.nan, ...total.infinite].some((count) => count > 0)
  const rows = mostTelling(tensors, LISTED).map((tensor) => [
    `<code>${escaped(tensor.name)}</code>`,
    figure(tensor.relative),
    tensor.cosine === null ? '–' : tensor.cosine.toFixed(7),
    tensor.changed === null ? '–' : `${(tensor.changed * 100).toFixed(1)} %`,
    escaped(tensor.shape.join(' × '))
  ])
  const differing = files.map(({ file, path, a, b }) => [
    `<code>${escaped(`${file} ${path}`)}</code>`,
    `<code>${escaped(a ?? '–')}</code>`,
    `<code>${escaped(b ?? '–')}</code>`
  ])
  return [
    `<h2>${say('weights')}: ${name(baseline)} → ${name(side)}</h2>`,
    ...warnings.map((text) => `<p class="bad">${escaped(text[language])}</p>`),
    `<p>${tensors.length} ${say('tensors')}, ${say('relative')} ${figure(total.relative)}, ${say('cosine')} ${
      total.cosine === null ? '–' : total.cosine.toFixed(7)
    }</p>`,
    bad
      ? `<p class="bad">NaN: ${total.nan.join(' → ')}; ${say('infinite')}: ${total.infinite.join(' → ')}</p>`
      : '',
    heatTable(tensors),
    `<h3>${say('moved')}</h3>`,
    grid(['', say('relative'), say('cosine'), say('changed'), ''], rows),
    ...problems.map(({ name: which, why }) => `<p>${escaped(`${which}: ${why[language]}`)}</p>`),
    differing.length === 0
      ? ''
      : `<h3>${say('files')}</h3>${grid(['', name(baseline), name(side)], differing)}`
  ].join('\n')
}

/** Relative change of layers × modules, stronger where more moved, on a logarithmic scale. */
function heatTable(tensors: readonly TensorDifference[]): string {
  const cells = new Map<string, Map<number, number>>()
  for (const { layer, module, relative } of tensors) {
    if (layer === null) continue
    const row = cells.get(module) ?? new Map<number, number>()
    cells.set(module, row.set(layer, Math.max(row.get(layer) ?? 0, relative ?? 0)))
  }
  const layers = [...new Set([...cells.values()].flatMap((row) => [...row.keys()]))].sort(
    (one, two) => one - two
  )
  const moved = [...cells.values()].flatMap((row) => [...row.values()]).filter((one) => one > 0)
  if (moved.length === 0) return ''
  const [low, high] = [Math.min(...moved), Math.max(...moved)]
  const strength = (value: number): number =>
    value <= 0 ? 0 : high <= low ? 100 : 12 + (88 * Math.log(value / low)) / Math.log(high / low)
  const rows = [...cells].map(([module, row]) => {
    const columns = layers.map((layer) => {
      const value = row.get(layer)
      if (value === undefined) return '<td></td>'
      const colour = `color-mix(in oklab, var(--hot) ${Math.round(strength(value))}%, transparent)`
      return `<td style="background:${colour}" title="${layer}: ${figure(value)}"></td>`
    })
    return `<tr><th class="mono">${escaped(module)}</th>${columns.join('')}</tr>`
  })
  return `<div class="wide"><table class="heat">${rows.join('')}</table></div><p class="quiet">${figure(low)} … ${figure(high)}</p>`
}

function trialPart(trial: Trial, say: Say, language: 'en' | 'zh'): string {
  const { name, sides, tallies, rows } = trial
  const [tally] = tallies
  const outcome =
    tally === undefined || sides.length > 2
      ? outcomeTable(trial, say)
      : `<p>${escaped(sides[1]?.label ?? '')}: ${tallyWords(tally, say)}</p>`
  return [
    `<h2>${say('behaviour')}: ${escaped(name)}</h2>`,
    outcome,
    ...rows.map((row) => trialRow(row, trial, say, language))
  ].join('\n')
}

const percent = (share: number): string => (share * 100).toFixed(0)

/** A share of verdicts with its interval; empty while there is none. */
function shareWords(
  { share, interval }: Pick<Tally, 'share' | 'interval'>,
  of: string,
  proven: string | null
): string {
  if (share === null || interval === null) return ''
  const words = of === '' ? '' : ` ${of}`
  return `${percent(share)} %${words} (${interval.map(percent).join(' … ')} %)${proven === null ? '' : `, ${proven}`}`
}

function tallyWords(tally: Tally, say: Say): string {
  const proven = tally.proven === 'no' ? say('notProven') : null
  const share = shareWords(tally, say('ofDecided'), proven)
  return `${tally.win} ${say('wins')}, ${tally.tie} ${say('ties')}, ${tally.loss} ${say('losses')}${share === '' ? '' : `, ${share}`}`
}

/** Of more than two sides: how often each was the best, and how it stands against the first. */
function outcomeTable({ sides, bests, tallies }: Trial, say: Say): string {
  const first = escaped(sides[0]?.label ?? '')
  const heads = ['', say('bestAlone'), say('bestTogether'), `${say('against')} ${first}`]
  const rows = sides.map(({ label }, place) => {
    const best = bests[place]
    const tally = place === 0 ? undefined : tallies[place - 1]
    const share =
      best === undefined ? '' : shareWords(best, '', best.proven === 'no' ? say('notProven') : null)
    const cells = [
      best === undefined ? '' : `${best.alone}${share === '' ? '' : `, ${share}`}`,
      String(best?.together ?? 0),
      tally === undefined ? say('baseline') : tallyWords(tally, say)
    ]
    return `<tr><th>${escaped(label)}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  return `<div class="wide"><table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows.join('')}</table></div>`
}

function trialRow(row: TrialRow, { sides }: Trial, say: Say, language: 'en' | 'zh'): string {
  const { verdict } = row
  const even = verdict?.length === sides.length
  const answers = row.answers.map((answer, index) => {
    const text = answer === null ? '–' : answer.kind === 'text' ? answer.text : answer.why[language]
    const word = sides.length > 2 ? say('best') : say('better')
    const better = !even && verdict?.includes(index) === true ? ` ✓ ${word}` : ''
    return `<div><b>${escaped(sides[index]?.label ?? '')}</b><span class="good">${better}</span><pre>${escaped(text)}</pre></div>`
  })
  const quiet =
    verdict === null
      ? say('unjudged')
      : even
        ? say('tie')
        : verdict.length === 0
          ? say('noneGood')
          : null
  const word = quiet === null ? '' : `<span class="quiet">${quiet}</span>`
  return `<div class="prompt">${escaped(row.prompt)}</div>${word}<div class="answers">${answers.join('')}</div>`
}
