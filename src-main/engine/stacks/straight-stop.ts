import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Text } from '../../contract/text'
import { errorCode } from '../lib'
import type { RunStore } from '../runs'
import type { Target } from '../targets'
import { stopAskedBefore, stopMarked, stopUnwritten } from './act-sentences'
import type { AttemptJournal } from './attempt-journal'
import { isFinal } from './attempt-state'
import { findHandle } from './attempt-watching'
import { awaitingText } from './sentences'

/**
 * Ends a stack without a word in its run, where `cause` is a full disk that does not take one: nobody becomes its writer
 * there, and what fills the disk may be the stack itself. A file without a byte says that it was asked, which a full disk
 * mostly takes: a second signal would mean to skip the grace period. Gives what a person must know of it.
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
  if (attempt.stopAsked !== null && !force) return stopAskedBefore(attempt.stopAsked.at)
  const target = await targetOf(record.target.id)
  const handle = await findHandle({ target, store, run }, attempt)
  if (handle === null) throw cause
  const mark = store.paths(run).stopAsked(attempt.number)
  const made = await makeMark(mark)
  const before = made === 'there' && !force ? await markedAt(mark) : null
  if (before !== null) return stopAskedBefore(before)
  if (force) await target.kill(handle)
  else await target.askToStop(handle)
  return made === 'no-room' ? stopUnwritten(force) : stopMarked(force)
}

/** Takes a stop that was asked for on a full disk into the record, which now has a writer again. */
export async function recallStop(journal: AttemptJournal, graceSeconds: number): Promise<void> {
  const { attempt, state, store, run } = journal
  if (attempt.stopAsked !== null || isFinal(state)) return
  const at = await markedAt(store.paths(run).stopAsked(attempt.number))
  if (at === null) return
  const deadline = at + graceSeconds * 1000
  journal.change({ stopAsked: { at, deadline, force: false } })
  const text = {
    en: 'Asked to end while the disk was full.',
    zh: '在磁盘已满时已请求结束。'
  }
  journal.owe(
    { kind: 'stop-asked', text, data: { force: false } },
    { kind: 'stop-asked', at, deadline, awaiting: awaitingText(false, null) }
  )
}

async function makeMark(path: string): Promise<'made' | 'there' | 'no-room'> {
  let file: FileHandle
  try {
    file = await open(path, 'wx', 0o600)
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return 'there'
    // Not even a name has room: it is stopped all the same, and that is said.
    if (errorCode(cause) === 'ENOSPC') return 'no-room'
    throw cause
  }
  await file.close()
  return 'made'
}

/** When a mark was made, Unix milliseconds; null when there is none. */
async function markedAt(path: string): Promise<number | null> {
  try {
    return Math.trunc((await stat(path)).mtimeMs)
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}
