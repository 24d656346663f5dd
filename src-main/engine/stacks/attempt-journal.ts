import { type AttemptState, Exit, type RunEvent } from '../../contract/run'
import type { Text } from '../../contract/text'
import type { AttemptRecord, RunRecord, RunStore, Seen } from '../runs'
import { type AttemptEvent, reduceAttempt, wasReady } from './attempt-state'

export interface EventText {
  kind: string
  text: Text
  step?: number
  data?: Record<string, unknown>
}

/**
 * What is known of one attempt, and its way to disk. Changes of state are written at once; what is only seen (counts,
 * newest step) at most once in `SEEN_EVERY_MS`.
 */
export class AttemptJournal {
  private dirty = false
  private written = Number.NEGATIVE_INFINITY
  private readonly once = new Set<string>()
  /** Events that could not be written when they came. */
  private readonly owed: RunEvent[] = []

  private constructor(
    readonly store: RunStore,
    readonly run: string,
    private record: AttemptRecord,
    private last: Seen
  ) {}

  static async open(store: RunStore, run: string, number: number): Promise<AttemptJournal> {
    const record = await store.read(run)
    const attempt = record.attempts.find((one) => one.number === number)
    if (attempt === undefined) throw new Error(`run ${run} has no attempt ${number}`)
    const journal = new AttemptJournal(store, run, attempt, record.seen)
    for (const event of await store.events(run)) {
      const key = event.data?.['key']
      if (typeof key === 'string') journal.once.add(key)
    }
    return journal
  }

  get attempt(): AttemptRecord {
    return this.record
  }

  get seen(): Seen {
    return this.last
  }

  get state(): AttemptState {
    return this.record.state
  }

  /** Changes what is seen; written with the next `flush`. */
  see(change: Partial<Seen>): void {
    this.last = { ...this.last, ...change }
    this.dirty = true
  }

  /** Changes the attempt's record; written with the next `flush`. */
  change(change: Partial<AttemptRecord>): void {
    this.record = { ...this.record, ...change }
    this.dirty = true
  }

  /** Puts an event through the reducer. A change of kind is written at once. */
  async apply(event: AttemptEvent): Promise<void> {
    const before = this.record.state
    const state = reduceAttempt(before, event, this.record.reached)
    if (state === before) return
    const reached = this.record.reached || wasReady(state)
    this.change({ state, reached, readyAt: this.record.readyAt ?? (reached ? event.at : null) })
    if (state.kind !== before.kind || state.kind === 'starting') await this.write()
  }

  /** Appends an event of the run; with a key, only if no event with that key was ever written. */
  async tell(event: EventText, key?: string): Promise<void> {
    if (key !== undefined) {
      if (this.once.has(key)) return
      this.once.add(key)
    }
    try {
      await this.pay()
      await this.store.appendEvent(this.run, this.entry(event, key))
    } catch (cause) {
      // It was not told: the next look tells it.
      if (key !== undefined) this.once.delete(key)
      throw cause
    }
  }

  /**
   * Keeps an event that must not hinder what it is about, and changes the state by it; written with the next event or
   * the next write of the record that succeeds.
   */
  owe(event: EventText, change: AttemptEvent): void {
    this.owed.push({ ...this.entry(event), at: change.at })
    this.change({ state: reduceAttempt(this.record.state, change, this.record.reached) })
  }

  /** Whether an event with that key was ever written, in this attempt or an earlier one. */
  hasTold(key: string): boolean {
    return this.once.has(key)
  }

  /** How the attempt ended, when an engine wrote that down and died before it wrote the rest. */
  async toldExit(): Promise<Exit | null> {
    const events = await this.store.events(this.run)
    const told = events.find((one) => one.kind === 'exited' && one.attempt === this.record.number)
    return Exit.safeParse(told?.data?.['exit']).data ?? null
  }

  /** Writes what changed, unless the last write was a moment ago. `ticks` is monotonic milliseconds. */
  async flush(ticks: number): Promise<void> {
    if (!this.dirty || ticks - this.written < SEEN_EVERY_MS) return
    this.written = ticks
    await this.write()
  }

  async write(): Promise<void> {
    this.dirty = false
    const { record, last } = this
    try {
      await this.pay()
      await this.store.update(this.run, (run): RunRecord => ({
        ...run,
        seen: last,
        attempts: run.attempts.map((one) => (one.number === record.number ? record : one))
      }))
    } catch (cause) {
      this.dirty = true
      throw cause
    }
  }

  private entry(event: EventText, key?: string): Omit<RunEvent, 'at'> {
    const data = key === undefined ? event.data : { ...event.data, key }
    return {
      attempt: this.record.number,
      kind: event.kind,
      text: event.text,
      ...(event.step === undefined ? {} : { step: event.step }),
      ...(data === undefined ? {} : { data })
    }
  }

  private async pay(): Promise<void> {
    const events = this.owed.splice(0)
    try {
      for (let next = events[0]; next !== undefined; next = events[0]) {
        await this.store.appendEvent(this.run, next)
        events.shift()
      }
    } catch (cause) {
      this.owed.unshift(...events)
      throw cause
    }
  }
}

const SEEN_EVERY_MS = 1_000
