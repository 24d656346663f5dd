export { ActServer, sendAct, socketAddress } from './act-socket'
export { type Act, ActResult, type UpdateChange } from './acts'
export { Changes } from './changes'
export { installationId } from './installation'
export { JsonLinesFile, parseJsonLines, readJsonLines } from './json-lines'
export { processStart, thisHost } from './process-identity'
export {
  type EngineIdentity,
  type Holder,
  holderOf,
  identifyEngine,
  type LockOutcome,
  RunLock
} from './run-lock'
export {
  AttemptRecord,
  type CompanionRecord,
  HandleRecord,
  NextAttempt,
  nothingSeen,
  ReleaseRow,
  RUN_SCHEMA,
  RunRecord,
  type Seen,
  TrafficCount
} from './run-record'
export {
  defaultHome,
  type Listing,
  newRunId,
  type NewRun,
  type RunPaths,
  runPaths,
  RunStore
} from './run-store'
