import { fail, type Clock } from '../../lib'
import type { FileAccess, FileFacts } from '../target'

/** What a POSIX shell elsewhere answered. */
export interface ShellAnswer {
  code: number
  stdout: Buffer
  stderr: string
}

/**
 * Runs `script` with `/bin/sh` on the machine whose files are meant; `args` become "$1", "$2", … exactly as they are.
 * Throws UnreachableError when that machine cannot be asked.
 */
export type ShellRun = (script: string, args: readonly string[]) => Promise<ShellAnswer>

/** Mode in hex, size, blocks, bytes per block, seconds, device:inode, owner, name: GNU and busybox both know them. */
const FORMAT = '%f|%s|%b|%B|%Y|%d:%i|%u|%n'
const SYSTEM_FORMAT = '%S|%b|%a|%T'
const FOLLOW_EVERY_MS = 1000

const SCRIPTS = {
  stat: `stat -L -c '${FORMAT}' -- "$@"`,
  statfs: `stat -f -c '${SYSTEM_FORMAT}' -- "$1"`,
  list: `stat -L -c %f -- "$1/." >/dev/null || exit 3
[ -r "$1/." ] || { echo "$1: Permission denied" >&2; exit 3; }
find "$1/." -mindepth 1 -maxdepth 1 -exec stat -c '${FORMAT}' -- {} + 2>/dev/null
exit 0`,
  read: 'exec dd if="$1" iflag=skip_bytes,count_bytes skip="$2" count="$3" bs=65536 status=none',
  digest: 'exec sha256sum < "$1"'
} as const

const KIND_MASK = 0o170000
const KINDS: ReadonlyMap<number, FileFacts['kind']> = new Map([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink']
])

/** Parses the lines of `stat -c FORMAT`, keyed by the name as it was asked for. Other lines are skipped. */
export function parseStatLines(text: string): Map<string, FileFacts> {
  const found = new Map<string, FileFacts>()
  for (const line of text.split('\n')) {
    const cells = line.split('|')
    const [hex = '', size, blocks, unit, seconds, inode = '', uid] = cells
    if (cells.length < 8 || !/^[0-9a-f]+$/.test(hex)) continue
    // The name comes last, so that a bar in it does no harm.
    const path = cells.slice(7).join('|')
    const mode = Number.parseInt(hex, 16)
    found.set(path, {
      name: path.slice(path.lastIndexOf('/') + 1),
      kind: KINDS.get(mode & KIND_MASK) ?? 'other',
      size: Number(size),
      allocated: Number(blocks) * Number(unit),
      modified: Number(seconds) * 1000,
      inode,
      uid: Number(uid),
      mode
    })
  }
  return found
}

/** File access by a shell elsewhere: over ssh, or inside a container. Linux tools, GNU or busybox. */
export function shellFiles(run: ShellRun, clock: Clock): FileAccess {
  /** Null when the answer says that nothing is there; FailureError for any other complaint. */
  async function ask(script: string, path: string, ...args: string[]): Promise<Buffer | null> {
    const answer = await run(script, [path, ...args])
    if (answer.code === 0) return answer.stdout
    if (/no such file|not a directory|nonexistent/i.test(answer.stderr)) return null
    const denied = /permission denied|not permitted/i.test(answer.stderr)
    return fail({
      code: denied ? 'file-denied' : 'file-unreadable',
      where: path,
      what: denied
        ? { en: `You may not read ${path} there.`, zh: `无权读取远端的 ${path}。` }
        : { en: `Cannot read ${path} there.`, zh: `无法读取远端的 ${path}。` },
      detail: answer.stderr.trim()
    })
  }

  async function stat(path: string): Promise<FileFacts | null> {
    const text = await ask(SCRIPTS.stat, path)
    return text === null ? null : (parseStatLines(text.toString()).get(path) ?? null)
  }

  const followed = new FollowedPaths(run, clock)
  return {
    stat,
    async statfs(path) {
      const text = await ask(SCRIPTS.statfs, path)
      if (text === null) return null
      const [unit, total, free, type = 'unknown'] = text.toString().trim().split('|')
      return {
        totalBytes: Number(total) * Number(unit),
        freeBytes: Number(free) * Number(unit),
        type
      }
    },
    async list(path) {
      const text = await ask(SCRIPTS.list, path)
      return text === null ? null : [...parseStatLines(text.toString()).values()]
    },
    read: (path, offset, length) => ask(SCRIPTS.read, path, String(offset), String(length)),
    async digest(path) {
      const text = await ask(SCRIPTS.digest, path)
      return text === null ? null : text.toString().slice(0, 64)
    },
    follow: (path, changed) => followed.add(path, changed)
  }
}

/** Looks at all followed paths in one command each second: a machine far away is not asked once per file. */
class FollowedPaths {
  private readonly paths = new Map<string, Set<() => void>>()
  private seen = new Map<string, string>()
  private cancel: (() => void) | null = null

  constructor(
    private readonly run: ShellRun,
    private readonly clock: Clock
  ) {}

  add(path: string, changed: () => void): () => void {
    const listeners = this.paths.get(path) ?? new Set()
    listeners.add(changed)
    this.paths.set(path, listeners)
    this.seen.delete(path)
    this.cancel ??= this.clock.after(0, () => void this.look())
    return () => {
      listeners.delete(changed)
      if (listeners.size === 0 && this.paths.get(path) === listeners) this.paths.delete(path)
    }
  }

  private async look(): Promise<void> {
    if (this.paths.size === 0) {
      this.cancel = null
      return
    }
    // Away: nothing is known, so nothing is told; the readers see why when they read.
    const answer = await this.run(SCRIPTS.stat, [...this.paths.keys()]).catch(() => null)
    if (answer !== null) this.compare(parseStatLines(answer.stdout.toString()))
    this.cancel =
      this.paths.size === 0 ? null : this.clock.after(FOLLOW_EVERY_MS, () => void this.look())
  }

  private compare(now: Map<string, FileFacts>): void {
    for (const [path, listeners] of this.paths) {
      const facts = now.get(path)
      const mark = facts === undefined ? 'absent' : `${facts.inode} ${facts.size} ${facts.modified}`
      const before = this.seen.get(path) ?? 'absent'
      this.seen.set(path, mark)
      if (mark !== before) for (const changed of [...listeners]) changed()
    }
  }
}
