export { xLabels, xTicks } from './axis-ticks'
export { createChartGroup, shownRange, type ChartGroup } from './chart-group'
export type { AxisKind } from './chart-handle'
export { ChartPanel } from './chart-panel'
export { drawSoon, undraw } from './draw-queue'
export { EMPTY_DATA, decodeAnswer, type ChartData } from './columns'
export { IntervalMark } from './interval-mark'
export {
  blockAt,
  NO_MARKS,
  restartsOf,
  type BlockKind,
  type ChartMarks,
  type LaneBlock,
  type LitPiece
} from './marks'
export { createReleaseLane, type ReleaseLane } from './release-lane'
export { formatCount, formatDifference, formatValue } from './number-format'
export { currentPalette, looksOf, onPaletteChange, type Palette, type SeriesLook } from './palette'
export { Histogram, Sparkline } from './small-charts'
export { stallVerdict } from './stall'

export { useGroupState } from './use-group-state'
export type { Range } from './view-range'
export { saveFile } from './picture'
