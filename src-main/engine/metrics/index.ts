export { knowledgeOf, type KeyKnowledge } from './catalogue'
export { readMetricFile, type MetricFormat, type Problem, type Sink } from './importers'
export { Ingest, type IngestOptions } from './ingest'
export { openMetricStore } from './metric-store'
export type {
  Frame,
  IngestReport,
  IngestSource,
  MetricStore,
  Row,
  Sample,
  SeriesFacts,
  SourceCursor,
  StackEvent
} from './model'
export { defaultPanels } from './panels'
export { rewardSource, type RewardSource } from './reward'
