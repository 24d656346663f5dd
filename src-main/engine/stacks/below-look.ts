import type { Clock } from '../lib'
import type { Below } from './quiet'

/** What stands below changes slowly, and asking it costs several requests. */
const EVERY_MS = 30_000

/** The newest look below a stack that does nothing visible. Asked beside the watching, which never waits for it. */
export class BelowLook {
  private newest: Below | null = null
  private at = Number.NEGATIVE_INFINITY
  private asking = false

  constructor(
    private readonly options: {
      clock: Clock
      /** Null where nothing is to be seen. */
      below: () => Promise<Below | null>
      onTrouble: (cause: unknown) => void
    }
  ) {}

  /** What was seen last; another look begins when that is old. */
  look(): Below | null {
    const { clock, below, onTrouble } = this.options
    if (!this.asking && clock.ticks() - this.at >= EVERY_MS) {
      this.asking = true
      below()
        .then((seen) => {
          this.newest = seen
        }, onTrouble)
        .finally(() => {
          this.at = clock.ticks()
          this.asking = false
        })
    }
    return this.newest
  }

  /** It moves again: what was seen is over. */
  forget(): void {
    this.newest = null
    this.at = Number.NEGATIVE_INFINITY
  }
}
