import type { Curve } from '../columns'
import type { LaneBlock, RestartLine, Whisker } from '../marks'
import { lastLegalValue } from '../marks'
import type { Palette } from '../palette'
import type { Range } from '../view-range'
import type { Pen, Plot } from './pen'
import { crisp, strokeLine } from './pen'

const LANE_GAP = 4
const LANE_HEIGHT = 3
const CROSS_ARM = 4
/** NaN marks nearer to each other than this many CSS pixels become one, so that a collapse stays readable. */
const CROSS_SPACING = 9

/** Washes the stretch of a lit release over the whole height. */
export function drawLitWash(pen: Pen, plot: Plot, range: Range, colour: string): void {
  const left = plot.toX(range[0])
  const width = Math.max(3 * plot.ratio, plot.toX(range[1]) - left)
  pen.fillStyle = colour
  pen.fillRect(left, plot.top, width, plot.height)
}

/** A dot with a bar from the lower to the upper end of what it is known within. */
export function drawWhiskers(
  pen: Pen,
  plot: Plot,
  whiskers: readonly Whisker[],
  colour: string
): void {
  const half = 3 * plot.ratio
  pen.strokeStyle = colour
  pen.fillStyle = colour
  pen.lineWidth = 1.5 * plot.ratio
  for (const { x, value, low, high } of whiskers) {
    if (x < plot.range[0] || x > plot.range[1]) continue
    const at = plot.toX(x)
    const [bottom, top] = [plot.toY(low), plot.toY(high)]
    strokeLine(pen, [at, bottom], [at, top])
    strokeLine(pen, [at - half, bottom], [at + half, bottom])
    strokeLine(pen, [at - half, top], [at + half, top])
    pen.beginPath()
    pen.arc(at, plot.toY(value), 3 * plot.ratio, 0, Math.PI * 2)
    pen.fill()
  }
}

/** Small arrows at the edge where values lie beyond it; near ones become one. */
export function drawCut(
  pen: Pen,
  plot: Plot,
  cut: { readonly above: readonly number[]; readonly below: readonly number[] },
  palette: Palette
): void {
  const size = 4 * plot.ratio
  pen.fillStyle = palette.text2
  for (const [xs, edge, way] of [
    [cut.above, plot.top, 1],
    [cut.below, plot.top + plot.height, -1]
  ] as const) {
    let before = -Infinity
    for (const x of xs) {
      const px = plot.toX(x)
      if (px - before < CROSS_SPACING * plot.ratio) continue
      before = px
      pen.beginPath()
      pen.moveTo(px, edge)
      pen.lineTo(px - size, edge + way * size * 1.5)
      pen.lineTo(px + size, edge + way * size * 1.5)
      pen.closePath()
      pen.fill()
    }
  }
}

/** Dashed vertical lines where an attempt begins. */
export function drawRestarts(
  pen: Pen,
  plot: Plot,
  restarts: readonly RestartLine[],
  palette: Palette
): void {
  for (const restart of restarts) {
    const x = plot.toX(restart.x)
    if (x < plot.left || x > plot.left + plot.width) continue
    pen.strokeStyle = palette.text2
    pen.lineWidth = plot.ratio
    pen.setLineDash([4 * plot.ratio, 3 * plot.ratio])
    strokeLine(pen, [crisp(x), plot.top], [crisp(x), plot.top + plot.height])
    pen.setLineDash([])
    if (restart.label === '') continue
    const width = pen.measureText(restart.label).width
    const fits = x + width + 8 * plot.ratio < plot.left + plot.width
    label(pen, plot, {
      text: restart.label,
      at: [fits ? x + 5 * plot.ratio : x - 5 * plot.ratio, plot.top + 11 * plot.ratio],
      align: fits ? 'left' : 'right',
      colour: palette.text2,
      palette
    })
  }
}

type Label = {
  readonly text: string
  readonly at: readonly [number, number]
  readonly align: 'left' | 'right' | 'center'
  readonly colour: string
  readonly palette: Palette
  readonly weight?: 400 | 500
}

/** Font of words on a chart, to measure them before they are placed. */
export function labelFont(plot: Plot, palette: Palette, weight: 400 | 500 = 400): string {
  return `${weight} ${12 * plot.ratio}px ${palette.sans}`
}

/** Words on a plate of the panel's colour, so that curves under them do not disturb. */
export function label(pen: Pen, plot: Plot, words: Label): void {
  pen.font = labelFont(plot, words.palette, words.weight)
  pen.textAlign = words.align
  pen.textBaseline = 'alphabetic'
  const width = pen.measureText(words.text).width
  const shift = words.align === 'right' ? width : words.align === 'center' ? width / 2 : 0
  pen.globalAlpha = 0.8
  pen.fillStyle = words.palette.panel
  pen.fillRect(
    words.at[0] - shift - 2 * plot.ratio,
    words.at[1] - 11 * plot.ratio,
    width + 4 * plot.ratio,
    14 * plot.ratio
  )
  pen.globalAlpha = 1
  pen.fillStyle = words.colour
  pen.fillText(words.text, words.at[0], words.at[1])
}

