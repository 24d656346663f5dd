import type { FileAccess, FileFacts } from '../targets'

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
}

/**
 * A log that may have been rotated: `reef.log.2`, `reef.log.1` or `reef.log-20260314`, then `reef.log`, read as one
 * text. Rotating only moves its parts, so what was read stays where it was; where the oldest part is removed it
 * becomes another text. Compressed parts are left out.
 */
export class WholeLog implements LogText {
  private pieces: Piece[] = []

  constructor(
    private readonly files: Pick<FileAccess, 'stat' | 'list' | 'read'>,
    private readonly path: string
  ) {}

  async stat(): Promise<Pick<FileFacts, 'inode' | 'size'> | null> {
    const now = await this.files.stat(this.path)
    if (now === null) return null
    const last = this.pieces.at(-1)
    if (last !== undefined && last.inode === now.inode && now.size >= last.size) {
      last.size = now.size
    } else {
      await this.findPieces(now)
    }
    const [oldest = now] = this.pieces
    return { inode: oldest.inode, size: (this.pieces.at(-1)?.start ?? 0) + now.size }
  }

  async read(offset: number, length: number): Promise<Uint8Array | null> {
    const parts: Uint8Array[] = []
    let left = length
    for (const { path, start, size } of this.pieces) {
      const from = Math.max(offset, start)
      const here = Math.min(offset + length, start + size) - from
      if (here <= 0) continue
      const data = await this.files.read(path, from - start, here)
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
    const earlier = siblings
      .flatMap((file) => {
        const age = file.kind === 'file' ? ageOf(file.name, name) : null
        return age === null || file.inode === now.inode ? [] : [{ file, age }]
      })
      .sort((a, b) => b.age - a.age)
    let start = 0
    this.pieces = [...earlier.map(({ file }) => file), { ...now, name }].map((file) => {
      const piece = { path: `${folder}/${file.name}`, inode: file.inode, start, size: file.size }
      start += file.size
      return piece
    })
  }
}

function placeOf(path: string): { folder: string; name: string } {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  return { folder: path.slice(0, cut), name: path.slice(cut + 1) }
}

/** Greater for older parts; null for a file that is no part of the log. */
function ageOf(file: string, log: string): number | null {
  if (!file.startsWith(log)) return null
  const rest = file.slice(log.length)
  const number = /^\.(\d{1,4})$/.exec(rest)?.[1]
  if (number !== undefined) return Number(number)
  const date = /^-(\d{8,14})$/.exec(rest)?.[1]
  return date === undefined ? null : -Number(date)
}
