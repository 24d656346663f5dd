import { create } from 'zustand'

export type RunTab =
  'curves' | 'releases' | 'compare' | 'stack' | 'log' | 'recipe' | 'preflight' | 'records' | 'notes'

export type SettingsSection = 'targets' | 'appearance' | 'keyboard' | 'about'

/** Every place of the window. */
export type Route =
  | { page: 'runs' }
  | { page: 'new'; recipe?: string }
  | { page: 'run'; id: string; tab: RunTab }
  | { page: 'recipes' }
  | { page: 'settings'; section: SettingsSection }

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

export const routes = create<RouteStore>((set) => ({
  entries: [{ page: 'runs' }],
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

export function useRoute(): Route {
  return routes((store) => store.entries[store.at]) ?? { page: 'runs' }
}

/** Goes to a place from anywhere, also outside components. */
export function go(route: Route): void {
  routes.getState().go(route)
}
