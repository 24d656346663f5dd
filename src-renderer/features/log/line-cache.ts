import type { LogLine } from '@contract/logs'
import { replaceEqualDeep } from '@tanstack/react-query'

/** Reads `count` lines from line `from`. */
export type ReadLines = (from: number, count: number) => Promise<readonly LogLine[]>

export const PAGE = 200
/** Pages kept; what was looked at longest ago goes first. */
const MOST_PAGES = 50

const NO_LINES: readonly LogLine[] = []

interface Page {
  lines: readonly LogLine[]
  /** Lines asked for when it was read; fewer than PAGE for the page the source is still growing in. */
  asked: number
}

/**
 * Lines of one log source by number, read a page at a time as they come into view.
 * A log may have millions of lines: only what was looked at lately is held.
 */
export class LineCache {
  private readonly pages = new Map<number, Page>()
  /** Pages being read, and how many lines of each are wanted by now: a page is read again when its read is there. */
  private readonly reading = new Map<number, number>()
  private readonly listeners = new Set<() => void>()
  private version = 0
  private failed: unknown = undefined

  constructor(private readonly read: ReadLines) {}

  /** For useSyncExternalStore: a number that changes whenever lines arrived. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
  readonly snapshot = (): number => this.version

  line(number: number): LogLine | undefined {
    return this.pages.get(Math.floor(number / PAGE))?.lines[number % PAGE]
  }

  /**
   * How much of a source of `total` lines a follower can be shown without a gap: up to the newest line that is here with
   * the `span` lines before it. 0 before the first text came.
   */
  reach(total: number, span: number): number {
    const pages = [...this.pages].sort(([a], [b]) => b - a)
    for (const [page, { lines }] of pages) {
      const end = Math.min(total, page * PAGE + lines.length)
      if (end > page * PAGE && this.holds(Math.max(0, end - span), page)) return end
    }
    return 0
  }

  /** Whether every page from that of line `from` up to the one before `page` is here in full. */
  private holds(from: number, page: number): boolean {
    for (let each = Math.floor(from / PAGE); each < page; each += 1)
      if (this.pages.get(each)?.lines.length !== PAGE) return false
    return true
  }

  /** What the last read threw, or undefined. The next wish for lines tries again. */
  get failure(): unknown {
    return this.failed
  }

  /** Sees to it that lines `from` to `to` (exclusive) of a source of `total` lines are here or on their way. */
  want(from: number, to: number, total: number): void {
    const last = Math.floor((Math.min(to, total) - 1) / PAGE)
    for (let page = Math.max(0, Math.floor(from / PAGE)); page <= last; page += 1) {
      const count = Math.min(PAGE, total - page * PAGE)
      if (count <= (this.pages.get(page)?.asked ?? 0)) this.touch(page)
      else if (this.reading.has(page)) this.reading.set(page, count)
      else void this.load(page, count)
    }
  }

  private touch(page: number): void {
    const held = this.pages.get(page)
    if (held === undefined) return
    this.pages.delete(page)
    this.pages.set(page, held)
  }

  private async load(page: number, count: number): Promise<void> {
    this.reading.set(page, count)
    let more = count
    try {
      const read = await this.read(page * PAGE, count)
      // A line that was here stays the object it was, so that it is not rendered again.
      const lines = replaceEqualDeep(this.pages.get(page)?.lines ?? NO_LINES, read)
      this.pages.delete(page)
      this.pages.set(page, { lines, asked: count })
      this.failed = undefined
      more = this.reading.get(page) ?? count
      this.evict()
    } catch (thrown) {
      this.failed = thrown
    } finally {
      this.reading.delete(page)
      if (more > count) void this.load(page, more)
      this.version += 1
      for (const listener of this.listeners) listener()
    }
  }

  private evict(): void {
    for (const page of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES) return
      this.pages.delete(page)
    }
  }
}
