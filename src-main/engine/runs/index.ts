export { ActServer, sendAct, socketAddress } from './act-socket'
export { type Act, ActResult, type UpdateChange } from './acts'
export { makeHome } from './home'
export { installationId } from './installation'
export { nothingSeen } from './run-record'
export { JsonLinesFile, parseJsonLines, readJsonLines } from './json-lines'
export { type EngineIdentity, type Holder, holderOf, identifyEngine, RunLock } from './run-lock'
export {
  AttemptRecord,
  type CompanionRecord,
  type FromIteration,
  NextAttempt,
  ReleaseRow,
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
  RunStore
} from './run-store'
