export {
  exportsOf,
  listCheckpoints,
  parseJobMarker,
  parseTracker,
  readJobMarker
} from './catalogue'
export { mayBeLinked, planRootCopy } from './copy-plan'
export { exportCheckpoint } from './export'
export { copyRoot } from './root-copy'
export { verifyCheckpoint } from './verify'
