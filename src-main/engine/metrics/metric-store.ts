import { join } from 'node:path'
import type { Axis, KeyInfo, SeriesQuery } from '../../contract/metrics'
import { ColumnFiles } from './column-files'
import { Journal } from './journal'
import type { Definition, JournalFrame, NumberedRow } from './journal-frame'
import { keyInfos } from './key-info'
import type {
  Frame,
  MetricStore,
  Row,
  Sample,
  SeriesFacts,
  SeriesNumbers,
  SourceCursor,
  StackEvent,
  Unread
} from './model'
import { Series } from './series'
import { SeriesReader } from './series-reader'
import { seriesToDraw } from './series-passes'
import { SeriesQueries } from './series-query'
import { emptyContent, readIndex, writeIndex, type StoreContent } from './store-index'

/** So many samples that are only in the journal make the store settle by itself (bounds memory while catching up). */
const SETTLE_AT = 1_000_000
/** Column files written at the same time. */
const WRITERS = 8

/**
 * Opens the `metrics` folder of a run; a folder that does not exist is an empty store and is made by the first append.
 * The journal is the truth: `{source, attempt, from, to, rows, events}` frames with checksums. Index and columns only
 * make opening and drawing fast.
 */
export async function openMetricStore(folder: string): Promise<MetricStore> {
  const store = new JournalledStore(folder)
  await store.load()
  return store
}

class JournalledStore implements MetricStore {
  private content: StoreContent = emptyContent()
  private numbers = new Map<string, Map<string, Series>>()
  /** Series numbers by the array of keys they came in: parsers hand out one array for lines alike. */
  private numbersOfKeys = new WeakMap<readonly string[], { home: string; series: number[] }>()
  private readonly journal: Journal
  private readonly files: ColumnFiles
  private readonly queries: SeriesQueries
  private readonly listeners = new Set<() => void>()
  private work: Promise<unknown> = Promise.resolve()
  private unsettled = 0
  private appended = false
  private newest: number | null = null
  private left: Unread | null = null

  constructor(private readonly folder: string) {
    this.journal = new Journal(join(folder, 'journal.bin'))
    this.files = new ColumnFiles(join(folder, 'columns'))
    this.queries = new SeriesQueries(this.files)
  }

  get revision(): number {
    return this.content.revision
  }

  get eventCount(): number {
    return this.content.events
  }

  get unread(): Unread | null {
    return this.left
  }

  get lastSampleAt(): number | null {
    return this.newest
  }

  /** Index first, then what the journal has beyond it. */
  async load(): Promise<void> {
    const indexed = await readIndex(this.indexFile())
    const size = await this.journal.size()
    // A journal shorter than its index lost its end with the machine's power: begin again from what is there.
    this.content = indexed !== null && indexed.journal <= size ? indexed : emptyContent()
    this.numbers = new Map()
    this.numbersOfKeys = new WeakMap()
    this.files.forget()
    this.queries.forget()
    this.newest = null
    for (const series of this.content.series) this.know(series)
    this.unsettled = 0
    await this.replay()
  }

  cursor(source: string): SourceCursor | null {
    return this.content.sources.get(source) ?? null
  }

  append(frame: Frame): Promise<void> {
    return this.exclusively(async () => {
      this.appended = true
      const fresh = new Map<string, Definition>()
      const rows = frame.rows.map((row) => this.numbered(frame, row, fresh))
      let seq = this.content.events
      const events = (frame.events ?? []).map((event): StackEvent => ({
        ...event,
        seq: seq++,
        source: frame.source,
        attempt: frame.attempt
      }))
      const { source, attempt, from, to, state = '' } = frame
      const definitions = [...fresh.values()]
      const whole: JournalFrame = { source, attempt, from, to, state, events, definitions, rows }
      const position = this.content.journal
      const end = await this.journal.append(position, whole)
      this.apply(whole, position)
      this.content.journal = end
      if (this.unsettled >= SETTLE_AT) await this.settleNow()
      this.announce()
    })
  }

  async refresh(): Promise<void> {
    await this.exclusively(async () => {
      const before = this.content.revision
      const indexed = await readIndex(this.indexFile())
      if (indexed !== null && indexed.journal > this.content.journal) await this.load()
      else await this.replay()
      if (this.content.revision !== before) this.announce()
    })
  }

  keys(): KeyInfo[] {
    return keyInfos(this.content.series)
  }

  series(): SeriesFacts[] {
    return this.content.series.map((series) => ({
      key: series.key,
      axis: series.axis,
      attempt: series.attempt,
      source: series.source,
      count: series.count,
      nonFinite: series.nonFinite,
      firstNonFinite: placeOf(series.odd[0]),
      first: series.first && { ...series.first },
      last: series.last
    }))
  }

  query(query: SeriesQuery): Promise<SeriesNumbers> {
    return this.queries.answer(query, this.content.series, this.content.revision)
  }

  async *samples(key: string): AsyncIterable<Sample> {
    for (const series of this.content.series) {
      if (series.key !== key) continue
      const { axis, attempt, source } = series
      const reader = new SeriesReader(this.files, series)
      for await (const { x, value, at } of reader.chunks(0, reader.count)) {
        for (let i = 0; i < x.length; i++) {
          yield { key, axis, attempt, source, x: x[i] ?? 0, value: value[i] ?? 0, at: at[i] ?? 0 }
        }
      }
    }
  }

