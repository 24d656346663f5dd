import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { xLabels, xTicks } from './axis-ticks'
import type { ChartEvents, ChartHandle, ChartSettings } from './chart-handle'
import type { ChartData, Curve } from './columns'
import { EMPTY_DATA, nearestIndex, shownValue } from './columns'
import type { Plot } from './draw/pen'
import { drawSoon, undraw } from './draw-queue'
import { formatLogTicks, formatTicks } from './number-format'
import type { Palette } from './palette'
import { colourOf } from './palette'
import { ordinarySpread } from './outliers'
import { paint, visibleCurves, type Scene } from './plot-painter'
import { bindPointer } from './pointer'
import { svgPicture } from './svg-picture'
import { LINEAR, backward, chooseScale, forward } from './value-scale'
import type { ValueScale } from './value-scale'
import { logTicks } from './ticks'
import type { Range } from './view-range'
import { valueRange, visibleSpread } from './view-range'

/** Room left of the plot: at least this, and more where labels are wide, in steps so that live values do not move the plot. */
const LEFT = 40
const LEFT_STEP = 8
const LABEL_GAP = 6
const RIGHT = 18
const TOP = 8
const BOTTOM = 22
const BOTTOM_WITH_LANE = 28
/** Widest gap, as a share of the shown range, between the crosshair and a point that still gets a dot. */
const DOT_REACH = 1 / 40

export type ChartSetup = {
  readonly host: HTMLElement
  readonly width: number
  readonly height: number
  readonly settings: ChartSettings
  readonly palette: Palette
  readonly events: ChartEvents
}

/**
 * A chart on a canvas. uPlot keeps scales, axes, pixel ratio and the crosshair line; the curves, bands and marks are
 * drawn from the engine's columns as they are, because attempts have different x and uPlot wants one x for all.
 */
export function createCanvasChart(setup: ChartSetup): ChartHandle {
  return new CanvasChart(setup)
}

class CanvasChart implements ChartHandle {
  readonly #plot: uPlot
  readonly #dots: CrossDots
  readonly #unbind: () => void
  #settings: ChartSettings
  #palette: Palette
  #data: ChartData = EMPTY_DATA
  #range: Range = [0, 1]
  #values: Range = [0, 1]
  #scale: ValueScale = LINEAR
  #cross: number | null = null
  /** Nothing was ever drawn: axes would be invented, so there are none. */
  #blank = true

