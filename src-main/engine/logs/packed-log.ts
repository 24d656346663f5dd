import { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import type { Text } from '../../contract/text'
import { errorCode } from '../lib'
import type { FileAccess, FileFacts } from '../targets'

/** Text is unpacked in blocks of this size, and so many of the newest are kept: going back a little costs nothing. */
const BLOCK = 512 * 1024
const BLOCKS_KEPT = 32
/** Packed bytes read at once. */
const PIECE = 256 * 1024

/** How a packed text ends: as it was packed, where its file is cut off, or where its bytes are wrong. */
export type PackedEnd = 'whole' | 'cut' | 'damaged'

type Blocks = AsyncGenerator<Buffer, PackedEnd, undefined>
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
    const text = new PackedText(name, () => unpacked(this.files, path, true), this.blocks)
    this.known.set(path, text)
    return text
  }
}

/** One packed log as bytes of text. What cannot be unpacked any more ends it, and its last line there. */
export class PackedText {
  private going: { blocks: Blocks; next: number } | null = null
  private whole: number | null = null
  private ended: PackedEnd = 'whole'
  private turn: Promise<unknown> = Promise.resolve()

  constructor(
    readonly name: string,
    private readonly open: () => Blocks,
    private readonly kept: Map<string, Buffer>
  ) {}

  /** Bytes of its text. The first time all of it is unpacked for that: the file's own count is wrong beyond 4 GiB. */
  size(): Promise<number> {
    return this.inTurn(async () => {
      for (let index = 0; this.whole === null; index += 1) await this.block(index)
      return this.whole
    })
  }

  /** How its text ends, known once its size is. */
  get end(): PackedEnd {
    return this.ended
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
      await this.going?.blocks.return('whole')
      this.going = { blocks: this.open(), next: 0 }
    }
    for (;;) {
      const { value, done } = await this.going.blocks.next()
      if (done === true) {
        this.whole ??= this.going.next * BLOCK
        this.ended = value
        this.going = null
        return null
      }
      const at = this.going.next
      this.going.next += 1
      this.keep(at, value)
      if (value.length < BLOCK) await this.close(at * BLOCK + value.length)
      if (at === index) return value
    }
  }

  /** The last block was there: what follows it is how the text ends. */
  private async close(whole: number): Promise<void> {
    this.whole = whole
    const last = await this.going?.blocks.next()
    if (last?.done === true) this.ended = last.value
    this.going = null
  }

  private keep(index: number, block: Buffer): void {
    this.kept.set(`${this.name} ${index}`, block)
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= BLOCKS_KEPT) break
      this.kept.delete(oldest)
    }
  }
}

/**
 * What a gzip file holds, in whole blocks, the last one shorter; up to where it is cut off or damaged, and which.
 * @param endsLine a line that is cut off there is given an end, so that another text can follow it.
 */
export async function* unpacked(files: Reader, path: string, endsLine = false): Blocks {
  // A file that is cut off gives what it has.
  const gunzip = createGunzip({ chunkSize: BLOCK, finishFlush: constants.Z_SYNC_FLUSH })
  const foot: Foot = { bytes: 0, last: Buffer.alloc(0) }
  const packed = Readable.from(pieces(files, path, foot), { objectMode: false })
  packed.on('error', (cause) => gunzip.destroy(cause))
  let parts: Buffer[] = []
  let length = 0
  let text = 0
  let lastByte = LF
  let damaged = false
  try {
    const chunks: AsyncIterable<Buffer> = packed.pipe(gunzip)
    for await (const chunk of chunks) {
      let rest = chunk
      text += chunk.length
      lastByte = chunk.at(-1) ?? lastByte
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
    damaged = true
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
  const end = damaged ? 'damaged' : (await isCut(files, path, foot, text)) ? 'cut' : 'whole'
  if (end !== 'whole' && endsLine && lastByte !== LF) {
    parts.push(Buffer.from([LF]))
    length += 1
  }
  if (length > 0) yield Buffer.concat(parts)
  return end
}

const LF = 10
/** Bytes of the shortest gzip file, and of the count that ends every one (RFC 1952). */
const SHORTEST = 18
const COUNT = 4

/** The end of a packed file, noted while it is read. */
interface Foot {
  bytes: number
  last: Buffer
}

/**
 * Whether a file that was unpacked without an error ends too early. A whole one ends with the count of its text. The
 * count of several members in one file is that of the last: such a file is unpacked again, strictly.
 */
async function isCut(files: Reader, path: string, foot: Foot, text: number): Promise<boolean> {
  if (foot.bytes >= SHORTEST && foot.last.readUInt32LE(0) === text % 2 ** 32) return false
  const gunzip = createGunzip({ chunkSize: BLOCK })
  const packed = Readable.from(pieces(files, path), { objectMode: false })
  packed.on('error', (cause) => gunzip.destroy(cause))
  try {
    for await (const chunk of packed.pipe(gunzip)) void chunk
    return false
  } catch (cause) {
    if (errorCode(cause) === 'Z_BUF_ERROR') return true
    throw cause
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
}

async function* pieces(
  files: Reader,
  path: string,
  foot?: Foot
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let offset = 0; ;) {
    const data = await files.read(path, offset, PIECE)
    if (data === null || data.length === 0) return
    offset += data.length
    if (foot !== undefined) {
      foot.bytes = offset
      foot.last = Buffer.concat([foot.last, data.subarray(-COUNT)]).subarray(-COUNT)
    }
    yield data
  }
}

/** What is to be said of a packed log that does not end well; null where it does. */
export function packedFault(name: string, end: PackedEnd): Text | null {
  switch (end) {
    case 'whole':
      return null
    case 'cut':
      return {
        en: `${name} is cut short: what was packed behind its last line is missing.`,
        zh: `${name} 不完整：最后一行之后的内容已丢失。`
      }
    case 'damaged':
      return {
        en: `${name} is damaged: what was packed behind its last readable line is missing.`,
        zh: `${name} 已损坏：最后可读的一行之后的内容已丢失。`
      }
  }
}
