import { create } from 'zustand'

export type RunsView =
  | { kind: 'all' }
  | { kind: 'active' }
  | { kind: 'attention' }
  | { kind: 'archived' }
  | { kind: 'target'; id: string }
  | { kind: 'tag'; tag: string }

interface RunsViewStore {
  view: RunsView
  filter: string
  /** Ids of picked runs, in the order they were picked. */
  selected: readonly string[]
  /** Id of the row the keyboard is on. */
  cursor: string | null
  folded: readonly string[]
  setView: (view: RunsView) => void
  setFilter: (filter: string) => void
  toggle: (id: string) => void
  clear: () => void
  setCursor: (id: string | null) => void
  toggleFold: (group: string) => void
}

function toggled(list: readonly string[], item: string): readonly string[] {
  return list.includes(item) ? list.filter((each) => each !== item) : [...list, item]
}

/** How the list of runs is looked at. It stays while the person is elsewhere in the window. */
export const runsView = create<RunsViewStore>((set) => ({
  view: { kind: 'all' },
  filter: '',
  selected: [],
  cursor: null,
  folded: [],
  setView: (view) => set({ view, cursor: null }),
  setFilter: (filter) => set({ filter, cursor: null }),
  toggle: (id) => set((was) => ({ selected: toggled(was.selected, id) })),
  clear: () => set({ selected: [] }),
  setCursor: (cursor) => set({ cursor }),
  toggleFold: (group) => set((was) => ({ folded: toggled(was.folded, group) }))
}))
