export { CurvePanel } from './curve-panel'
export { CurvesTab } from './curves-tab'
export { planPanels } from './panel-plan'
export { holdMetrics, keysQuery, panelsQuery, seriesQuery } from './series-feed'
