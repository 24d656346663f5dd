import { type Clock, pause } from '../lib'
import type { IngestSource } from '../metrics'

/** Tells that one of some logs may have grown, as soon as their machine says so. */
export class LogFollower {
  private readonly stops = new Map<string, () => void>()
  private grown = new AbortController()

  constructor(private readonly clock: Clock) {}

  /** The logs to follow from now on; those that were followed before stay so. */
  follow(sources: readonly IngestSource[]): void {
    const wanted = new Map(sources.map((source) => [source.path, source]))
    for (const [path, stop] of this.stops) {
      if (wanted.has(path)) continue
      stop()
      this.stops.delete(path)
    }
    for (const [path, { files }] of wanted) {
      if (this.stops.has(path)) continue
      this.stops.set(
        path,
        files.follow(path, () => this.grown.abort())
      )
    }
  }

  stop(): void {
    this.follow([])
  }

  /** Waits until a log has grown since the last time, at most `ms`; false when none has, or `signal` aborted. */
  async next(ms: number, signal: AbortSignal): Promise<boolean> {
    const { grown } = this
    if (!grown.signal.aborted) {
      const wake = (): void => {
        grown.abort(ENDED)
      }
      signal.addEventListener('abort', wake, { once: true })
      if (signal.aborted) wake()
      await pause(this.clock, ms, grown.signal)
      signal.removeEventListener('abort', wake)
    }
    if (!grown.signal.aborted) return false
    this.grown = new AbortController()
    return grown.signal.reason !== ENDED
  }
}

/** Why a wait ended that no log ended. */
const ENDED = 'ended'
