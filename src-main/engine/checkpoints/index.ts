export { exportsOf, listCheckpoints, measure, parseTracker } from './catalogue'
export { mayBeLinked, planRootCopy, type CopyPlan, type CopyStep } from './copy-plan'
export { copyRoot } from './root-copy'
export { verifyCheckpoint } from './verify'
