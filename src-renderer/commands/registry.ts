import { useEffect } from 'react'
import { create } from 'zustand'

export type CommandGroup = 'go' | 'run' | 'list' | 'log' | 'curves' | 'app'

/** Something a person can do. Palette, shortcuts and cheat sheet all read these, so they cannot disagree. */
export interface Command {
  id: string
  /** In the current language. */
  title: string
  group: CommandGroup
  /** Chords that run it, the first one shown. */
  keys?: readonly string[]
  /** Why it cannot be done now; absent: it can. */
  off?: string | undefined
  /** Not offered in the palette: movements in a list and the like. */
  quiet?: boolean
  run: () => void
}

interface Registry {
  sets: readonly (readonly Command[])[]
  add: (commands: readonly Command[]) => void
  remove: (commands: readonly Command[]) => void
}

export const registry = create<Registry>((set) => ({
  sets: [],
  add: (commands) => set((was) => ({ sets: [...was.sets, commands] })),
  remove: (commands) => set((was) => ({ sets: was.sets.filter((each) => each !== commands) }))
}))

/** All commands that exist now. Of two with one id the later one wins: a page refines the frame. */
export function activeCommands(sets: readonly (readonly Command[])[]): Command[] {
  const byId = new Map<string, Command>()
  for (const command of sets.flat()) {
    byId.delete(command.id)
    byId.set(command.id, command)
  }
  return [...byId.values()]
}

/** Offers commands while the calling component is shown. Pass a memoised list. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    registry.getState().add(commands)
    return () => registry.getState().remove(commands)
  }, [commands])
}