  constructor(setup: ChartSetup) {
    this.#settings = setup.settings
    this.#palette = setup.palette
    this.#plot = new uPlot(
      this.#options(setup),
      [
        [0, 1],
        [null, null]
      ],
      setup.host
    )
    this.#dots = new CrossDots(this.#plot.over)
    this.#unbind = bindPointer(this.#plot.over, setup.events, {
      toX: (left) => this.#plot.posToVal(left, 'x'),
      range: () => this.#range
    })
  }

  readonly setData = (data: ChartData): void => {
    this.#data = data
    drawSoon(this.#refit)
  }

  readonly setRange = (range: Range): void => {
    if (range[0] === this.#range[0] && range[1] === this.#range[1]) return
    this.#range = range
    drawSoon(this.#refit)
  }

  readonly setSettings = (change: Partial<ChartSettings>): void => {
    this.#settings = { ...this.#settings, ...change }
    drawSoon(this.#refit)
  }

  readonly setSize = (width: number, height: number): void => {
    if (width === this.#plot.width && height === this.#plot.height) return
    this.#plot.setSize({ width, height })
    this.setCross(this.#cross)
  }

  readonly setPalette = (palette: Palette): void => {
    this.#palette = palette
    drawSoon(this.#refit)
  }

  readonly setCross = (x: number | null): void => {
    this.#cross = x
    const inside = x !== null && x >= this.#range[0] && x <= this.#range[1]
    const left = inside ? this.#plot.valToPos(x, 'x') : -10
    this.#plot.setCursor({ left, top: inside ? 0 : -10 }, false)
    this.#dots.show(inside ? this.#dotsAt(x, left) : [], this.#palette.panel)
  }

  readonly scale = (): ValueScale => this.#scale

  /** What was asked for and not drawn yet is drawn now. */
  #catchUp(): void {
    if (undraw(this.#refit)) this.#refit()
  }

  readonly plotBox = (): { left: number; top: number; width: number; height: number } => ({
    left: this.#plot.bbox.left / uPlot.pxRatio,
    top: this.#plot.bbox.top / uPlot.pxRatio,
    width: this.#plot.bbox.width / uPlot.pxRatio,
    height: this.#plot.bbox.height / uPlot.pxRatio
  })

  readonly canvas = (): HTMLCanvasElement => {
    this.#catchUp()
    return this.#plot.ctx.canvas
  }

  readonly svg = (title: string): string => {
    this.#catchUp()
    return svgPicture({
      ...this.#scene(),
      title,
      size: { width: this.#plot.width, height: this.#plot.height },
      box: this.plotBox(),
      range: this.#range,
      scale: this.#scale
    })
  }

  readonly dispose = (): void => {
    undraw(this.#refit)
    this.#unbind()
    this.#plot.destroy()
  }

  /** Chooses scale and value range for what is visible and draws once. */
  readonly #refit = (): void => {
    const curves = visibleCurves({ data: this.#data, settings: this.#settings })
    this.#blank = this.#data.extent === null
    const spread = this.#settings.clip
      ? ordinarySpread(curves, this.#range)
      : visibleSpread(curves, this.#range)
    this.#scale = chooseScale(this.#settings.scale, spread)
    const references = this.#settings.marks.references.map((reference) => reference.value)
    this.#values = valueRange(spread, this.#scale, references)
    this.#plot.batch(() => {
      this.#plot.setScale('x', { min: this.#range[0], max: this.#range[1] })
      this.#plot.setScale('y', { min: this.#values[0], max: this.#values[1] })
      this.#plot.redraw(false, true)
    })
    this.setCross(this.#cross)
  }

  #options(setup: ChartSetup): uPlot.Options {
    const bottom = this.#settings.lane ? BOTTOM_WITH_LANE : BOTTOM
    const font = `12px ${this.#palette.sans}`
    const stroke = (): string => this.#palette.text2
    return {
      width: setup.width,
      height: setup.height,
      padding: [TOP, RIGHT, 0, 0],
      legend: { show: false },
      cursor: {
        x: true,
        y: false,
        points: { show: false },
        drag: { x: false, y: false, setScale: false },
        bind: noPointer()
      },
      scales: {
        x: { time: false, auto: false, range: () => [this.#range[0], this.#range[1]] },
        y: {
          auto: false,
          range: () => [this.#values[0], this.#values[1]],
          distr: 100,
          fwd: (value) => forward(this.#scale, value),
          bwd: (value) => backward(this.#scale, value)
        }
      },
      series: [{}, { show: false }],
      axes: [
        {
          font,
          stroke,
          size: bottom,
          gap: this.#settings.lane ? 9 : 5,
          grid: { show: false },
          ticks: { show: false },
          border: {
            show: true,
            stroke: () => (this.#blank ? 'transparent' : this.#palette.axis),
            width: 1
          },
          splits: () =>
            this.#blank
              ? []
              : xTicks(this.#settings.axis, this.#range, this.#plot.width < 260 ? 3 : 5),
          values: (_, ticks) => xLabels(this.#settings.axis, ticks)
        },
        {
          font,
          stroke,
          size: (plot, labels) => this.#gutter(plot, labels),
          gap: LABEL_GAP,
          grid: { stroke: () => this.#palette.grid, width: 1 },
          ticks: { show: false },
          splits: () =>
            this.#blank ? [] : logTicks(this.#scale, this.#values[0], this.#values[1]),
          // uPlot drops labels of custom scales as if they were crowded logarithms.
          filter: (_, ticks) => ticks,
          values: (_, ticks) =>
            this.#scale.kind === 'linear' ? formatTicks(ticks) : formatLogTicks(ticks)
        }
      ],
      hooks: {
        draw: [
          (plot) => {
            if (!this.#blank) paint(plot.ctx, this.#projection(plot), this.#scene())
          }
        ]
      }
    }
  }

  /** Width the labels of the value axis need, in CSS pixels. */
  #gutter(plot: uPlot, labels: readonly (string | null)[] | null): number {
    const { ctx } = plot
    ctx.save()
    ctx.font = `${12 * uPlot.pxRatio}px ${this.#palette.sans}`
    const widest = (labels ?? []).reduce(
      (most, label) => Math.max(most, ctx.measureText(label ?? '').width / uPlot.pxRatio),
      0
    )
    ctx.restore()
    const wanted = widest + LABEL_GAP + 4
    return Math.max(LEFT, Math.ceil(wanted / LEFT_STEP) * LEFT_STEP)
  }

  #scene(): Scene {
    return {
      data: this.#data,
      settings: this.#settings,
      palette: this.#palette,
      values: this.#values
    }
  }

  /** Canvas coordinates by plain arithmetic: it runs for every point of every curve at every draw. */
  #projection(plot: uPlot): Plot {
    const { left, top, width, height } = plot.bbox
    const [x0, x1] = this.#range
    const scale = this.#scale
    const y0 = forward(scale, this.#values[0])
    const perX = width / (x1 - x0)
    const perY = height / (forward(scale, this.#values[1]) - y0)
    const bottom = top + height
    return {
      left,
      top,
      width,
      height,
      ratio: uPlot.pxRatio,
      range: this.#range,
      toX: (x) => left + (x - x0) * perX,
      toY:
        scale.kind === 'linear'
          ? (y) => bottom - (y - y0) * perY
          : (y) => bottom - (forward(scale, y) - y0) * perY
    }
  }

  #dotsAt(x: number, left: number): Dot[] {
    const reach = (this.#range[1] - this.#range[0]) * DOT_REACH
    const curves = visibleCurves({ data: this.#data, settings: this.#settings })
    return curves.flatMap((curve) => this.#dotOf(curve, { x, left, reach }))
  }

  #dotOf(curve: Curve, at: { x: number; left: number; reach: number }): Dot[] {
    const index = nearestIndex(curve.x, at.x)
    const value = shownValue(curve, index)
    if (index < 0 || !Number.isFinite(value)) return []
    if (Math.abs((curve.x[index] ?? Infinity) - at.x) > at.reach) return []
    const look = this.#settings.looks.get(curve.key)
    const colour = curve.superseded
      ? this.#palette.text3
      : colourOf(this.#palette, look?.token ?? 'c1')
    return [{ left: at.left, top: this.#plot.valToPos(value, 'y'), colour }]
  }
}

/** uPlot must not react to the pointer itself: what a drag, wheel or click means is decided in one place for all charts. */
function noPointer(): uPlot.Cursor.Bind {
  const none = (): null => null
  return {
    mousedown: none,
    mouseup: none,
    click: none,
    dblclick: none,
    mousemove: none,
    mouseleave: none,
    mouseenter: none
  }
}

type Dot = { readonly left: number; readonly top: number; readonly colour: string }

/** The rings where the crosshair meets the curves, as elements, so that moving the pointer repaints no canvas. */
class CrossDots {
  readonly #over: HTMLElement
  readonly #elements: HTMLElement[] = []

  constructor(over: HTMLElement) {
    this.#over = over
  }

  show(dots: readonly Dot[], fill: string): void {
    while (this.#elements.length < dots.length) this.#elements.push(this.#make())
    this.#elements.forEach((element, index) => {
      const dot = dots[index]
      element.style.display = dot === undefined ? 'none' : 'block'
      if (dot === undefined) return
      element.style.transform = `translate(${dot.left - 4.5}px, ${dot.top - 4.5}px)`
      element.style.borderColor = dot.colour
      element.style.background = fill
    })
  }

  #make(): HTMLElement {
    const element = document.createElement('div')
    element.className = 'chart-dot'
    this.#over.append(element)
    return element
  }
}
