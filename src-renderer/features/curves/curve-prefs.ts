import type { Smoothing } from '@contract/metrics'
import { create } from 'zustand'
import type { AxisKind } from '../../charts'

/** How a person looks at curves. The same for every run of the window. */
interface CurvePrefs {
  readonly axis: AxisKind
  /** The metric on the x axis, where that is one. */
  readonly axisKey: string | null
  readonly smoothing: Smoothing
  readonly log: boolean
  /** Value axes for the ordinary values; what is rare is cut at the edge. */
  readonly clip: boolean
  /** Published numbers as lines. */
  readonly papers: boolean
  readonly panels: 'default' | 'all'
  readonly inspector: boolean
  readonly change: (change: Partial<Omit<CurvePrefs, 'change'>>) => void
}

export const curvePrefs = create<CurvePrefs>((set) => ({
  axis: 'step',
  axisKey: null,
  smoothing: { kind: 'ema', weight: 0.9 },
  log: false,
  clip: false,
  papers: false,
  panels: 'default',
  inspector: true,
  change: (change) => set(change)
}))

/** The same kind again with its usual strength, when a person switches kinds. */
export function usualSmoothing(kind: Smoothing['kind']): Smoothing {
  switch (kind) {
    case 'none':
      return { kind }
    case 'ema':
      return { kind, weight: 0.9 }
    case 'gaussian':
      return { kind, sigma: 4 }
    case 'mean':
    case 'median':
      return { kind, window: 10 }
  }
}
