import { createHash } from 'node:crypto'
import { createReadStream, watch, type BigIntStats, type FSWatcher } from 'node:fs'
import { lstat, open, readdir, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { systemClock, type Clock } from '../../lib'
import { isMissing, readOrNull } from './file-failure'
import { filesystemType } from './filesystem-type'
import type { FileAccess, FileFacts } from '../target'

/** How often a followed file is looked at besides the system's own notices, which network file systems do not send. */
const LOOK_EVERY_MS = 1000

function kindOf(stats: BigIntStats): FileFacts['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'symlink'
  return 'other'
}

function factsOf(name: string, stats: BigIntStats): FileFacts {
  const size = Number(stats.size)
  return {
    name,
    kind: kindOf(stats),
    size,
    allocated: process.platform === 'win32' ? size : Number(stats.blocks) * 512,
    modified: Number(stats.mtimeMs),
    inode: `${stats.dev}:${stats.ino}`,
    uid: Number(stats.uid),
    mode: Number(stats.mode)
  }
}

async function readBytes(
  path: string,
  offset: number,
  length: number,
  into: Uint8Array | undefined
): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const hasRoom = into !== undefined && into.length >= length
    // Not filled with zeros first: only what has been read is handed out.
    const buffer = hasRoom ? into : new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  } finally {
    await file.close()
  }
}

async function listFolder(path: string): Promise<FileFacts[]> {
  const names = await readdir(path)
  const entries = await Promise.all(
    names.map(async (name) => {
      try {
        return factsOf(name, await lstat(join(path, name), { bigint: true }))
      } catch (thrown) {
        // It went away between the two calls: the same as never having been listed.
        if (isMissing(thrown)) return null
        throw thrown
      }
    })
  )
  return entries.filter((entry) => entry !== null)
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) {
    if (chunk instanceof Uint8Array) hash.update(chunk)
  }
  return hash.digest('hex')
}

/**
 * Follows one file by the system's notices on its folder, and by looking once a second where these do not come.
 * The file, and even its folder, may not be there yet, or be replaced.
 */
function followFile(path: string, changed: () => void, clock: Clock): () => void {
  let watcher: FSWatcher | null = null
  let cancel: (() => void) | null = null
  let stopped = false
  let seen = ''

  const unwatch = (): void => {
    watcher?.close()
    watcher = null
  }
  const tryWatch = (): void => {
    if (watcher !== null) return
    try {
      watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (!stopped && (name === null || name === basename(path))) changed()
      })
      watcher.on('error', unwatch)
    } catch {
      // No folder yet, or no watches left on this machine: the look every second is the fallback for both.
      watcher = null
    }
  }
  const look = async (): Promise<void> => {
    const facts = await stat(path, { bigint: true }).catch(() => null)
    const now = facts === null ? '' : `${facts.ino} ${facts.size} ${facts.mtimeNs}`
    if (stopped) return
    if (now === '') unwatch()
    tryWatch()
    if (now !== seen) changed()
    seen = now
    cancel = clock.after(LOOK_EVERY_MS, () => void look())
  }
  tryWatch()
  void look()
  return () => {
    stopped = true
    cancel?.()
    unwatch()
  }
}

/** File access on this machine. `clock` paces the looks of `follow`. */
export function localFiles(clock: Clock = systemClock): FileAccess {
  return {
    stat: (path) =>
      readOrNull(path, async () => factsOf(basename(path), await stat(path, { bigint: true }))),
    statfs: (path) =>
      readOrNull(path, async () => {
        const facts = await statfs(path)
        return {
          totalBytes: facts.blocks * facts.bsize,
          freeBytes: facts.bavail * facts.bsize,
          type: filesystemType(facts.type, process.platform)
        }
      }),
    list: (path) => readOrNull(path, () => listFolder(path)),
    read: (path, offset, length, into) =>
      readOrNull(path, () => readBytes(path, offset, length, into)),
    digest: (path) => readOrNull(path, () => digestFile(path)),
    follow: (path, changed) => followFile(path, changed, clock)
  }
}
