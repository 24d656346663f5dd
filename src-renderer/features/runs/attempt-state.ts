import {
  Check,
  Circle,
  FileInput,
  LoaderCircle,
  Play,
  Square,
  TriangleAlert,
  Unplug,
  X,
  Hourglass
} from 'lucide-react'
import type { AttemptState, RunState, RunSummary } from '@contract/run'
import type { StateLook } from '../../ui'

/** The word for a state: a key of the `states` catalogue. */
export type StateWord = RunState['kind'] | 'done'

/** True while a stack of ours exists or is being made. */
export function isActive(state: RunState): boolean {
  return state.kind !== 'stopped' && state.kind !== 'failed' && state.kind !== 'imported'
}

/** True when a person should look: something failed, went quiet, cannot be reached, or may not have ended by itself. */
export function needsAttention(state: RunState): boolean {
  if (state.kind === 'stopped') return state.unsure === true
  return state.kind === 'failed' || state.kind === 'quiet' || state.kind === 'unreachable'
}

/** True when the stack can be asked to end. */
export function canStop(state: RunState): boolean {
  return isActive(state) && state.kind !== 'stopping' && state.kind !== 'planned'
}

export function wordOf(state: RunState): StateWord {
  if (state.kind !== 'stopped') return state.kind
  return endedByItself(state) ? 'done' : 'stopped'
}

/** It had nothing left to do: nobody asked it to end, and it ended well. */
function endedByItself({
  exit,
  asked,
  unsure
}: Extract<AttemptState, { kind: 'stopped' }>): boolean {
  return asked !== true && unsure !== true && exit.kind === 'code' && exit.code === 0
}

/** Icon and tone of a state. Icon, word and tone always go together. */
export function lookOf(state: RunState): StateLook {
  switch (state.kind) {
    case 'planned':
      return { tone: 'idle', icon: Hourglass }
    case 'checking':
    case 'preparing':
    case 'starting':
      return { tone: 'running', icon: LoaderCircle, pulse: true }
    case 'serving':
    case 'training':
      return { tone: 'running', icon: Play, fillIcon: true }
    case 'quiet':
      return { tone: 'warn', icon: TriangleAlert }
    case 'unreachable':
      return { tone: 'warn', icon: Unplug }
    case 'stopping':
      return { tone: 'idle', icon: Square }
    case 'stopped':
      if (state.unsure === true) return { tone: 'warn', icon: TriangleAlert }
      return endedByItself(state) ? { tone: 'ready', icon: Check } : { tone: 'idle', icon: Circle }
    case 'failed':
      return { tone: 'fail', icon: X }
    case 'imported':
      return { tone: 'idle', icon: FileInput }
  }
}

/**
 * How long a run has been in what its chip says, in milliseconds; null for states that are over.
 * Serving and training count from the start: they take turns every few seconds.
 */
export function heldFor(state: RunState, startedAt: number, now: number): number | null {
  switch (state.kind) {
    case 'planned':
    case 'stopped':
    case 'failed':
    case 'imported':
      return null
    case 'serving':
    case 'training':
      return Math.max(0, now - startedAt)
    case 'checking':
    case 'preparing':
    case 'starting':
    case 'quiet':
    case 'unreachable':
    case 'stopping':
      return Math.max(0, now - state.since)
  }
}

/** Milliseconds from start to end, or to now while it goes on; null for what was imported from files without times. */
export function runLength({ state, startedAt, endedAt }: RunSummary, now: number): number | null {
  if (state.kind === 'imported') return state.lasted
  return Math.max(0, (endedAt ?? now) - startedAt)
}
