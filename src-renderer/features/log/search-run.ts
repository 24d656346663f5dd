import type { LogLine } from '@contract/logs'

/** One answer of the engine's search. */
export interface SearchAnswer {
  lines: readonly LogLine[]
  /** True when the source was searched to its end. */
  done: boolean
  /** Lines looked at, from the beginning of the source. */
  scanned: number
}

export interface Found {
  lines: readonly LogLine[]
  /** False while an end has not been reached yet. */
  complete: boolean
  failure: unknown
}

/**
 * A search that goes on: to the end of a source, and after it whenever the source grew.
 * Results only ever grow; a line is never in them twice.
 */
export class SearchRun {
  private found: Found = { lines: [], complete: false, failure: undefined }
  private through = -1
  private busy = false
  private ended = false
  private wanted = 0
  private readonly listeners = new Set<() => void>()

  constructor(private readonly search: (after: number) => Promise<SearchAnswer>) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
  readonly snapshot = (): Found => this.found

  /** The source has `total` lines now: searches what was not searched yet. */
  grow(total: number): void {
    this.wanted = Math.max(this.wanted, total)
    if (!this.busy) void this.advance()
  }

  stop(): void {
    this.ended = true
    this.listeners.clear()
  }

  private async advance(): Promise<void> {
    this.busy = true
    try {
      while (!this.ended && this.through < this.wanted - 1) {
        const answer = await this.search(this.through)
        const fresh = answer.lines.filter((line) => line.line > this.through)
        const reached = Math.max(answer.scanned - 1, fresh.at(-1)?.line ?? -1)
        // An answer that got nowhere would be asked for again for ever.
        const stuck = reached <= this.through
        this.through = Math.max(this.through, reached)
        this.publish({
          lines: fresh.length === 0 ? this.found.lines : [...this.found.lines, ...fresh],
          complete: answer.done || stuck,
          failure: undefined
        })
        if (stuck) return
      }
    } catch (thrown) {
      this.publish({ ...this.found, failure: thrown })
    } finally {
      this.busy = false
    }
  }

  private publish(found: Found): void {
    this.found = found
    for (const listener of this.listeners) listener()
  }
}
