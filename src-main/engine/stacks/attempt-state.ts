import type { AttemptState, Exit, RunState } from '../../contract/run'
import type { Text } from '../../contract/text'

/** `unsure`: it may have ended by itself and may not; only an end after it was ready can be that. */
export type Ending =
  { kind: 'ended'; why: Text } | { kind: 'failed' } | { kind: 'unsure'; why: Text }

/** What is seen of an attempt, or asked of it. `at` is Unix milliseconds. */
export type AttemptEvent =
  | { kind: 'checking'; at: number }
  | { kind: 'preparing'; at: number; image: string }
  /** A service is coming up; sent again with the next service's name. */
  | { kind: 'starting'; at: number; service: string }
  | { kind: 'ready'; at: number }
  /** Something moved: traffic, a log line, an optimizer step. `step` is the newest one, 0 before the first. */
  | { kind: 'progressed'; at: number; step: number }
  /** Nothing moved for a while, though the stack runs. */
  | { kind: 'silent'; at: number; why: Text }
  /** We could not look at the target, or at the stack on it. Says nothing about the stack. */
  | { kind: 'lost'; at: number; what: 'target' | 'stack'; why: Text }
  | { kind: 'stop-asked'; at: number; deadline: number; awaiting: Text }
  | { kind: 'awaiting'; at: number; awaiting: Text }
  | {
      kind: 'exited'
      at: number
      exit: Exit
      /** It ended on a machine that stayed up all the time, whatever is known of how. */
      stayedUp?: boolean
      /** What the diagnosis found; used when this end is a failure. */
      cause: Text
      evidence: readonly string[]
      remedy: Text | null
      /** What its own log says of the end, or its container engine, where that counts more than the exit. */
      ending?: Ending
    }
  /** It could not be started, or did not become ready in time. */
  | {
      kind: 'refused'
      at: number
      cause: Text
      evidence: readonly string[]
      remedy: Text | null
    }

export type AttemptEventKind = AttemptEvent['kind']

/** No event changes these any more. */
export function isFinal(state: RunState): boolean {
  return state.kind === 'stopped' || state.kind === 'failed' || state.kind === 'imported'
}

/** True once the services have been ready. */
export function wasReady(state: AttemptState): boolean {
  return state.kind === 'serving' || state.kind === 'training' || state.kind === 'quiet'
}

/**
 * The whole life of an attempt. `reached` says whether it was ever ready, which a state such as `unreachable` does not.
 * An end before ready is a failure whatever the code; an end that was asked for is a stop whatever the code.
 */
export function reduceAttempt(
  state: AttemptState,
  event: AttemptEvent,
  reached: boolean
): AttemptState {
  if (isFinal(state)) return state
  if (state.kind === 'stopping') return whileStopping(state, event)
  switch (event.kind) {
    case 'checking':
      return state.kind === 'planned' ? { kind: 'checking', since: event.at } : state
    case 'preparing':
      return prepared(state, event)
    case 'starting':
      return started(state, event)
    case 'ready':
      return wasReady(state) ? state : { kind: 'serving', since: event.at }
    case 'progressed':
      return progressed(state, event)
    case 'silent':
      return silent(state, event, reached)
    case 'lost':
      return lost(state, event)
    case 'stop-asked':
      return {
        kind: 'stopping',
        since: event.at,
        deadline: event.deadline,
        awaiting: event.awaiting
      }
    case 'awaiting':
      return state
    case 'exited':
      return ended(event, reached || wasReady(state))
    case 'refused':
      return failed(event)
  }
}

function whileStopping(
  state: Extract<AttemptState, { kind: 'stopping' }>,
  event: AttemptEvent
): AttemptState {
  switch (event.kind) {
    case 'exited':
      return { kind: 'stopped', at: event.at, exit: event.exit, asked: true }
    case 'stop-asked':
      return { ...state, deadline: event.deadline, awaiting: event.awaiting }
    case 'awaiting':
      return { ...state, awaiting: event.awaiting }
    case 'checking':
    case 'preparing':
    case 'starting':
    case 'ready':
    case 'progressed':
    case 'silent':
    case 'lost':
    case 'refused':
      return state
  }
}

function prepared(
  state: AttemptState,
  event: Extract<AttemptEvent, { kind: 'preparing' }>
): AttemptState {
  return state.kind === 'planned' || state.kind === 'checking'
    ? { kind: 'preparing', since: event.at, image: event.image }
    : state
}

function started(
  state: AttemptState,
  event: Extract<AttemptEvent, { kind: 'starting' }>
): AttemptState {
  if (wasReady(state)) return state
  if (state.kind === 'starting' && state.service === event.service) return state
  return { kind: 'starting', since: event.at, service: event.service }
}

function progressed(
  state: AttemptState,
  event: Extract<AttemptEvent, { kind: 'progressed' }>
): AttemptState {
  if (event.step === 0) {
    return state.kind === 'serving' ? state : { kind: 'serving', since: event.at }
  }
  if (state.kind === 'training' && state.step === event.step) return state
  return { kind: 'training', since: event.at, step: event.step }
}

function silent(
  state: AttemptState,
  event: Extract<AttemptEvent, { kind: 'silent' }>,
  reached: boolean
): AttemptState {
  if (state.kind === 'quiet') return { ...state, why: event.why }
  if (wasReady(state) || (state.kind === 'unreachable' && reached)) {
    return { kind: 'quiet', since: event.at, why: event.why }
  }
  // Before ready, silence is waiting, and the deadline of the awaited service judges it.
  return state
}

function lost(state: AttemptState, event: Extract<AttemptEvent, { kind: 'lost' }>): AttemptState {
  const { what, why } = event
  if (state.kind === 'unreachable') return { ...state, what, why }
  // Nothing runs yet that could be out of reach.
  if (state.kind === 'planned' || state.kind === 'checking' || state.kind === 'preparing') {
    return state
  }
  return { kind: 'unreachable', since: event.at, what, why }
}

function ended(event: Extract<AttemptEvent, { kind: 'exited' }>, reached: boolean): AttemptState {
  if (event.ending?.kind === 'ended') {
    return { kind: 'stopped', at: event.at, exit: event.exit, why: event.ending.why }
  }
  if (event.ending?.kind === 'unsure' && reached) {
    const { exit, ending } = event
    return { kind: 'stopped', at: event.at, exit, why: ending.why, unsure: true }
  }
  if (event.ending?.kind === 'failed') return { ...failed(event), exit: event.exit }
  const clean = event.exit.kind === 'code' && event.exit.code === 0
  // Nobody saw how it ended (the machine restarted): that it failed would be a guess.
  const unseen = event.exit.kind === 'unknown' && event.stayedUp !== true
  if (reached && (clean || unseen)) return { kind: 'stopped', at: event.at, exit: event.exit }
  return { ...failed(event), exit: event.exit }
}

function failed(event: {
  at: number
  cause: Text
  evidence: readonly string[]
  remedy: Text | null
}): Extract<AttemptState, { kind: 'failed' }> {
  return {
    kind: 'failed',
    at: event.at,
    cause: event.cause,
    evidence: [...event.evidence],
    ...(event.remedy === null ? {} : { remedy: event.remedy })
  }
}