/** Where each cross of a curve's values that are no numbers stands, in canvas pixels; near ones are merged. */
export function crossPositions(
  plot: Plot,
  curve: Curve
): { x: number; y: number; count: number; kind: 'nan' | '+inf' | '-inf' }[] {
  const crosses: { x: number; y: number; count: number; kind: 'nan' | '+inf' | '-inf' }[] = []
  for (const mark of curve.nonFinite) {
    if (mark.x < plot.range[0] || mark.x > plot.range[1]) continue
    const x = plot.toX(mark.x)
    const last = crosses.at(-1)
    if (last !== undefined && last.kind === mark.kind && x - last.x < CROSS_SPACING * plot.ratio) {
      last.count++
      continue
    }
    crosses.push({ x, y: crossHeight(plot, curve, mark), count: 1, kind: mark.kind })
  }
  return crosses
}

function crossHeight(plot: Plot, curve: Curve, mark: { x: number; kind: string }): number {
  const inset = 8 * plot.ratio
  const top = plot.top + inset
  const bottom = plot.top + plot.height - inset
  if (mark.kind === '+inf') return top
  if (mark.kind === '-inf') return bottom
  const legal = lastLegalValue(curve, mark.x)
  return legal === null ? bottom : Math.min(bottom, Math.max(top, plot.toY(legal)))
}

/** Crosses at the last legal value with a line down to the axis; the first says what it is and how many. */
export function drawNonFinite(pen: Pen, plot: Plot, curve: Curve, palette: Palette): void {
  const crosses = crossPositions(plot, curve)
  const floor = plot.top + plot.height
  const arm = CROSS_ARM * plot.ratio
  pen.strokeStyle = palette.fail
  for (const cross of crosses) {
    pen.globalAlpha = 0.55
    pen.lineWidth = plot.ratio
    strokeLine(pen, [cross.x, cross.y], [cross.x, floor])
    pen.globalAlpha = 1
    pen.lineWidth = 2 * plot.ratio
    pen.lineCap = 'round'
    strokeLine(pen, [cross.x - arm, cross.y - arm], [cross.x + arm, cross.y + arm])
    strokeLine(pen, [cross.x + arm, cross.y - arm], [cross.x - arm, cross.y + arm])
    pen.lineCap = 'butt'
  }
  const first = crosses[0]
  if (first === undefined) return
  const word = first.kind === 'nan' ? 'NaN' : first.kind === '+inf' ? '+∞' : '−∞'
  const room = first.x - plot.left > 56 * plot.ratio
  label(pen, plot, {
    text: first.count > 1 ? `${word} ×${first.count}` : word,
    at: [first.x + (room ? -9 : 9) * plot.ratio, first.y + 4 * plot.ratio],
    align: room ? 'right' : 'left',
    colour: palette.fail,
    palette,
    weight: 500
  })
}

/** The thin lane of releases under the axis line: one bar a release, on the x of the curves. */
export function drawLane(
  pen: Pen,
  plot: Plot,
  lane: readonly LaneBlock[],
  look: { readonly palette: Palette; readonly lit: ReadonlySet<number> }
): void {
  const top = plot.top + plot.height + LANE_GAP * plot.ratio
  for (const block of lane) {
    if (block.to < plot.range[0] || block.from > plot.range[1]) continue
    const left = Math.max(plot.left, plot.toX(block.from) + 0.5 * plot.ratio)
    const right = Math.min(plot.left + plot.width, plot.toX(block.to) - 0.5 * plot.ratio)
    if (right < plot.left || left > plot.left + plot.width) continue
    const lit = look.lit.has(block.step)
    pen.globalAlpha = lit ? 1 : laneAlpha(block.kind)
    pen.fillStyle = lit ? look.palette.text : laneColour(block.kind, look.palette)
    pen.fillRect(left, top, Math.max(plot.ratio, right - left), LANE_HEIGHT * plot.ratio)
  }
  pen.globalAlpha = 1
}

function laneColour(kind: LaneBlock['kind'], palette: Palette): string {
  switch (kind) {
    case 'served':
      return palette.ready
    case 'rejected':
      return palette.fail
    case 'rollback':
      return palette.warn
    case 'running':
      return palette.running
    case 'pending':
    case 'training':
    case 'left-behind':
      return palette.text3
  }
}

function laneAlpha(kind: LaneBlock['kind']): number {
  switch (kind) {
    case 'left-behind':
      return 0.25
    case 'training':
    case 'pending':
      return 0.55
    case 'served':
    case 'rejected':
    case 'rollback':
    case 'running':
      return 1
  }
}

/** Fades what lies right of the last sample of a chart that has stopped getting any. */
export function drawStalledTail(pen: Pen, plot: Plot, from: number, palette: Palette): void {
  const width = 24 * plot.ratio
  const right = plot.toX(from)
  if (right < plot.left) return
  pen.fillStyle = palette.panel
  const slices = 6
  for (let slice = 0; slice < slices; slice++) {
    pen.globalAlpha = 0.12 + (slice / slices) * 0.5
    pen.fillRect(right - width + (slice * width) / slices, plot.top, width / slices, plot.height)
  }
  pen.globalAlpha = 1
}
