import type { Curve } from '../columns'
import { indexAtOrBefore } from '../columns'
import { liftsOf } from '../gaps'
import type { Range } from '../view-range'
import type { Pen, Plot } from './pen'

export type CurveInk = {
  readonly colour: string
  readonly dash: readonly number[]
  /** Min to max band behind the line. */
  readonly band: boolean
  /** Raw line under a smoothed one. */
  readonly rawUnder: boolean
}

const BAND_ALPHA = 0.15
const RAW_ALPHA = 0.28
const LINE_WIDTH = 1.75
const DOT_RADIUS = 2.5

/** Indices drawn for a range: one point beyond each edge, so that lines leave the plot instead of ending early. */
export function drawnSpan(xs: Float64Array, range: Range): readonly [number, number] {
  return [
    Math.max(0, indexAtOrBefore(xs, range[0])),
    Math.min(xs.length - 1, indexAtOrBefore(xs, range[1]) + 1)
  ]
}

/** One curve: band, then raw line faint, then the line one reads. */
export function drawCurve(pen: Pen, plot: Plot, curve: Curve, ink: CurveInk): void {
  const span = drawnSpan(curve.x, plot.range)
  if (ink.band) drawBand(pen, plot, curve, { span, colour: ink.colour })
  const style = { colour: ink.colour, dash: ink.dash, width: LINE_WIDTH, alpha: 1 }
  if (!curve.smoothed) {
    drawLine(pen, plot, { xs: curve.x, ys: curve.raw, span, style })
    return
  }
  if (ink.rawUnder) {
    const faint = { colour: ink.colour, dash: [], width: 1, alpha: RAW_ALPHA }
    drawLine(pen, plot, { xs: curve.x, ys: curve.raw, span, style: faint })
  }
  drawLine(pen, plot, { xs: curve.x, ys: curve.smooth, span, style })
}

type LineStyle = {
  readonly colour: string
  readonly dash: readonly number[]
  readonly width: number
  readonly alpha: number
}

export type LineParts = {
  readonly xs: Float64Array
  readonly ys: Float64Array
  readonly span: readonly [number, number]
  readonly style: LineStyle
}

/** A line that lifts the pen at every gap. A point with gaps on both sides is a dot. */
export function drawLine(pen: Pen, plot: Plot, parts: LineParts): void {
  const { xs, ys, style } = parts
  pen.globalAlpha = style.alpha
  pen.strokeStyle = style.colour
  pen.lineWidth = style.width * plot.ratio
  pen.lineJoin = 'round'
  pen.setLineDash(style.dash.map((length) => length * plot.ratio))
  pen.beginPath()
  const lone = tracePath(pen, plot, parts)
  pen.stroke()
  pen.setLineDash([])
  pen.fillStyle = style.colour
  for (const index of lone) {
    pen.beginPath()
    pen.arc(
      plot.toX(xs[index] ?? 0),
      plot.toY(ys[index] ?? 0),
      DOT_RADIUS * plot.ratio,
      0,
      Math.PI * 2
    )
    pen.fill()
  }
  pen.globalAlpha = 1
}

/**
 * Adds the line to the current path; returns the indices of points that stand alone. Of the points within one pixel
 * column only first, lowest, highest and last are drawn, which looks the same and costs less.
 */
function tracePath(pen: Pen, plot: Plot, { xs, ys, span }: LineParts): number[] {
  const lone: number[] = []
  const lifts = liftsOf(xs)
  const column = new PixelColumn(pen)
  let run = 0
  for (let index = span[0]; index <= span[1]; index++) {
    const y = ys[index] ?? NaN
    const lifted = lifts?.[index] === 1
    if (lifted || !Number.isFinite(y)) {
      column.end()
      if (run === 1) lone.push(index - 1)
      run = 0
      if (!lifted || !Number.isFinite(y)) continue
    }
    const px = plot.toX(xs[index] ?? 0)
    if (run === 0) column.move(px, plot.toY(y))
    else column.line(px, plot.toY(y))
    run++
  }
  column.end()
  if (run === 1) lone.push(span[1])
  return lone
}

/** The points of a line that fall into one pixel column. */
class PixelColumn {
  #column = NaN
  #points = 0
  #top = 0
  #bottom = 0
  #topLater = false
  #lastX = 0
  #lastY = 0

