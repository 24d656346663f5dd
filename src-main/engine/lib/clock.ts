/** Time as the engine sees it. Injected, so that tests decide what "now" is and no test waits for real seconds. */
export interface Clock {
  /** Unix milliseconds. May jump when the machine sleeps or its clock is set. */
  now(): number
  /** Monotonic milliseconds, for measuring how long something took. */
  ticks(): number
  /** Calls `run` once after `ms`; returns how to cancel. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => {
      clearTimeout(timer)
    }
  }
}

/** Resolves after `ms`, or at once when `signal` aborts. Never rejects: the caller looks at the signal. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve()
      return
    }
    const finish = (): void => {
      cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = clock.after(ms, finish)
    signal?.addEventListener('abort', finish, { once: true })
  })
}
