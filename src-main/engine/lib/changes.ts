/**
 * Tells any number of watchers that something changed. Carries no value: a watcher that was slow sees one
 * change and reads the present state, so nothing queues up and nothing is shown late.
 */
export class Changes {
  private revision = 0
  private readonly waiting = new Set<() => void>()

  mark(): void {
    this.revision += 1
    const woken = [...this.waiting]
    this.waiting.clear()
    for (const wake of woken) wake()
  }

  /**
   * Yields once at once, then after every change, at most once in `pauseMs`; with `everyMs` also when that long passed
   * without one. Ends when `signal` aborts or the consumer breaks off.
   */
  async *watch(
    pauseMs: number,
    signal?: AbortSignal,
    everyMs?: number
  ): AsyncGenerator<void, void, undefined> {
    let seen = -1
    const ended = (): boolean => signal?.aborted === true
    while (!ended()) {
      if (seen === this.revision) await this.next(signal, everyMs)
      if (ended()) return
      seen = this.revision
      yield
      await resting(pauseMs, signal)
    }
  }

  private next(signal: AbortSignal | undefined, everyMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        this.waiting.delete(finish)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = everyMs === undefined ? undefined : setTimeout(finish, everyMs)
      this.waiting.add(finish)
      signal?.addEventListener('abort', finish, { once: true })
    })
  }
}

function resting(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0 || signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', finish, { once: true })
  })
}
