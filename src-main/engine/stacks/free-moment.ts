import { type Clock, pause } from '../lib'
import { stopCost } from './quiet'
import type { ReefClient } from './reef-client'

/** Pause between looks, milliseconds: jobs may follow one another closely, and the moment between two is what is wanted. */
const LOOK_EVERY_MS = 100
/** Looks without an answer after which the service is taken to be away: then there is no job to wait for. */
const PATIENCE = 30

/**
 * Waits until no training job is out. A job that is cut off leaves folders behind that a real stack refuses to start
 * again (public source: `docs/user-guide/troubleshooting.rst`).
 * @param onWait told once, when there is something to wait for
 * @returns true at a free moment or when nobody answers; false when `signal` aborted first
 */
export async function freeMoment(
  service: Pick<ReefClient, 'status'>,
  clock: Clock,
  signal: AbortSignal,
  onWait: () => Promise<void>
): Promise<boolean> {
  let unanswered = 0
  let told = false
  while (!signal.aborted) {
    const answer = await service.status()
    if (answer.kind === 'ok') {
      unanswered = 0
      if (stopCost(answer.value) === null) return true
      if (!told) await onWait()
      told = true
    } else if ((unanswered += 1) >= PATIENCE) return true
    await pause(clock, LOOK_EVERY_MS, signal)
  }
  return false
}
