import { connection } from '../state/connection'

export interface Following<T> {
  /** Opens the stream. The signal ends it. */
  open: (signal: AbortSignal) => Promise<AsyncIterable<T>>
  onValue: (value: T) => void
  /** Told each time the stream broke; it is opened again afterwards. */
  onFailure?: (thrown: unknown) => void
  /** Milliseconds until a broken stream is opened again, when the engine is the same. */
  retryAfter?: number
}

/** Ends when the engine was swapped for a new one, when the time is over, or when asked to stop. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const generation = connection.getState().generation
    const timer = setTimeout(finish, milliseconds)
    const unsubscribe = connection.subscribe((now) => {
      if (now.generation !== generation) finish()
    })
    signal.addEventListener('abort', finish, { once: true })
    function finish(): void {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', finish)
      resolve()
    }
  })
}

/**
 * Keeps one engine stream open, whatever happens to the engine, until the returned function is called.
 * A stream that ended by itself is opened again too: the engine ends streams when it restarts.
 */
export function follow<T>(following: Following<T>): () => void {
  const controller = new AbortController()
  const { signal } = controller
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for await (const value of await following.open(signal)) {
          if (signal.aborted) return
          following.onValue(value)
        }
      } catch (thrown) {
        if (signal.aborted) return
        following.onFailure?.(thrown)
      }
      await pause(following.retryAfter ?? 1000, signal)
    }
  }
  void run()
  return () => controller.abort()
}

/** Streams by name, each open once however many parts of the page want it. */
const shared = new Map<string, { holders: number; stop: () => void }>()

/**
 * Holds a shared stream open; the first holder starts it and the last one leaving ends it.
 * @returns lets go
 */
export function hold(name: string, start: () => () => void): () => void {
  const existing = shared.get(name)
  const entry = existing ?? { holders: 0, stop: start() }
  if (existing === undefined) shared.set(name, entry)
  entry.holders += 1
  let held = true
  return () => {
    if (!held) return
    held = false
    entry.holders -= 1
    if (entry.holders > 0) return
    shared.delete(name)
    entry.stop()
  }
}
