import { create } from 'zustand'

/** What is chosen among a run's releases. Curves, Releases and Compare share it. */
export type Choice = {
  /** Release under inspection. Null until one is chosen: then the served one stands in. */
  readonly step: number | null
  /** Second release, for comparing. */
  readonly other: number | null
  /** Scenario whose chain is shown; null is the run's first. */
  readonly scenario: string | null
}

const NOTHING: Choice = { step: null, other: null, scenario: null }

interface SelectionStore {
  readonly byRun: ReadonlyMap<string, Choice>
  readonly change: (run: string, change: Partial<Choice>) => void
}

export const releaseSelection = create<SelectionStore>((set) => ({
  byRun: new Map(),
  change: (run, change) =>
    set((was) => ({
      byRun: new Map(was.byRun).set(run, { ...(was.byRun.get(run) ?? NOTHING), ...change })
    }))
}))

export function useChoice(run: string): Choice {
  return releaseSelection((store) => store.byRun.get(run) ?? NOTHING)
}

/** Chooses a release from anywhere. */
export function choose(run: string, change: Partial<Choice>): void {
  releaseSelection.getState().change(run, change)
}

/** Marks or unmarks the second release of a pair. */
export function toggleOther(run: string, step: number): void {
  const now = releaseSelection.getState().byRun.get(run) ?? NOTHING
  choose(run, { other: now.other === step ? null : step })
}
