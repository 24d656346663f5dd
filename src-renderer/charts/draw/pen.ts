import type { Range } from '../view-range'

/** The part of a 2D canvas the drawing functions use; tests record it. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'closePath'
  | 'moveTo'
  | 'lineTo'
  | 'rect'
  | 'arc'
  | 'fill'
  | 'stroke'
  | 'fillRect'
  | 'fillText'
  | 'measureText'
  | 'setLineDash'
  | 'save'
  | 'restore'
  | 'clip'
> & {
  fillStyle: CanvasRenderingContext2D['fillStyle']
  strokeStyle: CanvasRenderingContext2D['strokeStyle']
  globalAlpha: number
  lineWidth: number
  lineJoin: CanvasRenderingContext2D['lineJoin']
  lineCap: CanvasRenderingContext2D['lineCap']
  font: string
  textAlign: CanvasRenderingContext2D['textAlign']
  textBaseline: CanvasRenderingContext2D['textBaseline']
}

/** The plot on the canvas, in canvas pixels; `ratio` of them make one CSS pixel. */
export type Plot = {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly ratio: number
  readonly range: Range
  readonly toX: (x: number) => number
  readonly toY: (y: number) => number
}

/** Straight dashed or plain line. */
export function strokeLine(
  pen: Pen,
  from: readonly [number, number],
  to: readonly [number, number]
): void {
  pen.beginPath()
  pen.moveTo(from[0], from[1])
  pen.lineTo(to[0], to[1])
  pen.stroke()
}

/** A pixel centre, so that a one-pixel line is sharp. */
export function crisp(position: number): number {
  return Math.round(position) + 0.5
}
