import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { OutputEntry } from './frames'

const Position = z.object({
  version: z.literal(1),
  /** Unix seconds to ask the engine from; 0 asks from the very beginning. */
  since: z.number().int().min(0),
  /** Entries stamped at or after `since` that are copied already: the first ones of the answer. */
  skip: z.number().int().min(0),
  /** Entries copied since the very beginning. */
  total: z.number().int().min(0),
  /** The first second copied; 0 before there is one, and in positions of older versions. */
  first: z.number().int().min(0).default(0),
  /** Newest second copied. */
  newest: z.number().int().min(0),
  /** The last entry copied, to check that the engine still counts as we do. */
  last: z.object({ stamp: z.string(), digest: z.string() }).nullable(),
  /** Bytes of the two copies that this position stands for; more on disk is cut off before going on. */
  stdout: z.number().int().min(0),
  stderr: z.number().int().min(0),
  /** The container has ended and everything is copied. */
  ended: z.boolean()
})
export type Position = z.infer<typeof Position>

export const BEGINNING: Position = {
  version: 1,
  since: 0,
  skip: 0,
  total: 0,
  first: 0,
  newest: 0,
  last: null,
  stdout: 0,
  stderr: 0,
  ended: false
}

/** Reads a stored position; null for anything else, which means copying from the beginning again. */
export function parsePosition(text: string): Position | null {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Replaced by rename, so a torn file is foreign: copying again from the start loses nothing.
    return null
  }
  const parsed = Position.safeParse(json)
  return parsed.success ? parsed.data : null
}

export function digestOf(entry: OutputEntry): string {
  return createHash('sha256').update(entry.stream).update(entry.bytes).digest('hex')
}

/**
 * Seconds of already copied output asked for again on each reconnection. The engine stamps stdout and stderr on two
 * threads, so stamps run backwards a little; and it selects by stamp, not by place.
 */
export const OVERLAP_SECONDS = 60

/**
 * Counts copied entries so that a later request can skip exactly those. Entries are counted by their second; the start
 * of the window moves on only over seconds whose count is known for certain.
 */
export class OutputCursor {
  private readonly counts = new Map<number, number>()
  private position: Position
  /** Entries up to this second are one lump whose spread is not known. */
  private lumpUntil: number
  private lastEntry: OutputEntry | null = null
  private cachedPrefix = ''
  private cachedSecond = 0

  constructor(position: Position) {
    this.position = { ...position }
    this.lumpUntil = position.newest
    if (position.skip > 0) this.counts.set(position.since, position.skip)
  }

  /** One more entry was copied. */
  took(entry: OutputEntry): void {
    const second = this.secondOf(entry.stamp)
    const { position } = this
    position.total++
    position[entry.stream] += entry.bytes.length
    this.lastEntry = entry
    if (second < position.since) this.restartWindow()
    this.counts.set(second, (this.counts.get(second) ?? 0) + 1)
    if (position.first === 0) position.first = second
    if (second <= position.newest) return
    position.newest = second
    if (second > position.since + 2 * OVERLAP_SECONDS) this.slide(second - OVERLAP_SECONDS)
  }

  ended(): void {
    this.position.ended = true
  }

  /** Where a request must begin, and how much of its answer is known. */
  now(): Position {
    let skip = 0
    for (const count of this.counts.values()) skip += count
    const last =
      this.lastEntry === null
        ? this.position.last
        : { stamp: this.lastEntry.stamp, digest: digestOf(this.lastEntry) }
    return { ...this.position, skip, last }
  }

  private slide(since: number): void {
    if (since <= this.lumpUntil) return
    for (const second of [...this.counts.keys()]) if (second < since) this.counts.delete(second)
    this.position.since = since
  }

  /** The engine's clock was set back: selecting by stamp would lose what comes now, so everything is asked for. */
  private restartWindow(): void {
    this.counts.clear()
    // `total` counts the entry now being taken, which is added to its own second.
    this.counts.set(0, this.position.total - 1)
    this.position.since = 0
    this.lumpUntil = this.position.newest
  }

  private secondOf(stamp: string): number {
    const prefix = stamp.slice(0, 19)
    if (prefix !== this.cachedPrefix || prefix === '') {
      const parsed = Math.floor(Date.parse(stamp) / 1000)
      this.cachedSecond = Number.isFinite(parsed) && parsed > 0 ? parsed : 0
      this.cachedPrefix = stamp.endsWith('Z') ? prefix : ''
    }
    return this.cachedSecond
  }
}
