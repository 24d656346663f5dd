import { isPacked, packedFault, type PackedLogs, placeOf, rotatedParts } from '../logs'
import type { FileAccess, FileFacts } from '../targets'
import type { Text } from '../../contract/text'
import { crc32 } from './crc'

/** What is known of the file that was being read. */
export interface ReadSoFar {
  inode: string
  offset: number
  /** Its beginning, by which a copy of it is known. */
  head: { length: number; crc: number }
}

/** The rest of a file that was moved aside, or copied aside and cut, and may have been packed since. */
export interface RotatedLog {
  read: ReadPart
  /** Bytes of its text. */
  size: number
  /** Whether the file after it is being written: until then the old one may still grow. */
  finished: boolean
  /** What is missing of it, where it is packed and cut off or damaged; known once its size is. */
  fault: Text | null
  /** What to read after it: a file rotated later, or the one in place. */
  next: { inode: string; size: number }
}

/** Reads a part of a log, a packed one as its text. */
export type ReadPart = (offset: number, length: number) => Promise<Uint8Array | null>

/** A part of a log on its target. */
interface Part {
  facts: FileFacts
  size: () => Promise<number>
  read: ReadPart
  fault: () => Text | null
}

/** The log in question. `packed`: the texts of its packed parts. */
export interface Rotating {
  files: FileAccess
  path: string
  packed: PackedLogs
}

function partOf({ files, packed }: Rotating, folder: string, facts: FileFacts): Part {
  const path = `${folder}/${facts.name}`
  if (!isPacked(path)) {
    const read: ReadPart = (offset, length) => files.read(path, offset, length)
    return { facts, read, size: () => Promise.resolve(facts.size), fault: () => null }
  }
  const text = packed.of(path, facts)
  return {
    facts,
    read: (offset, length) => text.read(offset, length),
    size: () => text.size(),
    fault: () => packedFault(facts.name, text.end)
  }
}

/** Whether a part holds what was read, by its beginning. */
async function holds(part: Part, { head, offset }: ReadSoFar): Promise<boolean> {
  if (head.length === 0) return false
  const beginning = await part.read(0, head.length)
  if (beginning === null || crc32(beginning) !== head.crc) return false
  return (await part.size()) >= offset
}

/** Identity of the oldest part of a log that nobody has begun to read; null where it was never rotated. */
export async function oldestPart({ files, path }: Rotating): Promise<string | null> {
  const { folder, name } = placeOf(path)
  return rotatedParts((await files.list(folder)) ?? [], name)[0]?.inode ?? null
}

/**
 * The rest of a log after a rotation, `now` being the file that stands in its place. Null when nothing was rotated, or
 * when the old file is not there any more. A copy, and one that was packed meanwhile, are known by what they begin with.
 */
export async function rotatedLog(
  log: Rotating,
  now: FileFacts,
  read: ReadSoFar
): Promise<RotatedLog | null> {
  const moved = read.inode !== '' && now.inode !== read.inode
  const cut = !moved && now.size < read.offset
  if (!moved && !cut) return null
  const { folder, name } = placeOf(log.path)
  const siblings = ((await log.files.list(folder)) ?? []).filter(
    (one) => one.kind === 'file' && one.name !== name && one.name.startsWith(name)
  )
  const parts = rotatedParts(siblings, name)
  const old = await findOld(log, folder, siblings, read)
  if (old === null) return null
  const at = parts.findIndex((one) => one.name === old.facts.name)
  const next = at < 0 ? now : (parts[at + 1] ?? now)
  const finished = cut || now.size > 0 || next !== now || isPacked(old.facts.name)
  const size = await old.size()
  return { read: old.read, size, finished, fault: old.fault(), next }
}

async function findOld(
  log: Rotating,
  folder: string,
  siblings: readonly FileFacts[],
  read: ReadSoFar
): Promise<Part | null> {
  for (const facts of siblings) {
    if (facts.inode !== read.inode) continue
    const part = partOf(log, folder, facts)
    // A packed file may have been given the identity that has become free.
    if (!isPacked(facts.name) || read.head.length === 0 || (await holds(part, read))) return part
  }
  for (const facts of siblings) {
    const part = partOf(log, folder, facts)
    if (facts.inode !== read.inode && (await holds(part, read))) return part
  }
  return null
}
