type Dispose = () => void | Promise<void>

/**
 * Owns what was opened while doing something, and gives it back in reverse order.
 * What is added after the end is disposed of at once: the race is handled here, for everybody.
 */
export class Scope {
  private readonly owned: Dispose[] = []
  private readonly controller = new AbortController()

  /** Aborted when the scope ends. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  add(dispose: Dispose): void {
    if (this.signal.aborted) void dispose()
    else this.owned.push(dispose)
  }

  /** Ends the scope. Every disposer runs even if one throws; the failures come back as one AggregateError. */
  async end(): Promise<void> {
    if (this.signal.aborted) return
    this.controller.abort()
    const failures: unknown[] = []
    for (const dispose of this.owned.reverse()) {
      try {
        await dispose()
      } catch (cause) {
        failures.push(cause)
      }
    }
    this.owned.length = 0
    if (failures.length > 0) throw new AggregateError(failures, 'disposal failed')
  }
}
