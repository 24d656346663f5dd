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

/**
 * Resolves after `ms`, or at once when one of the signals aborts. Never rejects: the caller looks at the signals. Leaves
 * nothing behind at any of them, which may live far longer than the pause.
 */
export function pause(
  clock: Clock,
  ms: number,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some((signal) => signal?.aborted === true)) {
      resolve()
      return
    }
    const finish = (): void => {
      cancel()
      for (const signal of signals) signal?.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = clock.after(ms, finish)
    for (const signal of signals) signal?.addEventListener('abort', finish, { once: true })
  })
}
