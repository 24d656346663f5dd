export {
  gitArtifactRepository,
  type ArtifactFacts,
  type ArtifactRepository
} from './artifact-repository'
export { buildBranchedChain, buildChain } from './chain'
export {
  mergeCommits,
  type AttemptStart,
  type ChainSegment,
  type ExportFacts
} from './chain-drafts'
export type { ChainRow } from './chain-row'
export {
  commitLogName,
  CommitLogReader,
  parseCommitLog,
  type CommitLog,
  type DamagedLine
} from './commit-log'
export {
  readDiskChain,
  readDiskRows,
  scenariosOnDisk,
  type DiskChainSource,
  type DiskRows
} from './disk-chain'
export { parseCommit, parseCommitList, parseReleaseList, type CommitParse } from './reef-rows'
export { resultOf, serves } from './row-result'
export { nearestSaved, rewardOf, type RollbackRequest, type RollbackScene } from './plan-words'
export { judgeRestartInPlace, type RestartVerdict, type RootState } from './restart-in-place'
export { planPromote, planRollback } from './rollback-plan'
export {
  judgePromote,
  judgeRollback,
  type MarkerStatus,
  type PromoteVerdict,
  type Refusal,
  type RollbackFacts,
  type RollbackVerdict
} from './rollback-verdict'
