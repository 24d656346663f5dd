import type { Curve } from '../columns'
import type { ReferenceLine } from '../marks'
import type { Palette } from '../palette'
import { label, labelFont } from './annotations'
import { clearest, type Box } from './clear-place'
import type { Pen, Plot } from './pen'
import { crisp, strokeLine } from './pen'

/** CSS pixels from the baseline of a label up to its plate's upper edge, and the plate's height. */
const ASCENT = 11
const PLATE = 14

/** Dotted horizontal lines with their words beside them, where the words hide no curve and no other line. */
export function drawReferences(
  pen: Pen,
  plot: Plot,
  references: readonly ReferenceLine[],
  around: { readonly palette: Palette; readonly curves: readonly Curve[] }
): void {
  const { palette, curves } = around
  const outside: { reference: ReferenceLine; above: boolean }[] = []
  const inside: { text: string; y: number }[] = []
  for (const reference of references) {
    const y = plot.toY(reference.value)
    if (reference.upTo !== undefined)
      drawReferenceBand(pen, plot, [y, plot.toY(reference.upTo)], palette)
    if (y < plot.top - 1 || y > plot.top + plot.height + 1) {
      if (reference.always === true) outside.push({ reference, above: y < plot.top })
      continue
    }
    pen.strokeStyle = palette.text2
    pen.lineWidth = plot.ratio
    pen.setLineDash([2 * plot.ratio, 3 * plot.ratio])
    strokeLine(pen, [plot.left, crisp(y)], [plot.left + plot.width, crisp(y)])
    pen.setLineDash([])
    inside.push({ text: reference.label, y })
  }
  const words: Box[] = []
  for (const { text, y } of inside) {
    pen.font = labelFont(plot, palette)
    const places = placesAt(plot, y, pen.measureText(text).width)
    const lines = inside.filter((other) => other.y !== y).map((other) => lineBox(plot, other.y))
    const box = clearest(plot, places, { curves, taken: [...words, ...lines] })
    if (box === null) continue
    words.push(box)
    const at = [box.left + 2 * plot.ratio, box.top + ASCENT * plot.ratio] as const
    label(pen, plot, { text, at, align: 'left', colour: palette.text2, palette })
  }
  drawOutside(pen, plot, outside, palette)
}

/** What a dotted line covers. */
function lineBox({ left, width, ratio }: Plot, y: number): Box {
  return { left, width, top: y - ratio, height: 2 * ratio }
}

/** Plates beside a line at `y`, the usual one first: right, left, middle; above and below; at last the plot's edges. */
function placesAt(plot: Plot, y: number, textWidth: number): Box[] {
  const { ratio } = plot
  const [width, height] = [textWidth + 4 * ratio, PLATE * ratio]
  const right = plot.left + plot.width - width
  const [top, bottom] = [plot.top + ratio, plot.top + plot.height - height]
  const above = y - 17 * ratio
  const below = y + 2 * ratio
  const tops = [
    ...(y - plot.top > 16 * ratio ? [above] : []),
    ...(below <= bottom || y - plot.top <= 16 * ratio ? [below] : [])
  ]
  const beside = [right, plot.left, plot.left + (plot.width - width) / 2].flatMap((left) =>
    tops.map((each) => ({ left, top: each, width, height }))
  )
  const edges = [top, bottom].flatMap((each) =>
    [right, plot.left].map((left) => ({ left, top: each, width, height }))
  )
  return [...beside, ...edges]
}

/** Names of what lies beyond the plot, at the edge it lies beyond, one under the other. */
function drawOutside(
  pen: Pen,
  plot: Plot,
  outside: readonly { reference: ReferenceLine; above: boolean }[],
  palette: Palette
): void {
  for (const above of [true, false]) {
    const labels = outside.filter((one) => one.above === above)
    labels.forEach(({ reference }, index) => {
      const line = (index * 15 + (above ? 12 : 5)) * plot.ratio
      label(pen, plot, {
        text: `${above ? '↑' : '↓'} ${reference.label}`,
        at: [
          plot.left + plot.width - 2 * plot.ratio,
          above ? plot.top + line : plot.top + plot.height - line
        ],
        align: 'right',
        colour: palette.text2,
        palette
      })
    })
  }
}

function drawReferenceBand(
  pen: Pen,
  plot: Plot,
  heights: readonly [number, number],
  palette: Palette
): void {
  const top = Math.max(plot.top, Math.min(...heights))
  const bottom = Math.min(plot.top + plot.height, Math.max(...heights))
  if (bottom <= top) return
  pen.globalAlpha = 0.1
  pen.fillStyle = palette.text2
  pen.fillRect(plot.left, top, plot.width, bottom - top)
  pen.globalAlpha = 1
}
