import type { Scored } from './receipts'

/** Most records kept in mind until a step consumes them. A record older than that counts as not to be had. */
const MOST_KNOWN = 20_000
/** Steps whose records an engine that takes over reads again, because the next ones are likely to need some of them. */
const STEPS_AGAIN = 2

export type Known = Omit<Scored, 'id'>

/** Sequence numbers where an engine that takes over reads on. */
export interface RecordPlace {
  /** Behind this, records are read at once. */
  after: number
  /** Behind this, there are some that no step has consumed yet: read only when a step turns out to need them. */
  floor: number
}

/**
 * Records of one scenario that steps may still consume, in their order. Some never are, such as an answer that nobody
 * scored: they must not make every reader begin there again.
 */
export class RecordMemory {
  private readonly known = new Map<string, Known>()
  /** Sequence number of the newest record read. */
  private newest: number
  /** Where the records begin that were passed over; null when none were. */
  private passed: number | null
  /** Before the oldest record that each of the newest steps consumed. */
  private starts: number[]

  constructor({ after, floor }: RecordPlace) {
    this.newest = after
    this.passed = floor < after ? floor : null
    this.starts = [after]
  }

  /** Sequence number behind which to read on. */
  get after(): number {
    return this.newest
  }

  get size(): number {
    return this.known.size
  }

  get records(): ReadonlyMap<string, Known> {
    return this.known
  }

  hasAll(ids: readonly string[]): boolean {
    return ids.every((id) => this.known.has(id))
  }

  take({ id, ...record }: Scored): void {
    this.newest = Math.max(record.sequence, this.newest)
    this.known.set(id, record)
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MOST_KNOWN) break
      this.known.delete(oldest)
    }
  }

  /** What a step consumed, the answers these reports were about included, is of no use to any other. */
  consume(ids: readonly string[]): void {
    const gone = ids.flatMap((id) => [id, ...(this.known.get(id)?.references ?? [])])
    const sequences = gone.flatMap((id) => this.known.get(id)?.sequence ?? [])
    for (const id of gone) this.known.delete(id)
    if (sequences.length === 0) return
    const oldest = sequences.reduce((least, one) => Math.min(least, one))
    this.starts = [...this.starts, oldest - 1].slice(-STEPS_AGAIN)
  }

  /** Begins again with what was passed over; false when nothing was. */
  goBack(): boolean {
    if (this.passed === null) return false
    this.newest = this.passed
    this.passed = null
    this.known.clear()
    return true
  }

  /** Where an engine that takes over goes on. */
  get place(): RecordPlace {
    const near = Math.min(...this.starts)
    const oldest = this.beforeOldest()
    const floor = Math.max(this.passed ?? oldest, near - MOST_KNOWN)
    return { after: Math.max(near, oldest), floor }
  }

  private beforeOldest(): number {
    for (const { sequence } of this.known.values()) return sequence - 1
    return this.newest
  }
}
