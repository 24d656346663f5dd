import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(tick, 1000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Unix milliseconds, once a second, one timer for the whole page. Runs only while something shows an age. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/**
 * What follows from the time, once a second; renders only when that is another value.
 * @param of From Unix milliseconds to a value that is compared by identity.
 */
export function useFromNow<T extends number | string | boolean | null>(of: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => of(now))
}

/** A moment of the current day, Unix milliseconds. Changes at midnight alone, for what tells days apart and no seconds. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, () => new Date(now).setHours(0, 0, 0, 0))
}
