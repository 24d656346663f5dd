/**
 * Requests for the page, in order. What arrives while nobody listens waits for the next listener,
 * so that a file opened before the page was there is not lost.
 */
export class Inbox<T> {
  private readonly waiting: T[] = []
  private wake: (() => void) | null = null

  put(item: T): void {
    this.waiting.push(item)
    this.wake?.()
  }

  async *read(signal?: AbortSignal): AsyncGenerator<T, void, void> {
    while (signal?.aborted !== true) {
      const next = this.waiting.shift()
      if (next !== undefined) yield next
      else await this.arrival(signal)
    }
  }

  private arrival(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', done)
        if (this.wake === done) this.wake = null
        resolve()
      }
      this.wake = done
      signal?.addEventListener('abort', done, { once: true })
    })
  }
}
