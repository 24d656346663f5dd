import type { Text } from '../../contract/text'
import { errorCode } from '../lib'
import type { RunStore } from '../runs'
import type { Target } from '../targets'
import { stopUnwritten } from './act-sentences'
import { isFinal } from './attempt-state'
import { findHandle } from './attempt-watching'

/**
 * Ends a stack without a word in its run, where `cause` is a full disk that does not take one: nobody becomes its writer
 * there, and what fills the disk may be the stack itself. Gives what a person must know of it.
 * @throws `cause` when it is another one, or there is nothing to end
 */
export async function stopStraight(
  cause: unknown,
  { run, force }: { run: string; force: boolean },
  store: RunStore,
  targetOf: (id: string) => Promise<Target>
): Promise<Text> {
  if (errorCode(cause) !== 'ENOSPC') throw cause
  const record = await store.read(run)
  const attempt = record.attempts.at(-1)
  if (attempt === undefined || isFinal(attempt.state)) throw cause
  const target = await targetOf(record.target.id)
  const handle = await findHandle({ target, store, run }, attempt)
  if (handle === null) throw cause
  if (force) await target.kill(handle)
  else await target.askToStop(handle)
  return stopUnwritten(force)
}
