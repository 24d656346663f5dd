import type { Aligned } from '../../contract/comparing'

/** One side's curve of a figure. */
interface FigureCurve {
  label: string
  /** Place among the compared sides, which gives it its colour. */
  side: number
  points: Aligned
}

/** A chart of an exported comparison: one metric of every side that has it. */
export interface Figure {
  title: string
  /** What the x axis counts, for a person. */
  unit: string
  curves: readonly FigureCurve[]
}

const WIDTH = 720
const HEIGHT = 260
const PLOT = { left: 64, right: 12, top: 10, bottom: 34 } as const
/** Points drawn of one curve: more than the figure has pixels would only make the page large. */
const MOST_POINTS = 600
const COLOURS = 6

/** Colours of the sides, told apart in either scheme; sides beyond the last one begin again with a dash. */
export const FIGURE_STYLE = `
:root{--s0:#1d6fd6;--s1:#c2410c;--s2:#197a3c;--s3:#8b3fc7;--s4:#a16207;--s5:#0e7490}
@media (prefers-color-scheme:dark){:root{--s0:#6aaeff;--s1:#fb923c;--s2:#5fd08a;--s3:#c79bff;--s4:#e3b341;--s5:#4fd1e0}}
.figure svg{display:block;width:100%;max-width:${WIDTH}px;height:auto}
.figure text{font:11px ui-monospace,monospace;fill:var(--quiet)}
.figure .grid{stroke:var(--line);stroke-width:1}
.figure polyline{fill:none;stroke-width:1.75;stroke-linejoin:round}
.figure .raw{stroke-width:1;opacity:.28}
.figure .dash{stroke-dasharray:6 3}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem}.legend i{display:inline-block;width:1.2em;height:.2em;margin-right:.4em;vertical-align:middle}
${Array.from({ length: COLOURS }, (_, index) => `.k${index}{stroke:var(--s${index});background:var(--s${index})}`).join('')}
`

const colourOf = (side: number): string => `k${side % COLOURS}${side < COLOURS ? '' : ' dash'}`

/** Round numbers that divide a range into about `count` parts; the two ends where it has no width. */
export function ticksOf(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low]
  const rough = (high - low) / Math.max(1, count)
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude
  const ticks: number[] = []
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1)
    ticks.push(Number((at * step).toPrecision(12)))
  return ticks
}

const short = (value: number): string =>
  Math.abs(value) >= 10_000
    ? `${Number((value / 1000).toPrecision(4))}k`
    : String(Number(value.toPrecision(4)))

interface Scale {
  x: (value: number) => number
  y: (value: number) => number
  xs: readonly [number, number]
  ys: readonly [number, number]
}

function rangeOf(values: Iterable<number>): [number, number] | null {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (low > high) return null
  // A line that does not move still needs a band to lie in.
  const pad = low === high ? Math.max(Math.abs(low) * 0.1, 1e-9) : 0
  return [low - pad, high + pad]
}

function scaleOf(curves: readonly FigureCurve[]): Scale | null {
  const every = function* (of: 'x' | 'smooth'): Generator<number> {
    for (const { points } of curves) yield* points[of]
  }
  const xs = rangeOf(every('x'))
  const ys = rangeOf(every('smooth'))
  if (xs === null || ys === null) return null
  const margin = (ys[1] - ys[0]) * 0.08
  const [low, high] = [ys[0] - margin, ys[1] + margin]
  const across = WIDTH - PLOT.left - PLOT.right
  const down = HEIGHT - PLOT.top - PLOT.bottom
  return {
    xs,
    ys: [low, high],
    x: (value) => PLOT.left + (across * (value - xs[0])) / (xs[1] - xs[0]),
    y: (value) => PLOT.top + down * (1 - (value - low) / (high - low))
  }
}

function polyline(
  points: Aligned,
  of: 'raw' | 'smooth',
  { x, y, ys }: Scale,
  classes: string
): string {
  const every = Math.ceil(points.x.length / MOST_POINTS)
  const places: string[] = []
  for (const [index, at] of points.x.entries()) {
    const value = points[of][index] ?? Number.NaN
    const last = index === points.x.length - 1
    if (!Number.isFinite(value) || (index % every !== 0 && !last)) continue
    // The range is the smooth line's: what a single sample throws far out is cut at the frame.
    const held = Math.min(ys[1], Math.max(ys[0], value))
    places.push(`${x(at).toFixed(1)},${y(held).toFixed(1)}`)
  }
  return `<polyline class="${classes}" points="${places.join(' ')}"></polyline>`
}

function axes({ x, y, xs, ys }: Scale, unit: string): string {
  const [bottom, right] = [HEIGHT - PLOT.bottom, WIDTH - PLOT.right]
  const lines = ticksOf(ys[0], ys[1], 5).map((value) => {
    const at = y(value).toFixed(1)
    return `<line class="grid" x1="${PLOT.left}" x2="${right}" y1="${at}" y2="${at}"></line><text x="${PLOT.left - 6}" y="${at}" dy=".35em" text-anchor="end">${short(value)}</text>`
  })
  const places = ticksOf(xs[0], xs[1], 6).map(
    (value) =>
      `<text x="${x(value).toFixed(1)}" y="${bottom + 15}" text-anchor="middle">${short(value)}</text>`
  )
  return `${lines.join('')}${places.join('')}<text x="${right}" y="${HEIGHT - 4}" text-anchor="end">${unit}</text>`
}

/**
 * A chart as SVG in the page itself: each side's samples faint and their course over them. Empty where no side has a
 * finite sample.
 * @param escaped makes text safe in HTML
 */
export function figureHtml(
  { title, unit, curves }: Figure,
  escaped: (text: string) => string
): string {
  const scale = scaleOf(curves)
  if (scale === null) return ''
  const lines = curves.flatMap(({ side, points }) => [
    polyline(points, 'raw', scale, `raw ${colourOf(side)}`),
    polyline(points, 'smooth', scale, colourOf(side))
  ])
  const legend = curves.map(
    ({ label, side }) => `<span><i class="${colourOf(side)}"></i>${escaped(label)}</span>`
  )
  return [
    `<h3><code>${escaped(title)}</code></h3>`,
    `<div class="figure"><div class="legend">${legend.join('')}</div>`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><title>${escaped(title)}</title>${axes(scale, escaped(unit))}${lines.join('')}</svg></div>`
  ].join('\n')
}