  async tail(key: string, count: number): Promise<{ x: number; at: number; value: number }[]> {
    const series = seriesToDraw(this.content.series, key).at(-1)
    if (series === undefined) return []
    const reader = new SeriesReader(this.files, series)
    const { x, value, at } = await reader.rows(Math.max(0, reader.count - count), reader.count)
    return Array.from(x, (place, i) => ({
      x: place,
      at: at[i] ?? 0,
      value: value[i] ?? Number.NaN
    }))
  }

  async events(from = 0): Promise<StackEvent[]> {
    const frames = this.content.eventFrames
    let start = frames.length
    while (start > 0 && (frames[start - 1]?.[0] ?? 0) > from) start--
    const events: StackEvent[] = []
    const positions = frames.slice(Math.max(0, start - 1)).map(([, position]) => position)
    for await (const frame of this.journal.framesAt(positions)) events.push(...frame.events)
    return events.filter((event) => event.seq >= from)
  }

  onChange(changed: () => void): () => void {
    this.listeners.add(changed)
    return () => {
      this.listeners.delete(changed)
    }
  }

  settle(): Promise<void> {
    return this.exclusively(() => this.settleNow())
  }

  async close(): Promise<void> {
    await this.exclusively(async () => {
      await this.settleNow()
      await this.journal.close()
    })
    this.listeners.clear()
  }

  /** Columns first, the index last: a crash in between leaves the old index, and the same bytes are written again. */
  private async settleNow(): Promise<void> {
    if (!this.appended || this.unsettled === 0) return
    const moved = new Map<Series, number>()
    const waiting = [...this.content.series]
    const write = async (): Promise<void> => {
      for (let series = waiting.pop(); series !== undefined; series = waiting.pop()) {
        moved.set(series, await this.files.write(series))
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, write))
    await writeIndex(
      this.indexFile(),
      this.content,
      (series) => series.written + (moved.get(series) ?? 0)
    )
    for (const [series, rows] of moved) if (rows > 0) series.drop(rows)
    this.unsettled = 0
  }

  private async replay(): Promise<void> {
    const { end, unread } = await this.journal.replay(this.content.journal, (frame, position) => {
      this.apply(frame, position)
    })
    this.content.journal = end
    this.left = unread
  }

  private apply(frame: JournalFrame, position: number): void {
    const { source, attempt, to, state, events } = frame
    for (const { series, axis, key } of frame.definitions) {
      if (this.content.series[series] === undefined) {
        this.content.series[series] = new Series(series, key, axis, attempt, source)
      }
      this.know(this.content.series[series])
    }
    for (const row of frame.rows) this.applyRow(row)
    const first = events[0]
    if (first !== undefined) {
      this.content.eventFrames.push([first.seq, position])
      this.content.events = first.seq + events.length
    }
    this.content.sources.set(source, { attempt, offset: to, state })
    this.content.revision++
    this.unsettled++
  }

  private applyRow(row: NumberedRow): void {
    for (let i = 0; i < row.series.length; i++) {
      this.content.series[row.series[i] ?? -1]?.push(row.x, row.values[i] ?? Number.NaN, row.at)
    }
    this.unsettled += row.series.length
    if (this.newest === null || row.at > this.newest) this.newest = row.at
  }

  private numbered(frame: Frame, row: Row, fresh: Map<string, Definition>): NumberedRow {
    const home = homeOf(frame.source, frame.attempt, row.axis)
    const before = this.numbersOfKeys.get(row.keys)
    if (before?.home === home)
      return { x: row.x, at: row.at, series: before.series, values: row.values }
    const known = this.numbers.get(home)
    const series: number[] = []
    for (const key of row.keys) {
      series.push(known?.get(key)?.id ?? this.define(home, row.axis, key, fresh))
    }
    if (fresh.size === 0) this.numbersOfKeys.set(row.keys, { home, series })
    return { x: row.x, at: row.at, series, values: row.values }
  }

  private define(home: string, axis: Axis, key: string, fresh: Map<string, Definition>): number {
    const name = `${home}\n${key}`
    const found = fresh.get(name)
    if (found !== undefined) return found.series
    const series = this.content.series.length + fresh.size
    fresh.set(name, { series, axis, key })
    return series
  }

  private know(series: Series): void {
    const home = homeOf(series.source, series.attempt, series.axis)
    const keys = this.numbers.get(home) ?? new Map<string, Series>()
    this.numbers.set(home, keys.set(series.key, series))
    const at = series.last?.at
    if (at !== undefined && (this.newest === null || at > this.newest)) this.newest = at
  }

  private indexFile(): string {
    return join(this.folder, 'index.bin')
  }

  private announce(): void {
    for (const changed of this.listeners) changed()
  }

  /** One change at a time, in the order of the calls; a failure is its caller's, not the next one's. */
  private exclusively<T>(act: () => Promise<T>): Promise<T> {
    const done = this.work.then(act)
    this.work = done.catch(() => undefined)
    return done
  }
}

let lastHome: { source: string; attempt: number; axis: Axis; home: string } = {
  source: '',
  attempt: 0,
  axis: 'step',
  home: homeName('', 0, 'step')
}

/** Name of the place where a key has one series. Asked for each row, and mostly the same as before. */
function homeOf(source: string, attempt: number, axis: Axis): string {
  const last = lastHome
  if (last.axis === axis && last.attempt === attempt && last.source === source) return last.home
  lastHome = { source, attempt, axis, home: homeName(source, attempt, axis) }
  return lastHome.home
}

function homeName(source: string, attempt: number, axis: Axis): string {
  return `${String(attempt)}\n${axis}\n${source}`
}

/** The place alone of a sample that is no number. */
function placeOf(odd: { x: number } | undefined): { x: number } | null {
  return odd === undefined ? null : { x: odd.x }
}
