import { create } from 'zustand'
import type { LevelChoice } from './level'

interface LogView {
  /** Chosen source by run; a run without a choice shows its busiest one. */
  source: Readonly<Record<string, string>>
  level: LevelChoice
  search: string
  regex: boolean
  caseSensitive: boolean
  /** A line to bring into view and mark, until another is asked for. */
  target: { readonly run: string; readonly source: string; readonly line: number } | null
  following: boolean
  setSource: (run: string, source: string) => void
  setLevel: (level: LevelChoice) => void
  setSearch: (search: string) => void
  setRegex: (regex: boolean) => void
  setCaseSensitive: (caseSensitive: boolean) => void
  /** Shows a line among all others. */
  show: (run: string, source: string, line: number) => void
  setFollowing: (following: boolean) => void
}

/** How logs are looked at. The dock and the Log tab share it: they are two sizes of one view. */
export const logView = create<LogView>((set) => ({
  source: {},
  level: 'all',
  search: '',
  regex: false,
  caseSensitive: false,
  target: null,
  following: true,
  setSource: (run, source) =>
    set((was) => ({ source: { ...was.source, [run]: source }, following: true })),
  setLevel: (level) => set({ level }),
  setSearch: (search) => set({ search }),
  setRegex: (regex) => set({ regex }),
  setCaseSensitive: (caseSensitive) => set({ caseSensitive }),
  show: (run, source, line) =>
    set((was) => ({
      source: { ...was.source, [run]: source },
      target: { run, source, line },
      level: 'all',
      search: '',
      following: false
    })),
  setFollowing: (following) => set({ following })
}))
