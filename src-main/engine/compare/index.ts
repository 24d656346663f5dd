export { openLocalSource, sourcesOf, type ByteSource, type OpenSource } from './byte-source'

export { readSafetensorsHeader } from './safetensors-header'
export { openTensorFiles } from './tensor-files'
export { checkSidecar } from './model-files'
export { mostTelling } from './figures'
export { compareEach, type WeightPair } from './weight-pairs'
export { compareWeights } from './weights'
export { compareReleases, metricDifference, windowOf } from './metric-differences'
export type { Figure } from './curve-figure'
export { comparisonPage } from './comparison-page'
export { attachResults, readResults, removeResults } from './result-store'
export { parseResults, refuseLargeTable } from './result-table'
export { meanDifference, proportionDifference, wilson } from './statistics'
export { Shelf } from './shelf'
export { profileRows } from './row-profile'
export {
  baselineOf,
  sideMetrics,
  sideResults,
  sideSettings,
  type SideNumbers
} from './side-numbers'
