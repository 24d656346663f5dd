import type { ComparedSide } from '@contract/compare'
import { queryOptions } from '@tanstack/react-query'
import { engine } from '../../api'

/** All sides of a comparison: numbers, results, settings. The first one is the baseline. */
export const sidesQuery = (sides: readonly ComparedSide[]) =>
  queryOptions({
    queryKey: ['compare-sides', sides],
    queryFn: ({ signal }) => engine.compare.sides({ sides: [...sides], baseline: 0 }, { signal })
  })

/** Tables of results attached to a run. */
export const resultsQuery = (run: string) =>
  queryOptions({
    queryKey: ['results', run],
    queryFn: ({ signal }) => engine.compare.results({ run }, { signal })
  })
