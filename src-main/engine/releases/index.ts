export { buildBranchedChain, buildChain } from './chain'
export {
  mergeCommits,
  type AttemptStart,
  type ChainSegment,
  type ExportFacts
} from './chain-drafts'
export type { ChainRow } from './chain-row'
export { commitLogName, parseCommitLog, type CommitLog, type DamagedLine } from './commit-log'
export { parseCommit, parseCommitList, parseReleaseList, type CommitParse } from './reef-rows'
export { resultOf, serves } from './row-result'
