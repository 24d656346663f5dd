import type { ComparedSide } from '@contract/compare'
import { queryOptions } from '@tanstack/react-query'
import { engine } from '../../api'

/** What is compared, and how. */
export type Asked = {
  readonly sides: readonly ComparedSide[]
  /** Null: the engine takes the earliest. */
  readonly baseline: number | null
  readonly window: number
}

/** The same as the engine is told it. */
export const toldOf = ({ sides, baseline, window }: Asked) => ({
  sides: [...sides],
  window,
  ...(baseline === null ? {} : { baseline })
})

/** All sides of a comparison: numbers, results, settings. */
export const sidesQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['compare-sides', asked],
    queryFn: ({ signal }) => engine.compare.sides(toldOf(asked), { signal })
  })

/** One comparison that was kept, with what it came to then. */
export const savedOneQuery = (id: string) =>
  queryOptions({
    queryKey: ['saved-comparison', id],
    queryFn: ({ signal }) => engine.compare.savedOne({ id }, { signal })
  })

export const trialsQuery = queryOptions({
  queryKey: ['trials'],
  queryFn: ({ signal }) => engine.behaviour.trials(undefined, { signal }),
  // The command line makes and judges trials too.
  staleTime: 0
})

export const trialQuery = (id: string) =>
  queryOptions({
    queryKey: ['trial', id],
    queryFn: ({ signal }) => engine.behaviour.trial({ id }, { signal })
  })

export const promptSetsQuery = queryOptions({
  queryKey: ['prompt-sets'],
  queryFn: ({ signal }) => engine.behaviour.promptSets(undefined, { signal })
})
