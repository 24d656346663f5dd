import { create } from 'zustand'

interface Layout {
  /** Log dock under the curves. */
  logDock: boolean
  paletteOpen: boolean
  cheatSheetOpen: boolean
  toggleLogDock: () => void
  setPalette: (open: boolean) => void
  setCheatSheet: (open: boolean) => void
}

/** What is open on the screen; nothing here outlives the window. */
export const layout = create<Layout>((set) => ({
  logDock: true,
  paletteOpen: false,
  cheatSheetOpen: false,
  toggleLogDock: () => set((was) => ({ logDock: !was.logDock })),
  setPalette: (open) => set({ paletteOpen: open }),
  setCheatSheet: (open) => set({ cheatSheetOpen: open })
}))
