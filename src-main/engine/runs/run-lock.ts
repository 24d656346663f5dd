import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode, fail } from '../lib'
import { processStart } from '../targets'
import { type HostIdentity, thisHost } from './host-identity'

/** Who writes a run. `key` lets an act in through the writer's socket; only who can read the run folder knows it. */
const LockRecord = z.object({
  token: z.string(),
  pid: z.number().int(),
  processStart: z.string(),
  host: z.object({ name: z.string(), id: z.string() }),
  socket: z.string(),
  key: z.string()
})
export type LockRecord = z.infer<typeof LockRecord>

/** This engine, as its locks name it. */
export interface EngineIdentity {
  pid: number
  processStart: string
  host: HostIdentity
  socket: string
  key: string
}

/** Who holds the lock, seen from this engine. */
export type Holder =
  | { kind: 'nobody' }
  | { kind: 'me'; lock: LockRecord }
  /** Its process is gone: may be taken over. */
  | { kind: 'dead'; lock: LockRecord }
  | { kind: 'other-process'; lock: LockRecord }
  | { kind: 'other-host'; lock: LockRecord }
  /** Not ours to read. */
  | { kind: 'unreadable' }

export type LockOutcome = { kind: 'mine'; lock: RunLock } | { kind: 'held'; holder: Holder }

const lockFile = (folder: string): string => join(folder, 'lock')
const successorFile = (folder: string, token: string): string => join(folder, `lock.after-${token}`)

/** Facts about this process for its locks. `socket` is where it listens for acts. */
export async function identifyEngine(socket: string): Promise<EngineIdentity> {
  const start = await processStart(process.pid)
  if (start === null) {
    fail({
      code: 'no-process-start',
      what: {
        en: 'The operating system does not say when this process began, so runs cannot be locked safely.',
        zh: '操作系统没有给出本进程的启动时间，无法安全地为运行加锁。'
      }
    })
  }
  return {
    pid: process.pid,
    processStart: start,
    host: await thisHost(),
    socket,
    key: randomUUID()
  }
}

async function readLock(file: string): Promise<LockRecord | 'absent' | 'unreadable'> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return 'absent'
    if (errorCode(cause) === 'EACCES') return 'unreadable'
    throw cause
  }
  try {
    const parsed = LockRecord.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : 'unreadable'
  } catch (cause) {
    if (cause instanceof SyntaxError) return 'unreadable'
    throw cause
  }
}

async function judge(lock: LockRecord, me: EngineIdentity): Promise<Holder> {
  if (lock.host.id !== me.host.id) return { kind: 'other-host', lock }
  if (lock.key === me.key) return { kind: 'me', lock }
  const start = await processStart(lock.pid)
  return { kind: start === lock.processStart ? 'other-process' : 'dead', lock }
}

/** Who holds the run in `folder` now. Never changes anything. */
export async function holderOf(folder: string, me: EngineIdentity): Promise<Holder> {
  const lock = await readLock(lockFile(folder))
  if (lock === 'absent') return { kind: 'nobody' }
  if (lock === 'unreadable') return { kind: 'unreadable' }
  return judge(lock, me)
}

/** The record in a file of its own, to be linked or moved to its place. What a full disk cut off does not stay. */
async function written(folder: string, record: LockRecord): Promise<string> {
  const temp = join(folder, `.lock-${record.token}-${randomUUID()}.tmp`)
  try {
    await writeFile(temp, JSON.stringify(record), { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    await rm(temp, { force: true })
    throw cause
  }
  return temp
}

/** Creates `file` with its whole content or not at all; false when it is there already. */
async function createWhole(folder: string, file: string, record: LockRecord): Promise<boolean> {
  const temp = await written(folder, record)
  try {
    // A hard link either appears with its content or fails: no reader ever sees an empty lock.
    await link(temp, file)
    return true
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return false
    throw cause
  } finally {
    await rm(temp, { force: true })
  }
}

async function replaceWhole(folder: string, file: string, record: LockRecord): Promise<void> {
  await rename(await written(folder, record), file)
}

/**
 * Succeeds a dead writer. Two takers cannot both win: the right to follow the lock with token T is the file
 * `lock.after-T`, which only one can create. Whoever holds it looks again whether the lock still is T's (a taker who
 * was quicker has replaced it by then), replaces it, and only then gives the right back. A taker that died in between
 * is itself succeeded by the same rule.
 */
async function succeed(
  folder: string,
  dead: string,
  mine: LockRecord,
  me: EngineIdentity
): Promise<boolean> {
  const right = successorFile(folder, dead)
  if (!(await createWhole(folder, right, mine))) {
    const taker = await readLock(right)
    if (taker === 'absent' || taker === 'unreadable') return false
    if ((await judge(taker, me)).kind !== 'dead') return false
    if (!(await succeedTaker(folder, right, taker.token, mine, me))) return false
  }
  const now = await readLock(lockFile(folder))
  const stillDead = now !== 'absent' && now !== 'unreadable' && now.token === dead
  if (stillDead) await replaceWhole(folder, lockFile(folder), mine)
  await rm(right, { force: true })
  return stillDead
}

/** Takes the right file over from a taker that died holding it. */
async function succeedTaker(
  folder: string,
  right: string,
  dead: string,
  mine: LockRecord,
  me: EngineIdentity
): Promise<boolean> {
  const second = successorFile(folder, dead)
  if (!(await createWhole(folder, second, mine))) {
    const taker = await readLock(second)
    if (taker === 'absent' || taker === 'unreadable') return false
    if ((await judge(taker, me)).kind !== 'dead') return false
    if (!(await succeedTaker(folder, second, taker.token, mine, me))) return false
  }
  const now = await readLock(right)
  const still = now !== 'absent' && now !== 'unreadable' && now.token === dead
  if (still) await replaceWhole(folder, right, mine)
  await rm(second, { force: true })
  return still
}

/** The right to write one run folder. */
export class RunLock {
  private constructor(
    private readonly folder: string,
    private readonly record: LockRecord
  ) {}

  /** Takes the lock when nobody alive on this machine holds it and no other machine does. */
  static async take(folder: string, me: EngineIdentity): Promise<LockOutcome> {
    const mine: LockRecord = { token: randomUUID(), ...me }
    // Asked before anything is written: on a full disk, too, an act finds its way to whoever holds the lock.
    const before = await holderOf(folder, me)
    if (before.kind === 'other-process' || before.kind === 'other-host')
      return { kind: 'held', holder: before }
    if (await createWhole(folder, lockFile(folder), mine)) {
      return { kind: 'mine', lock: new RunLock(folder, mine) }
    }
    const holder = await holderOf(folder, me)
    if (holder.kind === 'nobody') return RunLock.take(folder, me)
    if (holder.kind === 'me') return { kind: 'mine', lock: new RunLock(folder, holder.lock) }
    if (holder.kind === 'dead' && (await succeed(folder, holder.lock.token, mine, me))) {
      return { kind: 'mine', lock: new RunLock(folder, mine) }
    }
    return { kind: 'held', holder: await holderOf(folder, me) }
  }

  /** Gives the lock back, unless it is no longer ours. */
  async release(): Promise<void> {
    const now = await readLock(lockFile(this.folder))
    if (now !== 'absent' && now !== 'unreadable' && now.token === this.record.token) {
      await rm(lockFile(this.folder), { force: true })
    }
  }
}
