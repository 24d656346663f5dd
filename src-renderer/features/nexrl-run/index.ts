export { NoReleases } from './no-releases'
export { PipelinePanel } from './pipeline-panel'
export { PipelineStrip } from './pipeline-strip'
