import { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import { errorCode } from '../lib'
import type { FileAccess, FileFacts } from '../targets'

/** Text is unpacked in blocks of this size, and so many of the newest are kept: going back a little costs nothing. */
const BLOCK = 512 * 1024
const BLOCKS_KEPT = 32
/** Packed bytes read at once. */
const PIECE = 256 * 1024

type Reader = Pick<FileAccess, 'read'>

/** A log that gzip packed after it was rotated. */
export function isPacked(path: string): boolean {
  return path.endsWith('.gz')
}

/** The texts of packed logs, read where they lie and never written anywhere. Holds at most 16 MiB of them. */
export class PackedLogs {
  private readonly known = new Map<string, PackedText>()
  private readonly blocks = new Map<string, Buffer>()

  constructor(private readonly files: Reader) {}

  /** The text of a packed file as it is now; one that was written anew is unpacked anew. */
  of(path: string, { inode, size, modified }: FileFacts): PackedText {
    const name = `${path} ${inode} ${size} ${modified}`
    const known = this.known.get(path)
    if (known?.name === name) return known
    const text = new PackedText(name, () => unpacked(this.files, path), this.blocks)
    this.known.set(path, text)
    return text
  }
}

/** One packed log as bytes of text. What cannot be unpacked any more ends it. */
export class PackedText {
  private going: { blocks: AsyncGenerator<Buffer, void, undefined>; next: number } | null = null
  private whole: number | null = null
  private turn: Promise<unknown> = Promise.resolve()

  constructor(
    readonly name: string,
    private readonly open: () => AsyncGenerator<Buffer, void, undefined>,
    private readonly kept: Map<string, Buffer>
  ) {}

  /** Bytes of its text. The first time all of it is unpacked for that: the file's own count is wrong beyond 4 GiB. */
  size(): Promise<number> {
    return this.inTurn(async () => {
      for (let index = 0; this.whole === null; index += 1) await this.block(index)
      return this.whole
    })
  }

  /** At most `length` bytes of the text from `offset`; shorter at its end. */
  read(offset: number, length: number): Promise<Uint8Array> {
    return this.inTurn(async () => {
      const parts: Buffer[] = []
      for (let at = offset; at < offset + length;) {
        const block = await this.block(Math.floor(at / BLOCK))
        const part = block?.subarray(at % BLOCK, (at % BLOCK) + offset + length - at)
        if (part === undefined || part.length === 0) break
        parts.push(part)
        at += part.length
      }
      return Buffer.concat(parts)
    })
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.turn.then(work)
    this.turn = next.catch(() => undefined)
    return next
  }

  /** A block by its number; null beyond the end. Going back further than what is kept begins anew. */
  private async block(index: number): Promise<Buffer | null> {
    const kept = this.kept.get(`${this.name} ${index}`)
    if (kept !== undefined) return kept
    if (this.whole !== null && index * BLOCK >= this.whole) return null
    if (this.going === null || this.going.next > index) {
      await this.going?.blocks.return()
      this.going = { blocks: this.open(), next: 0 }
    }
    for (;;) {
      const { value, done } = await this.going.blocks.next()
      if (done === true) {
        this.whole ??= this.going.next * BLOCK
        this.going = null
        return null
      }
      const at = this.going.next
      this.going.next += 1
      this.keep(at, value)
      if (value.length < BLOCK) this.whole = at * BLOCK + value.length
      if (at === index) return value
    }
  }

  private keep(index: number, block: Buffer): void {
    this.kept.set(`${this.name} ${index}`, block)
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= BLOCKS_KEPT) break
      this.kept.delete(oldest)
    }
  }
}

/** What a gzip file holds, in whole blocks, the last one shorter; up to where it is damaged. */
export async function* unpacked(
  files: Reader,
  path: string
): AsyncGenerator<Buffer, void, undefined> {
  // A file that is cut off gives what it has.
  const gunzip = createGunzip({ chunkSize: BLOCK, finishFlush: constants.Z_SYNC_FLUSH })
  const packed = Readable.from(pieces(files, path), { objectMode: false })
  packed.on('error', (cause) => gunzip.destroy(cause))
  let parts: Buffer[] = []
  let length = 0
  try {
    const chunks: AsyncIterable<Buffer> = packed.pipe(gunzip)
    for await (const chunk of chunks) {
      let rest = chunk
      while (length + rest.length >= BLOCK) {
        const cut = BLOCK - length
        yield Buffer.concat([...parts, rest.subarray(0, cut)])
        rest = rest.subarray(cut)
        parts = []
        length = 0
      }
      parts.push(rest)
      length += rest.length
    }
  } catch (cause) {
    if (!(errorCode(cause) ?? '').startsWith('Z_')) throw cause
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
  if (length > 0) yield Buffer.concat(parts)
}

async function* pieces(files: Reader, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  for (let offset = 0; ;) {
    const data = await files.read(path, offset, PIECE)
    if (data === null || data.length === 0) return
    offset += data.length
    yield data
  }
}
