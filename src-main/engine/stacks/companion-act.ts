import type { Companion } from '../../contract/launch'
import type { CompanionStatus, Exit } from '../../contract/run'
import type { Text } from '../../contract/text'
import type { AttemptRecord, CompanionRecord } from '../runs'
import { isFinal } from './attempt-state'
import { exitWords } from './sentences'

/** What is known of one companion at a look. */
export interface CompanionFacts {
  /** What the stack is doing. */
  stack: 'starting' | 'serving' | 'stopping'
  /** How often it was started; 0 before the first time. */
  starts: number
  /** How its last start ended; null while it runs. */
  exit: Exit | null
  /** Milliseconds since it was seen to end. */
  sinceEnd: number
}

export const MOST_RESTART_PAUSE_MS = 60_000
const FIRST_RESTART_PAUSE_MS = 1_000

/** A companion that ends at once each time must not be started all the time: each pause is twice the one before. */
export function restartPause(starts: number): number {
  return Math.min(FIRST_RESTART_PAUSE_MS * 2 ** Math.max(0, starts - 1), MOST_RESTART_PAUSE_MS)
}

function mayRestart(policy: Companion['restart'], exit: Exit): boolean {
  switch (policy) {
    case 'never':
      return false
    case 'on-failure':
      return exit.kind !== 'code' || exit.code !== 0
    case 'always':
      return true
  }
}

/** Failures in a row after which a companion that is started again each time is one that keeps failing. */
const MANY_FAILURES = 3
/** What ran this long did its work before it failed: it is no failure in a row with the one before. */
const LASTED_MS = 60_000

/** Nobody knows how it ended, which is no failure; what never ran (no handle) has failed to start. */
function hasFailed(exit: Exit, { handle }: Pick<CompanionRecord, 'handle'>): boolean {
  if (exit.kind === 'unknown') return handle === null
  return exit.kind !== 'code' || exit.code !== 0
}

/** How often in a row a companion has failed, with this end. `now`: Unix milliseconds. Pure. */
export function failuresInRow(record: CompanionRecord, exit: Exit, now: number): number {
  if (!hasFailed(exit, record)) return 0
  const { startedAt, failures = 0 } = record
  return startedAt !== undefined && now - startedAt >= LASTED_MS ? 1 : failures + 1
}

/**
 * What a person should hear of a companion that ended so while its stack goes on, though they are not looking: it failed
 * and is not started again, or it fails each time; null when nothing. Pure.
 */
export function failingText(
  { name, restart }: Pick<Companion, 'name' | 'restart'>,
  record: CompanionRecord,
  exit: Exit
): Text | null {
  const { failures = 0, handle } = record
  if (!hasFailed(exit, record)) return null
  const { en, zh } = exitWords(exit)
  const how =
    handle === null
      ? { en: 'could not be started', zh: '无法启动' }
      : { en: `ended ${en}`, zh: `已结束（${zh}）` }
  if (!mayRestart(restart, exit))
    return {
      en: `Companion “${name}” ${how.en} and is not started again; the stack goes on without it.`,
      zh: `伴随命令“${name}”${how.zh}，且不会再启动；运行栈继续运行，但没有它。`
    }
  if (failures < MANY_FAILURES) return null
  return {
    en: `Companion “${name}” keeps failing: it ${how.en}, ${failures} times in a row. It is tried again, at most once a minute.`,
    zh: `伴随命令“${name}”持续失败：它${how.zh}，已连续 ${failures} 次。会继续重试，最多每分钟一次。`
  }
}

/** What to do about a companion now. Pure. */
export function companionAct(
  companion: Pick<Companion, 'startWhenServing' | 'stopWithRun' | 'restart'>,
  facts: CompanionFacts
): 'start' | 'stop' | 'leave' {
  const { stack, starts, exit, sinceEnd } = facts
  const runs = starts > 0 && exit === null
  if (stack === 'stopping') return runs && companion.stopWithRun ? 'stop' : 'leave'
  if (runs) return 'leave'
  if (exit === null) return stack === 'serving' || !companion.startWhenServing ? 'start' : 'leave'
  const due = mayRestart(companion.restart, exit) && sinceEnd >= restartPause(starts)
  return due ? 'start' : 'leave'
}

/** Companions of an attempt that have ended and will not start again by themselves, with how. Pure. */
export function endedCompanions({
  plan,
  companions = []
}: Pick<AttemptRecord, 'companions' | 'plan'>): { name: string; how: Text }[] {
  return companions.flatMap(({ name, exit }) => {
    const policy = plan.companions.find((one) => one.name === name)?.restart ?? 'never'
    return exit === null || mayRestart(policy, exit) ? [] : [{ name, how: exitWords(exit) }]
  })
}

/** What is known of the companions of an attempt, in the order they were asked for. Pure. */
export function companionStatuses({
  number,
  plan,
  state,
  companions = []
}: Pick<AttemptRecord, 'number' | 'plan' | 'state' | 'companions'>): CompanionStatus[] {
  const stack = isFinal(state) ? 'ended' : state.kind === 'stopping' ? 'stopping' : 'up'
  return plan.companions.map((companion) => {
    const { name, where } = companion
    const record = companions.find((one) => one.name === name)
    return {
      name,
      where,
      state: statusOf(companion, record, stack),
      restarts: Math.max(0, (record?.starts ?? 0) - 1),
      log: record === undefined ? null : `${number}/companion-${name}`
    }
  })
}

function statusOf(
  { restart, startWhenServing }: Companion,
  record: CompanionRecord | undefined,
  stack: 'up' | 'stopping' | 'ended'
): CompanionStatus['state'] {
  if (record === undefined) {
    if (stack !== 'up') return { kind: 'unused' }
    return { kind: startWhenServing ? 'waiting' : 'starting' }
  }
  const { exit, handle } = record
  if (exit !== null) {
    // What never ran has no handle, and its end is nobody's to see.
    if (exit.kind === 'unknown' && handle === null)
      return { kind: 'not-started', again: stack === 'up' && mayRestart(restart, exit) }
    return { kind: stack === 'up' && mayRestart(restart, exit) ? 'restarting' : 'ended', exit }
  }
  if (stack === 'ended') return { kind: 'left' }
  return { kind: handle === null ? 'starting' : 'running' }
}
