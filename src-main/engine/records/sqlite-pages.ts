import { fail } from '../lib'
import type { FileAccess } from '../targets'

/**
 * Pages of a SQLite database that nobody writes any more, read where they lie: the file may be large and on another
 * machine. Format: https://www.sqlite.org/fileformat2.html
 */
export interface SqlitePages {
  pageSize: number
  /** Bytes of a page that hold content; the rest is reserved. */
  usable: number
  /** Bytes of all there is: no row is longer. */
  size: number
  /** Bytes read so far. */
  readonly bytesRead: number
  page(number: number): Promise<DataView>
}

const HEADER = 100
const MAGIC = 'SQLite format 3\0'
/** Read ahead: neighbouring pages are mostly wanted together. */
const BLOCK = 256 << 10
const BLOCKS_KEPT = 64
/** A log is taken into the database every thousand pages; a larger one was never meant to be. */
const LARGEST_LOG = 256 << 20
const FRAME_HEADER = 24
const LOG_HEADER = 32
const LOG_MAGIC = 0x377f0682

/** Says that a file is not the database it is taken for. */
export function unreadable(path: string, why: string): never {
  return fail({
    code: 'records-unreadable',
    what: { en: 'The record store cannot be read.', zh: '无法读取记录存储。' },
    where: path,
    detail: why
  })
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Opens a database with what its write-ahead log holds. Throws FailureError `records-unreadable`. */
export async function openPages(files: FileAccess, path: string): Promise<SqlitePages> {
  const head = await files.read(path, 0, HEADER)
  const short = head === null || head.length < HEADER
  if (short || new TextDecoder('latin1').decode(head.subarray(0, 16)) !== MAGIC)
    return unreadable(path, 'not a SQLite database')
  const view = viewOf(head)
  const said = view.getUint16(16)
  const pageSize = said === 1 ? 65_536 : said
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0)
    return unreadable(path, `page size ${pageSize}`)
  if (view.getUint32(56) !== 1) return unreadable(path, 'its text is not UTF-8')
  const facts = await files.stat(path)
  const newer = await logPages(files, `${path}-wal`, pageSize)
  const blocks = new BlockCache(files, path)
  return {
    pageSize,
    usable: pageSize - view.getUint8(20),
    size: (facts?.size ?? 0) + newer.size * pageSize,
    get bytesRead() {
      return blocks.bytesRead
    },
    async page(number) {
      const logged = newer.get(number)
      if (logged !== undefined) return viewOf(logged)
      const bytes = await blocks.read((number - 1) * pageSize, pageSize)
      if (number < 1 || bytes.length < pageSize)
        return unreadable(path, `page ${number} is not in the file`)
      return viewOf(bytes)
    }
  }
}

/** Blocks of a file, the newest kept. */
class BlockCache {
  bytesRead = 0
  private readonly blocks = new Map<number, Uint8Array>()

  constructor(
    private readonly files: FileAccess,
    private readonly path: string
  ) {}

  /** Block and page sizes are powers of two, the page never the larger: a page lies within one block. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const at = Math.floor(offset / BLOCK)
    const known = this.blocks.get(at) ?? (await this.files.read(this.path, at * BLOCK, BLOCK))
    const block = known ?? new Uint8Array()
    if (!this.blocks.has(at)) this.bytesRead += block.length
    this.blocks.delete(at)
    this.blocks.set(at, block)
    const oldest = this.blocks.keys().next()
    if (this.blocks.size > BLOCKS_KEPT && oldest.done !== true) this.blocks.delete(oldest.value)
    return block.subarray(offset - at * BLOCK, offset - at * BLOCK + length)
  }
}

/** Newest committed content of each page in a write-ahead log; nothing without one. */
async function logPages(
  files: FileAccess,
  path: string,
  pageSize: number
): Promise<Map<number, Uint8Array>> {
  const facts = await files.stat(path)
  if (facts === null || facts.size < LOG_HEADER) return new Map()
  if (facts.size > LARGEST_LOG) return unreadable(path, `a write-ahead log of ${facts.size} bytes`)
  const log = await wholeFile(files, path, facts.size)
  return log.length < LOG_HEADER ? new Map() : committedPages(log, pageSize)
}

async function wholeFile(files: FileAccess, path: string, size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(size)
  let at = 0
  while (at < size) {
    const bytes = await files.read(path, at, Math.min(4 << 20, size - at))
    if (bytes === null || bytes.length === 0) break
    whole.set(bytes, at)
    at += bytes.length
  }
  return whole.subarray(0, at)
}

/** Pages of a log up to its last commit: a frame with other salts or a wrong checksum is of an older use of the file. Pure. */
export function committedPages(log: Uint8Array, pageSize: number): Map<number, Uint8Array> {
  const view = viewOf(log)
  const magic = view.getUint32(0)
  const committed = new Map<number, Uint8Array>()
  if ((magic & ~1) !== LOG_MAGIC || view.getUint32(8) !== pageSize) return committed
  const little = (magic & 1) === 0
  let sum = checksum(view, 0, 24, [0, 0], little)
  if (sum[0] !== view.getUint32(24) || sum[1] !== view.getUint32(28)) return committed
  let pending = new Map<number, Uint8Array>()
  const step = FRAME_HEADER + pageSize
  for (let at = LOG_HEADER; at + step <= log.length; at += step) {
    if (view.getUint32(at + 8) !== view.getUint32(16)) break
    if (view.getUint32(at + 12) !== view.getUint32(20)) break
    sum = checksum(view, at, 8, sum, little)
    sum = checksum(view, at + FRAME_HEADER, pageSize, sum, little)
    if (sum[0] !== view.getUint32(at + 16) || sum[1] !== view.getUint32(at + 20)) break
    pending.set(view.getUint32(at), log.subarray(at + FRAME_HEADER, at + step))
    // The size of the database stands in the last frame of a transaction only.
    if (view.getUint32(at + 4) === 0) continue
    for (const [number, bytes] of pending) committed.set(number, bytes)
    pending = new Map()
  }
  return committed
}

function checksum(
  view: DataView,
  from: number,
  length: number,
  [a, b]: readonly [number, number],
  little: boolean
): [number, number] {
  let first = a
  let second = b
  for (let at = from; at < from + length; at += 8) {
    first = (first + view.getUint32(at, little) + second) >>> 0
    second = (second + view.getUint32(at + 4, little) + first) >>> 0
  }
  return [first, second]
}
