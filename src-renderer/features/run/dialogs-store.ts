import { create } from 'zustand'

export type RunDialog = 'stop' | 'rename' | 'tags' | 'try-it' | 'restart'

interface RunDialogsStore {
  shown: RunDialog | null
  open: (dialog: RunDialog) => void
  close: () => void
}

/** Which dialog of the run page is open; one at a time. Button, menu and palette all open them here. */
export const runDialogs = create<RunDialogsStore>((set) => ({
  shown: null,
  open: (shown) => set({ shown }),
  close: () => set({ shown: null })
}))
