export { writeFileAtomic } from './atomic-file'
export { Changes } from './changes'
export { pause, systemClock, type Clock } from './clock'
export { editDistance } from './edit-distance'
export { errorCode, fail, FailureError, messageOf } from './failure'
export { isObject } from './is-object'
export {
  holdsCredential,
  REDACTED,
  REDACTION_OVERLAP,
  redactDeep,
  redactor,
  type Redactor,
  SHORTEST_SECRET
} from './redact'
export { Scope } from './scope'
export { writeAt } from './write-at'
