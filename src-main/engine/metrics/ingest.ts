import type { Progress } from '../../contract/logs'
import { messageOf, type Clock, type Redactor } from '../lib'
import type { NamedSecret } from './clear-secrets'
import { ReadingRoom, SourceIngest } from './ingest-source'
import type { IngestReport, IngestSource, MetricStore } from './model'
import { TrackerSource } from './tracker-source'

export interface IngestOptions {
  store: MetricStore
  redact: Redactor
  clock: Clock
  /** Secret variables of the stack: one whose value stands in a log is told as an event `secret-in-clear`. */
  secrets?: readonly NamedSecret[]
  /** Most bytes one poll reads, all sources together; the rest stays for the next. Default 16 MiB. */
  maxBytes?: number
}

const DEFAULT_BYTES = 16 * 1024 * 1024
/** Milliseconds between two settlings while samples keep coming. */
const SETTLE_EVERY = 60_000
/** A bar that has not moved for so long (milliseconds) is no longer being drawn. */
const BAR_LIFE = 15 * 60_000

/** A source being read: text, or the file of a tracker. */
type Reading = SourceIngest | TrackerSource

function begin(source: IngestSource, { store, redact, clock, secrets }: IngestOptions): Reading {
  return source.role === 'tracker'
    ? new TrackerSource(source, store, redact, clock)
    : new SourceIngest(source, store, redact, clock, secrets)
}

/**
 * Reads what is new in a run's logs and puts it into the store, each byte exactly once: samples, events and the
 * place to go on from are one frame, which is kept whole or not at all.
 */
export class Ingest {
  private sources = new Map<string, Reading>()
  private work: Promise<unknown> = Promise.resolve()
  private settledAt: number
  private readonly room = new ReadingRoom()

  constructor(private readonly options: IngestOptions) {
    this.settledAt = options.clock.ticks()
  }

  /** The sources to read from now on. Sources that were there before go on where they were. */
  setSources(sources: readonly IngestSource[]): void {
    const next = new Map<string, Reading>()
    for (const source of sources) {
      const known = this.sources.get(source.id)
      if (known !== undefined) known.source = source
      next.set(source.id, known ?? begin(source, this.options))
    }
    this.sources = next
  }

  /** Reads what is new. Calls do not overlap: a second call waits for the first. */
  poll(): Promise<IngestReport> {
    const done = this.work.then(() => this.pollNow())
    this.work = done.catch(() => undefined)
    return done
  }

  private async pollNow(): Promise<IngestReport> {
    const { store, maxBytes = DEFAULT_BYTES } = this.options
    const seq = store.eventCount
    const unreadable: IngestReport['unreadable'] = []
    const left = new Map([...this.sources.values()].map((source) => [source, 0]))
    const open = new Set(left.keys())
    let bytes = 0
    let samples = 0
    // The others go on; this one is tried again at the next poll, from where the store stands.
    const failed = (source: Reading, cause: unknown): void => {
      open.delete(source)
      if (this.startAnew(source))
        unreadable.push({ source: source.source.id, why: messageOf(cause) })
    }
    // One chunk of each in turn, so that a long backlog of one does not hold up the others.
    while (open.size > 0 && bytes < maxBytes) {
      for (const source of open) {
        try {
          const turn = await source.turn(this.room)
          bytes += turn.bytes
          samples += turn.samples
          left.set(source, turn.behind)
          if (turn.behind === 0) open.delete(source)
        } catch (cause) {
          await source.landed().catch(() => undefined)
          failed(source, cause)
        }
      }
    }
    this.room.leave()
    for (const source of left.keys())
      await source.landed().catch((cause: unknown) => failed(source, cause))
    await this.settleInTime()
    return {
      events: store.eventCount > seq ? await store.events(seq) : [],
      progress: this.progress(),
      revision: store.revision,
      samples,
      behind: [...left.values()].reduce((sum, behind) => sum + behind, 0),
      unreadable
    }
  }

  /** What was read but not stored is forgotten: it is read again. False when that was done before. */
  private startAnew(failed: Reading): boolean {
    const { source } = failed
    if (this.sources.get(source.id) !== failed) return false
    this.sources.set(source.id, begin(source, this.options))
    return true
  }

  private progress(): Progress[] {
    const oldest = this.options.clock.now() - BAR_LIFE
    return [...this.sources.values()]
      .filter(({ source }) => source.ended !== true)
      .flatMap(({ bars }) => [...bars.values()])
      .filter((bar) => bar.at >= oldest)
  }

  private async settleInTime(): Promise<void> {
    const { clock, store } = this.options
    if (clock.ticks() - this.settledAt < SETTLE_EVERY) return
    this.settledAt = clock.ticks()
    await store.settle()
  }
}
