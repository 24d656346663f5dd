export {
  exportsOf,
  listCheckpoints,
  parseJobMarker,
  parseTracker,
  readJobMarker,
  withKept,
  withRewards
} from './catalogue'
export { mayBeLinked, planExportCopy, planRootCopy } from './copy-plan'
export { exportCheckpoint } from './export'
export {
  judgeIteration,
  planIterationCopy,
  readCriticTracker,
  type IterationRefusal,
  type IterationVerdict
} from './iteration-copy'
export { exportRollout } from './layout'
export { keepCheckpoint, letGoCheckpoint, listKept, unsafeToKeep } from './keep'
export { copyRoot } from './root-copy'
export { verifyCheckpoint } from './verify'
