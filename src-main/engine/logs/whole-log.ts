import type { Text } from '../../contract/text'
import type { FileAccess, FileFacts } from '../targets'
import { placeOf, rotatedParts } from './log-parts'
import { isPacked, packedFault, PackedLogs, type PackedText } from './packed-log'

/** The text of a log, earlier pieces included, as one run of bytes. */
export interface LogText {
  /** Tells the same text grown (same `inode`) from another one; null when there is no such log. */
  stat(): Promise<Pick<FileFacts, 'inode' | 'size'> | null>
  /** At most `length` bytes from `offset`, as the text stood at the last `stat`. */
  read(offset: number, length: number): Promise<Uint8Array | null>
}

interface Piece {
  path: string
  inode: string
  /** Place of its first byte in the whole text. */
  start: number
  size: number
  /** Its text where it is packed. */
  packed: PackedText | null
}

/**
 * A log that may have been rotated: `reef.log.2.gz`, `reef.log.1` or `reef.log-20260314`, then `reef.log`, read as one
 * text. Rotating and packing only move its parts, so what was read stays where it was; where the oldest part is removed
 * it becomes another text.
 */
export class WholeLog implements LogText {
  private pieces: Piece[] = []
  private readonly packed: PackedLogs

  constructor(
    private readonly files: Pick<FileAccess, 'stat' | 'list' | 'read'>,
    private readonly path: string
  ) {
    this.packed = new PackedLogs(files)
  }

  async stat(): Promise<Pick<FileFacts, 'inode' | 'size'> | null> {
    const now = await this.files.stat(this.path)
    if (now === null) return null
    const last = this.pieces.at(-1)
    const grown = last?.packed === null && last.inode === now.inode && now.size >= last.size
    if (grown) last.size = now.size
    else await this.findPieces(now)
    const [oldest = now] = this.pieces
    const newest = this.pieces.at(-1)
    return { inode: oldest.inode, size: newest === undefined ? 0 : newest.start + newest.size }
  }

  /** What is missing of it though its part is there: packed parts that are cut off or damaged. */
  faults(): Text[] {
    return this.pieces.flatMap(({ path, packed }) => {
      const fault = packed === null ? null : packedFault(placeOf(path).name, packed.end)
      return fault === null ? [] : [fault]
    })
  }

  async read(offset: number, length: number): Promise<Uint8Array | null> {
    const parts: Uint8Array[] = []
    let left = length
    for (const { path, start, size, packed } of this.pieces) {
      const from = Math.max(offset, start)
      const here = Math.min(offset + length, start + size) - from
      if (here <= 0) continue
      const data = await (packed === null
        ? this.files.read(path, from - start, here)
        : packed.read(from - start, here))
      if (data === null) {
        // Somebody removed it: what there is is looked for anew the next time.
        this.pieces = []
        return null
      }
      parts.push(data)
      left -= data.length
      // A part shorter than it was: what follows would stand in the wrong place.
      if (data.length < here || left <= 0) break
    }
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
  }

  private async findPieces(now: FileFacts): Promise<void> {
    const { folder, name } = placeOf(this.path)
    const siblings = (await this.files.list(folder)) ?? []
    const earlier = rotatedParts(siblings, name).filter(({ inode }) => inode !== now.inode)
    const pieces: Piece[] = []
    let start = 0
    for (const file of [...earlier, { ...now, name }]) {
      const path = `${folder}/${file.name}`
      const packed = isPacked(path) ? this.packed.of(path, file) : null
      const size = packed === null ? file.size : await packed.size()
      pieces.push({ path, inode: file.inode, start, size, packed })
      start += size
    }
    this.pieces = pieces
  }
}
