export { exportsOf, listCheckpoints, parseTracker, readJobMarker } from './catalogue'
export { mayBeLinked, planRootCopy } from './copy-plan'
export { copyRoot } from './root-copy'
export { verifyCheckpoint } from './verify'
