import type { ChartData } from './columns'
import type { ChartMarks } from './marks'
import type { Palette, SeriesLook } from './palette'
import type { ValueScale } from './value-scale'
import type { Range } from './view-range'

/**
 * Meaning of the x axis: numbers of steps or rollouts, seconds since an attempt's first sample, Unix milliseconds, or
 * the values of another metric.
 */
export type AxisKind = 'step' | 'rollout' | 'relative' | 'wall' | 'metric'

/** How a chart is set up; each part can be changed later without making the chart anew. */
export type ChartSettings = {
  readonly axis: AxisKind
  readonly scale: 'linear' | 'log'
  /** Look of each key. Keys without one take the first. */
  readonly looks: ReadonlyMap<string, SeriesLook>
  /** Keys a person has switched off. */
  readonly hidden: ReadonlySet<string>
  readonly marks: ChartMarks
  /** Whether room is kept for the release lane under the axis line. */
  readonly lane: boolean
  /** Whether the value axis is made for the ordinary values, and what lies beyond is cut and marked. */
  readonly clip: boolean
  /** x of the last sample when none came for too long: the tail is faded there. */
  readonly stalledAt: number | null
}

/** What a chart tells the page. x in axis units, pixels in CSS pixels of the plot. */
export type ChartEvents = {
  /** Pointer over the plot, or null when it left. */
  readonly onCross: (x: number | null) => void
  readonly onSelect: (range: Range) => void
  readonly onZoom: (centre: number, factor: number) => void
  readonly onPan: (distance: number) => void
  readonly onReset: () => void
  /** A click that was no drag. */
  readonly onPick: (x: number) => void
}

/** A live chart, whatever draws it. */
export type ChartHandle = {
  readonly setData: (data: ChartData) => void
  readonly setRange: (range: Range) => void
  readonly setSettings: (change: Partial<ChartSettings>) => void
  readonly setSize: (width: number, height: number) => void
  /** Shows the crosshair at an x in axis units; null hides it. */
  readonly setCross: (x: number | null) => void
  readonly setPalette: (palette: Palette) => void
  /** Scale the values are drawn on now: a log axis with zeros becomes symmetric. */
  readonly scale: () => ValueScale
  /** CSS pixels of the plot left of which nothing is drawn, and its width. */
  readonly plotBox: () => { left: number; top: number; width: number; height: number }
  readonly canvas: () => HTMLCanvasElement
  /** The chart as it is shown now, as an SVG document. */
  readonly svg: (title: string) => string
  readonly dispose: () => void
}
