import type { FileAccess, FileFacts } from '../targets'
import { crc32 } from './crc'

/** What is known of the file that was being read. */
export interface ReadSoFar {
  inode: string
  offset: number
  /** Its beginning, by which a copy of it is known. */
  head: { length: number; crc: number }
}

/** Where the rest of a file is that was moved aside, or copied aside and cut. */
export interface RotatedLog {
  path: string
  size: number
  /** Whether the file in its place is being written: until then the old one may still grow. */
  finished: boolean
  /** What to read after it: a file rotated later, or the one in place. */
  next: { inode: string; size: number }
}

interface Place {
  folder: string
  name: string
}

function placeOf(path: string): Place {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  return { folder: path.slice(0, cut), name: path.slice(cut + 1) }
}

async function isCopy(
  files: FileAccess,
  path: string,
  { size }: FileFacts,
  read: ReadSoFar
): Promise<boolean> {
  if (read.head.length === 0 || size < read.offset) return false
  const beginning = await files.read(path, 0, read.head.length)
  return beginning !== null && crc32(beginning) === read.head.crc
}

/** `reef.log.2` is followed by `reef.log.1`, and that by the file in place. */
function nextOf(
  siblings: readonly FileFacts[],
  name: string,
  old: FileFacts,
  now: FileFacts
): RotatedLog['next'] {
  const number = Number(/^\.(\d+)$/.exec(old.name.slice(name.length))?.[1] ?? Number.NaN)
  return siblings.find((one) => one.name === `${name}.${number - 1}`) ?? now
}

/**
 * The rest of a log after a rotation, `now` being the file that stands in its place. Null when nothing was rotated, or
 * when the old file is not there any more; a compressed one is another file and no longer readable as text.
 */
export async function rotatedLog(
  files: FileAccess,
  path: string,
  now: FileFacts,
  read: ReadSoFar
): Promise<RotatedLog | null> {
  const moved = read.inode !== '' && now.inode !== read.inode
  const cut = !moved && now.size < read.offset
  if (!moved && !cut) return null
  const { folder, name } = placeOf(path)
  const siblings = ((await files.list(folder)) ?? []).filter(
    (one) => one.kind === 'file' && one.name !== name && one.name.startsWith(name)
  )
  for (const old of siblings) {
    const there = `${folder}/${old.name}`
    if (moved ? old.inode !== read.inode : !(await isCopy(files, there, old, read))) continue
    const next = moved ? nextOf(siblings, name, old, now) : now
    return { path: there, size: old.size, finished: cut || now.size > 0, next }
  }
  return null
}
