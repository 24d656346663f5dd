import { xLabels, xTicks } from './axis-ticks'
import { crisp, strokeLine } from './draw/pen'
import { escaped, SvgPen } from './draw/svg-pen'
import { formatLogTicks, formatTicks } from './number-format'
import { paint, type Scene } from './plot-painter'
import { logTicks } from './ticks'
import type { ValueScale } from './value-scale'
import { forward } from './value-scale'
import type { Range } from './view-range'

const HEAD = 28
const PAD = 12

type SvgScene = Scene & {
  readonly title: string
  /** CSS pixels of the whole chart, and of the plot inside it. */
  readonly size: { readonly width: number; readonly height: number }
  readonly box: {
    readonly left: number
    readonly top: number
    readonly width: number
    readonly height: number
  }
  readonly range: Range
  readonly values: Range
  readonly scale: ValueScale
}

/** A chart with its title as an SVG document: the same drawing as on the canvas, at any size sharp. */
export function svgPicture(scene: SvgScene): string {
  const { size, box, range, values, scale, palette } = scene
  const top = box.top + HEAD
  const bottom = top + box.height
  const y0 = forward(scale, values[0])
  const perY = box.height / (forward(scale, values[1]) - y0)
  const perX = box.width / (range[1] - range[0])
  const plot = {
    left: box.left,
    top,
    width: box.width,
    height: box.height,
    ratio: 1,
    range,
    toX: (x: number) => box.left + (x - range[0]) * perX,
    toY: (y: number) => bottom - (forward(scale, y) - y0) * perY
  }
  const pen = new SvgPen()
  pen.fillStyle = palette.panel
  pen.fillRect(0, 0, size.width, size.height + HEAD)
  pen.fillStyle = palette.text
  pen.font = `500 12px ${palette.mono}`
  pen.textBaseline = 'middle'
  pen.fillText(scene.title, PAD, HEAD / 2)
  drawAxes(pen, scene, plot)
  paint(pen, plot, scene)
  const height = size.height + HEAD
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}">\n<title>${escaped(scene.title)}</title>\n${pen.content()}\n</svg>\n`
}

function drawAxes(
  pen: SvgPen,
  scene: SvgScene,
  plot: {
    left: number
    top: number
    width: number
    height: number
    toX: (x: number) => number
    toY: (y: number) => number
  }
): void {
  const { palette, range, values, scale, settings } = scene
  const bottom = plot.top + plot.height
  const heights = logTicks(scale, values[0], values[1])
  const names = scale.kind === 'linear' ? formatTicks(heights) : formatLogTicks(heights)
  pen.font = `12px ${palette.sans}`
  pen.lineWidth = 1
  pen.textAlign = 'right'
  heights.forEach((value, index) => {
    const y = crisp(plot.toY(value))
    pen.strokeStyle = palette.grid
    strokeLine(pen, [plot.left, y], [plot.left + plot.width, y])
    pen.fillStyle = palette.text2
    pen.fillText(names[index] ?? '', plot.left - 6, y)
  })
  pen.strokeStyle = palette.axis
  strokeLine(pen, [plot.left, crisp(bottom)], [plot.left + plot.width, crisp(bottom)])
  const steps = xTicks(settings.axis, range, plot.width < 260 ? 3 : 5)
  const labels = xLabels(settings.axis, steps)
  pen.textAlign = 'center'
  pen.fillStyle = palette.text2
  steps.forEach((x, index) => {
    pen.fillText(labels[index] ?? '', plot.toX(x), bottom + (settings.lane ? 17 : 13))
  })
}
