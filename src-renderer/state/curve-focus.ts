import { create } from 'zustand'

interface CurveFocus {
  /** A step of a run that the curves are to bring into view; null once they have. */
  readonly wanted: { readonly run: string; readonly step: number } | null
}

/** What another page asks the curves to show. */
export const curveFocus = create<CurveFocus>(() => ({ wanted: null }))

/** Asks the curves of a run to bring a step into view. */
export function focusCurves(run: string, step: number): void {
  curveFocus.setState({ wanted: { run, step } })
}
