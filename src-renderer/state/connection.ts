import { create } from 'zustand'

interface Connection {
  /** `waiting`: none yet since the page opened. `lost`: the engine ended and is being started again. */
  status: 'waiting' | 'connected' | 'lost'
  /** Counts the ports there have been. */
  generation: number
  connected: () => void
  lost: () => void
}

/** Whether the page can reach the engine. */
export const connection = create<Connection>((set) => ({
  status: 'waiting',
  generation: 0,
  connected: () => set((was) => ({ status: 'connected', generation: was.generation + 1 })),
  lost: () => set({ status: 'lost' })
}))
