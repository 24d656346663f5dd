import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, fail, writeAt } from '../lib'
import { blockBytes, bucketsOfRows, FACTOR, Field, LEVELS, mergeBuckets, WIDTH } from './level-row'
import { BLOCK, type Series } from './series'

const ROW_BYTES = 24
const BUCKET_BYTES = WIDTH * 8

export interface RawRows {
  x: Float64Array
  value: Float64Array
  at: Float64Array
}

/** An opened file, and how many read it. */
interface Shared {
  handle: Promise<FileHandle>
  users: number
}

/**
 * The column files of a store: for each series `<id>.rows` with blocks of 256 rows (x, values, times as float64)
 * and one file of buckets a level. Only appended to; everything in them can be made again from the journal.
 */
export class ColumnFiles {
  private readonly open = new Map<string, Shared>()
  /** How many are reading several things, one after the other. */
  private readers = 0
  private readonly starts = new Map<number, { x: Float64Array; at: Float64Array }>()

  constructor(private readonly folder: string) {}

  /** Writes the whole blocks among a series' pending rows, with their levels. Returns how many rows that were. */
  async write(series: Series): Promise<number> {
    const pending = series.pendingUntilDropped()
    const rows = pending.x.length - (pending.x.length % BLOCK)
    if (rows === 0) return 0
    const x = pending.x.subarray(0, rows)
    const value = pending.value.subarray(0, rows)
    const at = pending.at.subarray(0, rows)
    await mkdir(this.folder, { recursive: true })
    await this.put(series.id, 0, series.written * ROW_BYTES, blockBytes(x, value, at))
    let added = bucketsOfRows(x, value, at)
    for (let level = 1; level < LEVELS.length; level++) {
      const have = Math.floor(series.written / sizeOf(level))
      await this.put(series.id, level, have * BUCKET_BYTES, bytesOf(added))
      if (level + 1 === LEVELS.length) break
      added = mergeBuckets(await this.withOpenGroup(series.id, level, have, added))
    }
    return rows
  }

  /** The buckets of the last, not yet full group of a level, with the new ones behind them. */
  private async withOpenGroup(
    id: number,
    level: number,
    have: number,
    added: Float64Array
  ): Promise<Float64Array> {
    const open = have % FACTOR
    if (open === 0) return added
    const before = await this.buckets(id, level, have - open, have)
    const joined = new Float64Array(before.length + added.length)
    joined.set(before)
    joined.set(added, before.length)
    return joined
  }

  /** Buckets `[from, to)` of a level. */
  async buckets(id: number, level: number, from: number, to: number): Promise<Float64Array> {
    return this.get(id, level, from * BUCKET_BYTES, (to - from) * WIDTH)
  }

  /** Rows `[from, to)` of the column file. */
  async rows(id: number, from: number, to: number): Promise<RawRows> {
    const length = to - from
    const out = {
      x: new Float64Array(length),
      value: new Float64Array(length),
      at: new Float64Array(length)
    }
    if (length <= 0) return out
    const firstBlock = Math.floor(from / BLOCK)
    const lastBlock = Math.ceil(to / BLOCK)
    const data = await this.blocks(id, from, to)
    for (let block = firstBlock; block < lastBlock; block++) {
      const low = Math.max(from, block * BLOCK)
      const high = Math.min(to, (block + 1) * BLOCK)
      const base = (block - firstBlock) * BLOCK * 3 + (low - block * BLOCK)
      const size = high - low
      out.x.set(data.subarray(base, base + size), low - from)
      out.value.set(data.subarray(base + BLOCK, base + BLOCK + size), low - from)
      out.at.set(data.subarray(base + 2 * BLOCK, base + 2 * BLOCK + size), low - from)
    }
    return out
  }

  /** The whole blocks that hold the rows `[from, to)`, as they stand in the column file. */
  blocks(id: number, from: number, to: number): Promise<Float64Array> {
    const firstBlock = Math.floor(from / BLOCK)
    const words = (Math.ceil(to / BLOCK) - firstBlock) * BLOCK * 3
    return this.get(id, 0, firstBlock * BLOCK * ROW_BYTES, words)
  }

