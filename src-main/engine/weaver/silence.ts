import type { Clock } from '../lib'

/** Milliseconds without a byte until a transfer counts as hung: its connection is up and nothing comes. */
export const LONGEST_SILENCE_MS = 60_000

/** Ends a transfer that has been silent for too long, or that nobody wants any more. */
export class Silence {
  /** True when it was ended for its silence. */
  late = false
  private readonly stop = new AbortController()
  private cancel: () => void = () => undefined

  constructor(
    private readonly clock: Clock,
    private readonly outer: AbortSignal | undefined
  ) {
    outer?.addEventListener('abort', this.abort, { once: true })
    if (outer?.aborted === true) this.abort()
    this.heard()
  }

  get signal(): AbortSignal {
    return this.stop.signal
  }

  /** Something came: the time begins anew. */
  heard(): void {
    this.cancel()
    this.cancel = this.clock.after(LONGEST_SILENCE_MS, () => {
      this.late = true
      this.abort()
    })
  }

  /** The transfer is over, whatever came of it. */
  end(): void {
    this.cancel()
    this.outer?.removeEventListener('abort', this.abort)
  }

  private readonly abort = (): void => {
    this.stop.abort()
  }
}
