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
