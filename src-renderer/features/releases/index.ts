export { compareQuery, useChain } from './chain-feed'
export { ReleaseInspector } from './release-inspector'
export {
  baseOf,
  countsOf,
  nameOf,
  releaseAt,
  rewardKeyOf,
  servedOf,
  type ChainCounts
} from './release-model'
export { choose, useChoice } from './release-selection'
export { releaseSpans } from './release-spans'
export { ReleasesTab } from './releases-tab'
export { RollbackBanner } from './rollback-banner'
export { RollbackDialog } from './rollback-dialog'
export { useLatest } from './use-latest'
export { useReleaseCommands } from './use-release-commands'
export { useRollbackAsk } from './use-rollback-ask'
