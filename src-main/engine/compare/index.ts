export { openLocalSource, sourcesOf, type ByteSource, type OpenSource } from './byte-source'
export type { WeightProgress } from './full-weights'
export {
  readSafetensorsHeader,
  type SafetensorsHeader,
  type TensorFacts
} from './safetensors-header'
export { openTensorFiles, type StoredTensor, type TensorFiles } from './tensor-files'
export { checkSidecar } from './model-files'
export { compareWeights, type WeightRequest } from './weights'
export {
  compareReleases,
  metricDifference,
  metricKeys,
  windowOf,
  type Direction,
  type Sample
} from './metric-differences'
export { attachResults, readResults } from './result-store'
export { parseResults } from './result-table'
export { meanDifference, proportionDifference, wilson } from './statistics'
export { profileRows, type RowRequest } from './row-profile'
