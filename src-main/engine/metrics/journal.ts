import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode, writeAt } from '../lib'
import { decodeFrame, encodeFrame, type JournalFrame } from './journal-frame'
import type { Unread } from './model'

const CHUNK = 4 * 1024 * 1024
/** Bytes read around a single frame: some hundred small ones stand in it. */
const PIECE = 64 * 1024

/** How far a journal was true, and what of it was not. */
interface Replayed {
  end: number
  unread: Unread | null
}

/** The append-only file of frames. A torn or damaged end is cut by the first append. */
export class Journal {
  private handle: FileHandle | null = null

  constructor(readonly file: string) {}

  /** Length in bytes; 0 when there is no journal yet. */
  async size(): Promise<number> {
    const handle = await this.reading()
    if (handle === null) return 0
    try {
      return (await handle.stat()).size
    } finally {
      await handle.close()
    }
  }

  /**
   * Hands on the whole frames from byte `from`, with the byte each begins at.
   * @returns the byte after the last whole frame: the end of what is true; and what follows it.
   */
  async replay(
    from: number,
    onFrame: (frame: JournalFrame, position: number) => void
  ): Promise<Replayed> {
    const handle = await this.reading()
    if (handle === null) return { end: from, unread: null }
    try {
      return await replayFrom(handle, from, onFrame)
    } finally {
      await handle.close()
    }
  }

  /**
   * The frames that begin at `positions`, in that order; one that is not whole is left out. Where positions ascend,
   * frames close together come with one reading of the file: a run may have one with events every few hundred bytes.
   */
  async *framesAt(positions: readonly number[]): AsyncGenerator<JournalFrame, void, undefined> {
    const handle = await this.reading()
    if (handle === null) return
    try {
      const piece = new Piece(handle)
      for (const position of positions) {
        const frame = await piece.frameAt(position)
        if (frame !== null) yield frame
      }
    } finally {
      await handle.close()
    }
  }

  /** Writes a frame at `position`, which is the end of what is true. Returns the new end. */
  async append(position: number, frame: JournalFrame): Promise<number> {
    const handle = (this.handle ??= await this.writing(position))
    const bytes = encodeFrame(frame)
    await writeAt(handle, bytes, position)
    return position + bytes.length
  }

  async close(): Promise<void> {
    const handle = this.handle
    this.handle = null
    await handle?.close()
  }

  private async reading(): Promise<FileHandle | null> {
    try {
      return await open(this.file, 'r')
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return null
      throw cause
    }
  }

  private async writing(length: number): Promise<FileHandle> {
    await mkdir(dirname(this.file), { recursive: true })
    const handle = await open(this.file, 'r+').catch((cause: unknown) => {
      if (errorCode(cause) !== 'ENOENT') throw cause
      return open(this.file, 'wx+', 0o600)
    })
    await handle.truncate(length)
    return handle
  }
}

async function replayFrom(
  handle: FileHandle,
  from: number,
  onFrame: (frame: JournalFrame, position: number) => void
): Promise<Replayed> {
  let position = from
  let rest = Buffer.alloc(0)
  let wanted = CHUNK
  for (;;) {
    const { size } = await handle.stat()
    const left = size - position - rest.length
    const unread = (kind: Unread['kind']): Replayed =>
      size <= position
        ? { end: position, unread: null }
        : { end: position, unread: { kind, offset: position, bytes: size - position } }
    if (left <= 0) return unread('torn')
    const chunk = Buffer.allocUnsafe(Math.min(left, Math.max(CHUNK, wanted - rest.length)))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position + rest.length)
    if (bytesRead === 0) return unread('torn')
    rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
    let used = 0
    for (;;) {
      const read = decodeFrame(rest.subarray(used))
      if (read.kind === 'damaged') return unread('damaged')
      if (read.kind === 'short') {
        wanted = read.needs
        break
      }
      onFrame(read.frame, position)
      used += read.size
      position += read.size
    }
    rest = rest.subarray(used)
  }
}

/** The part of a journal that was read last. */
class Piece {
  private from = 0
  private bytes = Buffer.alloc(0)

  constructor(private readonly handle: FileHandle) {}

  /** The frame that begins at `position`; null when there is none whole. */
  async frameAt(position: number): Promise<JournalFrame | null> {
    let read = decodeFrame(this.held(position))
    while (read.kind === 'short') {
      await this.read(position, Math.max(read.needs, PIECE))
      if (this.bytes.length < read.needs) return null
      read = decodeFrame(this.bytes)
    }
    return read.kind === 'frame' ? read.frame : null
  }

  /** What is held from `position` on. */
  private held(position: number): Buffer {
    return position < this.from ? Buffer.alloc(0) : this.bytes.subarray(position - this.from)
  }

  private async read(position: number, length: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.handle.read(buffer, 0, length, position)
    this.from = position
    this.bytes = buffer.subarray(0, bytesRead)
  }
}
