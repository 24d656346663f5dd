export { gateOf, type Gate } from './preflight-model'
export { PreflightPanel } from './preflight-panel'
export { PreflightReportView, ReportSummary } from './report-view'
export { usePreflight } from './use-preflight'
