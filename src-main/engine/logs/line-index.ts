import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { FileFacts } from '../targets'
import { errorCode, writeFileAtomic } from '../lib'
import type { LogText } from './whole-log'

/** A mark at least every so many lines, and every so many bytes: finding a line never reads much more than that. */
const LINES_PER_MARK = 512
const BYTES_PER_MARK = 1024 * 1024
const CHUNK = 1024 * 1024
/** The index file is written anew after so many new bytes. */
const SAVE_EVERY = 16 * 1024 * 1024
const LF = 10

const Stored = z.object({
  inode: z.string(),
  bytes: z.number(),
  /** Bytes looked at: more than `bytes` by a last line that has no end. */
  size: z.number(),
  lines: z.number().int(),
  markLines: z.array(z.number().int()),
  markOffsets: z.array(z.number())
})

/** A line's place: its number and its bytes `[start, end)` without the line feed. */
export interface LineSpan {
  line: number
  start: number
  end: number
}

/**
 * Where the lines of a growing file begin. Reads only what is new each time; a file that shrank or was replaced is
 * indexed anew. The kept index file spares the first reading and can be deleted at any time.
 */
export class LineIndex {
  private inode = ''
  /** Bytes of whole lines seen, and how many lines those are. */
  private bytes = 0
  private lines = 0
  private size = 0
  private markLines = [0]
  private markOffsets = [0]
  private saved = 0
  private loaded = false
  private updating: Promise<boolean> | null = null

  constructor(
    private readonly text: LogText,
    private readonly cacheFile: string | null
  ) {}

  /** Lines of the file, one without an end counted too. */
  get total(): number {
    return this.lines + (this.unfinished ? 1 : 0)
  }

  /** Whether the last line has no end. */
  get unfinished(): boolean {
    return this.size > this.bytes
  }

  get fileSize(): number {
    return this.size
  }

  /**
   * Takes in what the file grew by. False when there is no such file. Two at once would count the same lines twice, so
   * who asks while it reads waits for that reading.
   */
  update(): Promise<boolean> {
    this.updating ??= this.takeIn().finally(() => {
      this.updating = null
    })
    return this.updating
  }

  private async takeIn(): Promise<boolean> {
    const facts = await this.text.stat()
    if (facts === null) return false
    if (!this.loaded) await this.load(facts)
    if (facts.inode !== this.inode || facts.size < this.size) this.reset(facts.inode)
    while (this.size < facts.size) {
      const data = await this.text.read(this.size, CHUNK)
      if (data === null || data.length === 0) break
      this.take(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
    }
    if (this.cacheFile !== null && this.size - this.saved >= SAVE_EVERY) await this.save()
    return true
  }

  /** The spans of lines `[from, to)`, as far as the file has them. */
  async spans(from: number, to: number): Promise<LineSpan[]> {
    const spans: LineSpan[] = []
    for await (const span of this.walk(from)) {
      if (span.line >= to) break
      spans.push(span)
    }
    return spans
  }

  /** A place where a line begins, at or before line `from`. */
  markBefore(from: number): { line: number; offset: number } {
    let low = 0
    let high = this.markLines.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.markLines[middle] ?? Infinity) <= from) low = middle
      else high = middle
    }
    return { line: this.markLines[low] ?? 0, offset: this.markOffsets[low] ?? 0 }
  }

  private async *walk(from: number): AsyncIterable<LineSpan> {
    const mark = this.markBefore(from)
    let { line } = mark
    let start = mark.offset
    let position = mark.offset
    while (position < this.size) {
      const known = start === position ? this.knownEnd(line) : null
      if (known !== null) {
        if (line >= from) yield { line, start, end: known.end }
        line++
        start = position = known.next
        continue
      }
      const data = await this.text.read(position, CHUNK)
      if (data === null || data.length === 0) return
      const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) {
        const end = position + at
        if (line >= from) yield { line, start, end }
        line++
        start = end + 1
      }
      position += chunk.length
    }
    if (start < this.size && line >= from) yield { line, start, end: this.size }
  }

  /** Where a line ends that is long enough to have marks on both sides, or has no end yet: it need not be read. */
  private knownEnd(line: number): { end: number; next: number } | null {
    if (line === this.lines) return { end: this.size, next: this.size }
    const after = this.markBefore(line + 1)
    return after.line === line + 1 ? { end: after.offset - 1, next: after.offset } : null
  }

  private take(chunk: Buffer): void {
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) {
      const start = this.bytes
      this.lines++
      this.bytes = this.size + at + 1
      // A long line has marks on both sides, so that nobody need read through it.
      if (this.bytes - start >= BYTES_PER_MARK) this.mark(this.lines - 1, start)
      const lines = this.lines - (this.markLines.at(-1) ?? 0)
      const bytes = this.bytes - (this.markOffsets.at(-1) ?? 0)
      if (lines < LINES_PER_MARK && bytes < BYTES_PER_MARK) continue
      this.mark(this.lines, this.bytes)
    }
    this.size += chunk.length
  }

  private mark(line: number, offset: number): void {
    if ((this.markLines.at(-1) ?? 0) >= line) return
    this.markLines.push(line)
    this.markOffsets.push(offset)
  }

  private reset(inode: string): void {
    this.inode = inode
    this.bytes = this.lines = this.size = this.saved = 0
    this.markLines = [0]
    this.markOffsets = [0]
  }

  private async load(facts: Pick<FileFacts, 'inode' | 'size'>): Promise<void> {
    this.loaded = true
    this.inode = facts.inode
    if (this.cacheFile === null) return
    const text = await readFile(this.cacheFile, 'utf8').catch((cause: unknown) => {
      if (errorCode(cause) === 'ENOENT') return null
      throw cause
    })
    const stored = text === null ? null : parsed(text)
    if (stored === null || stored.inode !== facts.inode || stored.size > facts.size) return
    this.bytes = stored.bytes
    this.size = this.saved = stored.size
    this.lines = stored.lines
    this.markLines = stored.markLines
    this.markOffsets = stored.markOffsets
  }

  private async save(): Promise<void> {
    if (this.cacheFile === null) return
    const { inode, bytes, size, lines, markLines, markOffsets } = this
    await writeFileAtomic(
      this.cacheFile,
      JSON.stringify({ inode, bytes, size, lines, markLines, markOffsets })
    )
    this.saved = size
  }
}

/** A damaged index file counts as none. */
function parsed(text: string): z.infer<typeof Stored> | null {
  try {
    const stored = Stored.safeParse(JSON.parse(text))
    return stored.success ? stored.data : null
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}