  /** x and time of the first row of every block in the files; kept in memory from the first use on. */
  async blockStarts(series: Series): Promise<{ x: Float64Array; at: Float64Array }> {
    const blocks = series.written / BLOCK
    const known = this.starts.get(series.id)
    const have = known?.x.length ?? 0
    if (known !== undefined && have >= blocks) return known
    const buckets = await this.buckets(series.id, 2, have, blocks)
    const starts = { x: new Float64Array(blocks), at: new Float64Array(blocks) }
    if (known !== undefined) {
      starts.x.set(known.x)
      starts.at.set(known.at)
    }
    for (let block = have; block < blocks; block++) {
      const base = (block - have) * WIDTH
      starts.x[block] = buckets[base + Field.xFirst] ?? 0
      starts.at[block] = buckets[base + Field.atFirst] ?? 0
    }
    this.starts.set(series.id, starts)
    return starts
  }

  /** Forgets what is kept in memory: the files were made anew by somebody else. */
  forget(): void {
    this.starts.clear()
  }

  private path(id: number, level: number): string {
    return join(
      this.folder,
      level === 0 ? `${String(id)}.rows` : `${String(id)}.level${String(level)}`
    )
  }

  private async put(id: number, level: number, position: number, bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return
    const file = this.path(id, level)
    const handle = await open(file, 'r+').catch((cause: unknown) => {
      if (errorCode(cause) !== 'ENOENT') throw cause
      return open(file, 'wx+', 0o600)
    })
    try {
      await writeAt(handle, bytes, position)
    } finally {
      await handle.close()
    }
  }

  private async get(
    id: number,
    level: number,
    position: number,
    words: number
  ): Promise<Float64Array> {
    const out = new Float64Array(words)
    if (words === 0) return out
    const file = this.path(id, level)
    await this.withFile(file, async (handle) => {
      const { bytesRead } = await handle.read(out, 0, out.byteLength, position)
      if (bytesRead < out.byteLength) damaged(file)
    })
    return out
  }

  /** What is read while `act` runs is opened once a file: opening takes longer than to read. */
  async together<T>(act: () => Promise<T>): Promise<T> {
    this.readers += 1
    try {
      return await act()
    } finally {
      this.readers -= 1
      if (this.readers === 0) await this.closeUnused()
    }
  }

  /** Reads of one file at the same time share one opening of it. */
  private async withFile(file: string, act: (handle: FileHandle) => Promise<void>): Promise<void> {
    const shared = this.open.get(file) ?? this.opened(file)
    shared.users += 1
    try {
      await act(await shared.handle)
    } finally {
      shared.users -= 1
      if (this.readers === 0) await this.closeUnused()
    }
  }

  private opened(file: string): Shared {
    const shared: Shared = { handle: open(file, 'r'), users: 0 }
    this.open.set(file, shared)
    // It was never open: whoever reads has the failure, and the next one tries again.
    shared.handle.catch(() => this.open.delete(file))
    return shared
  }

  private async closeUnused(): Promise<void> {
    const unused = [...this.open].filter(([, { users }]) => users === 0)
    for (const [file] of unused) this.open.delete(file)
    await Promise.all(unused.map(async ([, { handle }]) => (await handle).close()))
  }
}

export function sizeOf(level: number): number {
  return LEVELS[level] ?? 1
}

function bytesOf(numbers: Float64Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

function damaged(file: string): never {
  fail({
    code: 'metrics-columns-short',
    what: {
      en: 'A column file of this run is shorter than its index says.',
      zh: '该运行的一个列文件比索引所说的短。'
    },
    where: file,
    remedy: {
      en: 'Delete the folder "columns" and the file "index.bin" beside it; they are made again from "journal.bin".',
      zh: '请删除 "columns" 文件夹和旁边的 "index.bin"，它们会由 "journal.bin" 重新生成。'
    }
  })
}
