import { create } from 'zustand'
import { readRoute } from './kept-route'
import type { Route } from './place'

export type { Route, RunTab, SettingsSection } from './place'

interface RouteStore {
  /** Where the person was, oldest first; `at` is where they are. Never empty. */
  entries: readonly Route[]
  at: number
  /** Goes to a place; what lay ahead of here is forgotten. Going where one is does nothing. */
  go: (route: Route) => void
  /** Goes to a place that takes the present one's room in the history. */
  replace: (route: Route) => void
  back: () => void
  forward: () => void
}

const LONGEST = 100

function same(a: Route | undefined, b: Route): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Where the place is kept for a reload of the page. It ends with the window. */
const KEPT_AS = 'slipway-route'

export const routes = create<RouteStore>((set) => ({
  entries: [readRoute(globalThis.sessionStorage?.getItem(KEPT_AS) ?? null)],
  at: 0,
  go: (route) =>
    set((was) => {
      if (same(was.entries[was.at], route)) return was
      const entries = [...was.entries.slice(0, was.at + 1), route].slice(-LONGEST)
      return { entries, at: entries.length - 1 }
    }),
  replace: (route) =>
    set((was) => ({ entries: was.entries.map((entry, i) => (i === was.at ? route : entry)) })),
  back: () => set((was) => ({ at: Math.max(0, was.at - 1) })),
  forward: () => set((was) => ({ at: Math.min(was.entries.length - 1, was.at + 1) }))
}))

routes.subscribe(({ entries, at }) =>
  globalThis.sessionStorage?.setItem(KEPT_AS, JSON.stringify(entries[at] ?? null))
)

export function useRoute(): Route {
  return routes((store) => store.entries[store.at]) ?? { page: 'runs' }
}

/** Goes to a place from anywhere, also outside components. */
export function go(route: Route): void {
  routes.getState().go(route)
}