  readonly #pen: Pen

  constructor(pen: Pen) {
    this.#pen = pen
  }

  move(px: number, y: number): void {
    this.#pen.moveTo(px, y)
    this.#begin(px, y)
  }

  line(px: number, y: number): void {
    if (Math.floor(px) === this.#column) {
      this.#take(px, y)
      return
    }
    this.end()
    this.#pen.lineTo(px, y)
    this.#begin(px, y)
  }

  /** Draws what the column still owes: its extremes in the order they came, and its last point. */
  end(): void {
    if (this.#points > 1) {
      const [one, other] = this.#topLater ? [this.#bottom, this.#top] : [this.#top, this.#bottom]
      if (one !== this.#lastY) this.#pen.lineTo(this.#lastX, one)
      if (other !== this.#lastY && other !== one) this.#pen.lineTo(this.#lastX, other)
      this.#pen.lineTo(this.#lastX, this.#lastY)
    }
    this.#points = 0
  }

  #begin(px: number, y: number): void {
    this.#column = Math.floor(px)
    this.#points = 1
    this.#top = this.#bottom = this.#lastY = y
    this.#lastX = px
  }

  #take(px: number, y: number): void {
    this.#points++
    if (y < this.#top) {
      this.#top = y
      this.#topLater = true
    } else if (y > this.#bottom) {
      this.#bottom = y
      this.#topLater = false
    }
    this.#lastX = px
    this.#lastY = y
  }
}

/** The min to max band: one closed polygon for each stretch without a gap. */
export function drawBand(
  pen: Pen,
  plot: Plot,
  curve: Curve,
  look: { readonly span: readonly [number, number]; readonly colour: string }
): void {
  pen.globalAlpha = BAND_ALPHA
  pen.fillStyle = look.colour
  pen.beginPath()
  for (const [first, last] of bandStretches(curve, look.span, liftsOf(curve.x))) {
    pen.moveTo(plot.toX(curve.x[first] ?? 0), plot.toY(curve.max[first] ?? 0))
    for (let index = first + 1; index <= last; index++) {
      pen.lineTo(plot.toX(curve.x[index] ?? 0), plot.toY(curve.max[index] ?? 0))
    }
    for (let index = last; index >= first; index--) {
      pen.lineTo(plot.toX(curve.x[index] ?? 0), plot.toY(curve.min[index] ?? 0))
    }
    pen.closePath()
  }
  pen.fill()
  pen.globalAlpha = 1
}

/** Stretches of at least two neighbouring points with a finite band, as index pairs. */
export function bandStretches(
  curve: Pick<Curve, 'min' | 'max'>,
  span: readonly [number, number],
  lifts: Uint8Array | null = null
): (readonly [number, number])[] {
  const stretches: (readonly [number, number])[] = []
  let first = -1
  for (let index = span[0]; index <= span[1] + 1; index++) {
    const legal =
      index <= span[1] &&
      Number.isFinite(curve.min[index] ?? NaN) &&
      Number.isFinite(curve.max[index] ?? NaN)
    const lifted = legal && lifts?.[index] === 1
    if (legal && first < 0) first = index
    if (first < 0 || (legal && !lifted)) continue
    if (index - 1 > first) stretches.push([first, index - 1])
    first = lifted ? index : -1
  }
  return stretches
}

/** The piece of a curve inside a lit release, drawn over it. Nothing where the curve has no point in there. */
export function drawLitPiece(
  pen: Pen,
  plot: Plot,
  curve: Curve,
  piece: { readonly range: Range; readonly colour: string }
): void {
  const first = indexAtOrBefore(curve.x, piece.range[0]) + 1
  const last = indexAtOrBefore(curve.x, piece.range[1])
  if (last < first) return
  // One point before the stretch, so that the piece joins the curve where the release begins.
  const begin = first > 0 && last > first ? first - 1 : first
  pen.lineCap = 'round'
  drawLine(pen, plot, {
    xs: curve.x,
    ys: curve.smoothed ? curve.smooth : curve.raw,
    span: [begin, last],
    style: { colour: piece.colour, dash: [], width: 3, alpha: 1 }
  })
  pen.lineCap = 'butt'
}
