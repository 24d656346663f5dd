import { randomBytes } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { QueuedLaunch } from '../../contract/queue'
import { type Clock, errorCode, writeFileAtomic } from '../lib'

/** What somebody else wants of the queue, which only the window's engine may change. */
export const Wish = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('remove'), id: z.string() }),
  z.object({ kind: z.literal('first'), id: z.string() }),
  z.object({ kind: z.literal('again'), id: z.string() }),
  z.object({ kind: z.literal('add'), item: QueuedLaunch })
])
export type Wish = z.infer<typeof Wish>

/** Why a launch waits that nobody has looked at yet. */
export const toBeLooked = { en: 'Is about to be looked at.', zh: '即将检查。' }

const FOLDER = 'queue-wishes'

/** The queue after a wish; one for a launch that is not there, or is being started, changes nothing. Pure. */
export function granted(items: readonly QueuedLaunch[], wish: Wish): QueuedLaunch[] {
  if (wish.kind === 'add') {
    // Granted already by an engine that ended before it could say so.
    const there = items.some(({ id }) => id === wish.item.id)
    return there ? [...items] : [...items, wish.item]
  }
  const { kind, id } = wish
  const item = items.find((one) => one.id === id)
  if (item === undefined || item.state.kind === 'starting') return [...items]
  const others = items.filter((one) => one.id !== id)
  switch (kind) {
    case 'remove':
      return others
    case 'first':
      return [item, ...others]
    case 'again': {
      if (item.state.kind !== 'refused') return [...items]
      const state = { kind: 'waiting', why: toBeLooked } as const
      return items.map((one) => (one.id === id ? { ...one, state } : one))
    }
  }
}

/** Leaves a wish for whoever keeps the queue. True when it was taken within `ms`; else it stays for the next window. */
export async function wishFor(
  home: string,
  wish: Wish,
  { clock, ms }: { clock: Clock; ms: number }
): Promise<boolean> {
  const folder = join(home, FOLDER)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${clock.now()}-${randomBytes(4).toString('hex')}.json`)
  await writeFileAtomic(file, `${JSON.stringify(wish)}\n`)
  return gone(folder, file, { clock, ms })
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return false
    throw cause
  }
}

/** Whether a file goes away before the time is over. */
function gone(
  folder: string,
  file: string,
  { clock, ms }: { clock: Clock; ms: number }
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const watcher = watch(folder)
    const finish = (taken: boolean): void => {
      cancel()
      watcher.close()
      resolve(taken)
    }
    const cancel = clock.after(ms, () => {
      finish(false)
    })
    const look = (): void => {
      isThere(file).then((there) => {
        if (!there) finish(true)
      }, reject)
    }
    watcher.once('error', reject)
    watcher.on('change', look)
    // It may have gone before anybody watched.
    look()
  })
}

/** Wishes left for the queue of a home, oldest first, each with how to say that it was granted. Unreadable ones are thrown away. */
export async function takeWishes(
  home: string
): Promise<{ wish: Wish; done: () => Promise<void> }[]> {
  const wishes: { wish: Wish; done: () => Promise<void> }[] = []
  for (const { wish, file } of await left(home)) {
    const done = (): Promise<void> => rm(file, { force: true })
    if (wish === null) await done()
    else wishes.push({ wish, done })
  }
  return wishes
}

/** The queue as it will be when somebody keeps it again: what was wished for meanwhile is granted. Changes nothing. */
export async function withWishes(
  home: string,
  items: readonly QueuedLaunch[]
): Promise<QueuedLaunch[]> {
  let queue = [...items]
  for (const { wish } of await left(home)) if (wish !== null) queue = granted(queue, wish)
  return queue
}

/** What was left, oldest first; null what cannot be read. */
async function left(home: string): Promise<{ wish: Wish | null; file: string }[]> {
  const folder = join(home, FOLDER)
  const found: { wish: Wish | null; file: string }[] = []
  try {
    for (const name of (await readdir(folder)).filter((one) => one.endsWith('.json')).sort()) {
      const file = join(folder, name)
      found.push({ wish: read(await readFile(file, 'utf8')), file })
    }
  } catch (cause) {
    // No folder yet, or whoever keeps the queue has just taken one: what is left is asked for again at the next change.
    if (errorCode(cause) !== 'ENOENT') throw cause
  }
  return found
}

function read(text: string): Wish | null {
  try {
    const wish = Wish.safeParse(JSON.parse(text))
    return wish.success ? wish.data : null
  } catch {
    // Not JSON, so nobody's wish.
    return null
  }
}

/** Calls `changed` when a wish comes. */
export async function watchWishes(home: string, changed: () => void): Promise<FSWatcher> {
  const folder = join(home, FOLDER)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return watch(folder, changed)
}
