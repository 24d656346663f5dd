import { create } from 'zustand'
import type { LevelChoice } from './level'

interface LogView {
  /** Chosen source by run; a run without a choice shows its busiest one. */
  source: Readonly<Record<string, string>>
  level: LevelChoice
  search: string
  following: boolean
  setSource: (run: string, source: string) => void
  setLevel: (level: LevelChoice) => void
  setSearch: (search: string) => void
  setFollowing: (following: boolean) => void
}

/** How logs are looked at. The dock and the Log tab share it: they are two sizes of one view. */
export const logView = create<LogView>((set) => ({
  source: {},
  level: 'all',
  search: '',
  following: true,
  setSource: (run, source) =>
    set((was) => ({ source: { ...was.source, [run]: source }, following: true })),
  setLevel: (level) => set({ level }),
  setSearch: (search) => set({ search }),
  setFollowing: (following) => set({ following })
}))
