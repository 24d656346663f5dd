export { alarmedKeys, wellAgain } from './alarmed-keys'
export { knowledgeOf } from './catalogue'
export {
  findMetrics,
  isDamage,
  nothingIn,
  readMetricFile,
  readStore,
  type Problem
} from './importers'
export { Ingest } from './ingest'
export { zoneOf } from './ingest-source'
export { openMetricStore } from './metric-store'
export type {
  Frame,
  IngestReport,
  IngestSource,
  MetricStore,
  Row,
  Sample,
  SeriesFacts,
  SeriesNumbers,
  StackEvent
} from './model'
export { stepPace } from './pace'
export { defaultPanels } from './panels'
export { REWARD_BY_RECEIPT, rewardSource } from './reward'
export { TrackerFinder } from './tracker-finder'
