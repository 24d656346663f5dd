import { create } from 'zustand'

interface ComparisonFocus {
  /** A saved comparison that a run's Compare page is to open; null once it has. */
  readonly wanted: { readonly run: string; readonly id: string } | null
}

/** What another page asks the Compare page to show. */
export const comparisonFocus = create<ComparisonFocus>(() => ({ wanted: null }))

/** Asks the Compare page of a run to open a saved comparison. */
export function focusComparison(run: string, id: string): void {
  comparisonFocus.setState({ wanted: { run, id } })
}
