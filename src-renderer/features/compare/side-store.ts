import type { ComparedSide } from '@contract/compare'
import { create } from 'zustand'
import type { Alignment } from '@contract/comparing'

export type CompareView = 'numbers' | 'weights' | 'settings' | 'behaviour' | 'results'

type Arrangement = {
  readonly view: CompareView
  /** Sides beyond the pair; runs, recipes and folders may be among them. */
  readonly more: readonly ComparedSide[]
  /** The later one is the baseline. */
  readonly swapped: boolean
  readonly alignment: Alignment
  /** Saved comparison shown in the place of the pair. */
  readonly opened: string | null
}

const PLAIN: Arrangement = {
  view: 'numbers',
  more: [],
  swapped: false,
  alignment: 'step',
  opened: null
}

const arrangements = create<{ readonly byRun: ReadonlyMap<string, Arrangement> }>(() => ({
  byRun: new Map()
}))

/** What a run's comparison shows beside its chosen pair. */
export function useArrangement(run: string): Arrangement {
  return arrangements((store) => store.byRun.get(run) ?? PLAIN)
}

export function arrange(run: string, change: Partial<Arrangement>): void {
  arrangements.setState(({ byRun }) => ({
    byRun: new Map(byRun).set(run, { ...(byRun.get(run) ?? PLAIN), ...change })
  }))
}

/** Adds a side; at most eight are compared at once. */
export function addSide(run: string, side: ComparedSide): void {
  const { more } = arrangements.getState().byRun.get(run) ?? PLAIN
  if (more.length >= 6) return
  if (more.some((one) => JSON.stringify(one) === JSON.stringify(side))) return
  arrange(run, { more: [...more, side] })
}

export function removeSide(run: string, index: number): void {
  const { more } = arrangements.getState().byRun.get(run) ?? PLAIN
  arrange(run, { more: more.filter((_, at) => at !== index) })
}
