import type { ChartSettings } from './chart-handle'
import type { ChartData, Curve } from './columns'
import {
  drawCut,
  drawLane,
  drawLitWash,
  drawNonFinite,
  drawRestarts,
  drawStalledTail,
  drawWhiskers
} from './draw/annotations'
import { drawCurve, drawLitPiece } from './draw/curves'
import type { Pen, Plot } from './draw/pen'
import { drawReferences } from './draw/references'
import type { LitPiece } from './marks'
import { cutPoints } from './outliers'
import type { Palette } from './palette'
import { colourOf } from './palette'
import type { Range } from './view-range'

/** Most curves that still get a band, and a raw line under the smoothed one: beyond, they hide each other. */
const MOST_BANDS = 2
const MOST_RAW_LINES = 3

export type Scene = {
  readonly data: ChartData
  readonly settings: ChartSettings
  readonly palette: Palette
  /** Values of the lower and the upper edge. */
  readonly values: Range
}

/** Curves a person sees, in drawing order: superseded ones first, so that what counts lies on top. */
export function visibleCurves(scene: Pick<Scene, 'data' | 'settings'>): Curve[] {
  const shown = scene.data.curves.filter((curve) => !scene.settings.hidden.has(curve.key))
  return [
    ...shown.filter((curve) => curve.superseded),
    ...shown.filter((curve) => !curve.superseded)
  ]
}

/** Draws everything inside the axes, then the release lane under them. */
export function paint(pen: Pen, plot: Plot, scene: Scene): void {
  const { settings, palette } = scene
  const curves = visibleCurves(scene)
  pen.save()
  pen.beginPath()
  pen.rect(plot.left, plot.top - 1, plot.width, plot.height + 2)
  pen.clip()
  for (const piece of settings.marks.lit) drawLitWash(pen, plot, piece.range, palette.lit)
  paintCurves(pen, plot, scene, curves)
  const whiskers = settings.marks.whiskers ?? []
  drawWhiskers(pen, plot, whiskers, colourOf(palette, 'c1'))
  for (const piece of settings.marks.lit) paintLit(pen, plot, { scene, curves, piece })
  if (settings.stalledAt !== null) drawStalledTail(pen, plot, settings.stalledAt, palette)
  drawRestarts(pen, plot, settings.marks.restarts, palette)
  drawReferences(pen, plot, settings.marks.references, { palette, curves })
  if (settings.clip) drawCut(pen, plot, cutPoints(curves, plot.range, scene.values), palette)
  for (const curve of curves) drawNonFinite(pen, plot, curve, palette)
  pen.restore()
  if (!settings.lane) return
  const lit = new Set(
    settings.marks.lit.flatMap((piece) =>
      settings.marks.lane
        .filter((block) => block.from === piece.range[0] && block.to === piece.range[1])
        .map((block) => block.step)
    )
  )
  drawLane(pen, plot, settings.marks.lane, { palette, lit })
}

function paintCurves(pen: Pen, plot: Plot, scene: Scene, curves: readonly Curve[]): void {
  const keys = new Set(curves.map((curve) => curve.key)).size
  for (const curve of curves) {
    const look = scene.settings.looks.get(curve.key)
    drawCurve(pen, plot, curve, {
      colour: curve.superseded ? scene.palette.text3 : colourOf(scene.palette, look?.token ?? 'c1'),
      dash: look?.dash ?? [],
      band: keys <= MOST_BANDS,
      rawUnder: keys <= MOST_RAW_LINES
    })
  }
}

function paintLit(
  pen: Pen,
  plot: Plot,
  lit: { readonly scene: Scene; readonly curves: readonly Curve[]; readonly piece: LitPiece }
): void {
  const colour =
    lit.piece.tone === 'text' ? lit.scene.palette.text : colourOf(lit.scene.palette, lit.piece.tone)
  for (const curve of lit.curves) {
    if (curve.superseded && lit.piece.tone === 'text') continue
    drawLitPiece(pen, plot, curve, { range: lit.piece.range, colour })
  }
}
