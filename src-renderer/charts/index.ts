export { xLabels, xTicks } from './axis-ticks'
export { createChartGroup, shownRange, type ChartGroup, type GroupState } from './chart-group'
export type { AxisKind, ChartEvents, ChartHandle, ChartSettings } from './chart-handle'
export { ChartPanel, SeriesDash, type ChartPanelProps } from './chart-panel'
export { EMPTY_DATA, decodeAnswer, lastShown, type ChartData, type Curve } from './columns'
export { Histogram, type HistogramBar } from './histogram'
export { IntervalMark } from './interval-mark'
export {
  NO_MARKS,
  blockAt,
  restartsOf,
  type BlockKind,
  type ChartMarks,
  type LaneBlock,
  type LitPiece,
  type ReferenceLine
} from './marks'
export { formatCount, formatDifference, formatValue } from './number-format'
export { currentPalette, looksOf, onPaletteChange, type Palette, type SeriesLook } from './palette'
export { Sparkline } from './sparkline'
export { stallVerdict, type StallVerdict } from './stall'
export { formatDuration } from './ticks'
export { useGroupState } from './use-group-state'
export type { Range } from './view-range'
