import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogFilter, LogLine, LogSource } from '../../contract/logs'
import { fail, systemClock, type Clock, type Redactor } from '../lib'
import type { FileAccess } from '../targets'
import { canMatchPieces, textFilter, type TextFilter } from './line-filter'
import { stripAnsi } from './line-head'
import { LineIndex, type LineSpan } from './line-index'
import { lineBytes, shownLine, unshownPieces, type LineContext } from './line-text'
import { WholeLog } from './whole-log'

/** A log file that can be read through a book. */
export interface BookSource {
  /** `<attempt>/<service>`. */
  id: string
  attempt: number
  service: string
  path: string
  files: FileAccess
  /** Milliseconds to add to the stamps of the file. Default 0: they are UTC. */
  zone?: number
}

export interface BookOptions {
  redact: Redactor
  /** Folder for the line indexes; null keeps them in memory only. */
  cacheFolder: string | null
  clock?: Clock
}

export interface SearchAnswer {
  lines: LogLine[]
  done: boolean
  /** Lines looked at, counted from the beginning of the source: go on with `after: scanned - 1`. */
  scanned: number
}

/** A source with its text and where the lines of it begin. */
interface Book {
  source: BookSource
  text: WholeLog
  index: LineIndex
}

/** Bytes read at once where neighbouring lines are wanted. */
const BLOCK = 512 * 1024
/** Milliseconds after which a search answers with what it has. */
const SEARCH_TURN = 1000

/** Reading and searching the logs of one run. Nothing is held of a file but where its lines begin. */
export class LogBook {
  private books = new Map<string, Book>()

  constructor(private readonly options: BookOptions) {}

  setSources(sources: readonly BookSource[]): void {
    const next: typeof this.books = new Map()
    for (const source of sources) {
      const known = this.books.get(source.id)
      next.set(
        source.id,
        known?.source.path === source.path ? { ...known, source } : this.bookOf(source)
      )
    }
    this.books = next
  }

  private bookOf(source: BookSource): Book {
    const text = new WholeLog(source.files, source.path)
    return { source, text, index: new LineIndex(text, this.cacheFile(source.id)) }
  }

  /** Every source with its size now. */
  async sources(): Promise<LogSource[]> {
    await this.prepare()
    const answer: LogSource[] = []
    for (const { source, index, text } of this.books.values()) {
      await index.update()
      const { id, attempt, service } = source
      const faults = text.faults()
      answer.push({
        id,
        attempt,
        service,
        bytes: index.fileSize,
        lines: index.total,
        ...(index.unfinished ? { unfinished: true } : {}),
        ...(faults.length === 0 ? {} : { faults })
      })
    }
    return answer
  }

  /** `count` lines from line `from`; a negative `from` counts from the end. */
  async read(
    id: string,
    from: number,
    count: number
  ): Promise<{ lines: LogLine[]; total: number }> {
    const book = await this.open(id)
    const { index } = book
    const first = from < 0 ? Math.max(0, index.total + from) : from
    const spans = await index.spans(first, Math.min(index.total, first + count))
    const lines: LogLine[] = []
    for (const group of neighbours(spans)) lines.push(...(await this.shown(book, group)))
    return { lines, total: index.total }
  }

  /** Matching lines behind line `after`, at most `limit`. Answers within about a second, done or not. */
  async search(
    id: string,
    filter: LogFilter,
    after: number,
    limit: number,
    signal?: AbortSignal
  ): Promise<SearchAnswer> {
    const book = await this.open(id)
    const { index } = book
    const matches = textFilter(filter)
    const piecewise = matches !== null && canMatchPieces(filter) ? matches : null
    const { clock = systemClock } = this.options
    const until = clock.ticks() + SEARCH_TURN
    const found: LogLine[] = []
    let next = after + 1
    while (next < index.total) {
      signal?.throwIfAborted()
      const spans = await index.spans(next, next + LINES_A_TURN)
      if (spans.length === 0) break
      for (const group of neighbours(spans)) {
        const lines = await this.shown(book, group)
        const fitting = matches?.(lines.map((line) => line.text))
        for (const [i, line] of lines.entries()) {
          next = line.line + 1
          if (filter.levels?.includes(line.level) === false) continue
          if (fitting?.[i] === false) {
            const span = group[i]
            if (piecewise === null || span === undefined) continue
            if (!(await this.matchesUnshown(book, span, piecewise, signal))) continue
          }
          found.push(line)
          if (found.length >= limit)
            return { lines: found, done: next >= index.total, scanned: next }
        }
      }
      if (clock.ticks() >= until) break
    }
    return { lines: found, done: next >= index.total, scanned: next }
  }

  private async shown({ source, text }: Book, spans: readonly LineSpan[]): Promise<LogLine[]> {
    const { id, zone = 0 } = source
    const context: LineContext = { source: id, redact: this.options.redact, zone }
    const [first] = spans
    const last = spans.at(-1)
    if (first === undefined || last === undefined) return []
    if (last.end - first.start > BLOCK) {
      return [shownLine(await lineBytes(text, first), first, context)]
    }
    const data = (await text.read(first.start, last.end - first.start)) ?? new Uint8Array(0)
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    return spans.map((span) =>
      shownLine(bytes.subarray(span.start - first.start, span.end - first.start), span, context)
    )
  }

  /** Whether a line has a match in what is not shown of it for its length. Read piece by piece and held nowhere. */
  private async matchesUnshown(
    { text }: Book,
    span: LineSpan,
    matches: TextFilter,
    signal: AbortSignal | undefined
  ): Promise<boolean> {
    const { redact } = this.options
    for await (const piece of unshownPieces(text, span, BLOCK)) {
      signal?.throwIfAborted()
      if (matches([redact(stripAnsi(piece))])[0] === true) return true
    }
    return false
  }

  private async open(id: string): Promise<Book> {
    const book = this.books.get(id)
    if (book === undefined) {
      fail({
        code: 'log-source-unknown',
        what: { en: 'This run has no such log.', zh: '该运行没有这个日志。' },
        where: id
      })
    }
    await this.prepare()
    await book.index.update()
    return book
  }

  private async prepare(): Promise<void> {
    const { cacheFolder } = this.options
    if (cacheFolder !== null) await mkdir(cacheFolder, { recursive: true })
  }

  private cacheFile(id: string): string | null {
    const { cacheFolder } = this.options
    if (cacheFolder === null) return null
    return join(cacheFolder, `${createHash('sha256').update(id).digest('hex').slice(0, 16)}.lines`)
  }
}

/** Lines of a search that are placed at once. */
const LINES_A_TURN = 8192

/** Groups of neighbouring spans that together are at most one block; a longer line stands alone. */
function neighbours(spans: readonly LineSpan[]): LineSpan[][] {
  const groups: LineSpan[][] = []
  let group: LineSpan[] = []
  for (const span of spans) {
    const start = group[0]?.start ?? span.start
    if (group.length > 0 && span.end - start > BLOCK) {
      groups.push(group)
      group = []
    }
    group.push(span)
  }
  if (group.length > 0) groups.push(group)
  return groups
}
