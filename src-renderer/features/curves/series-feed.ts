import type { SeriesQuery } from '@contract/metrics'
import { queryOptions } from '@tanstack/react-query'
import { engine, follow, hold, queryClient } from '../../api'
import { decodeAnswer, type ChartData } from '../../charts'
import { paced } from './paced'

/** Least milliseconds between two redraws of live curves; many or long curves are redrawn less often. */
const REDRAW = 50
/** Milliseconds between two looks at which keys and panels there are. */
const RELIST = 2000
/** Milliseconds an answer of a left range is kept: for going back at once, not for keeping a month of data in the page. */
const KEPT = 10_000
/** Times of the last batches of samples, for telling silence from a slow pace. */
const ARRIVALS = 12

/** Points of another axis would stand anywhere on this one, and stretch it. */
function sameAxis(a: SeriesQuery, b: SeriesQuery): boolean {
  return a.axis === b.axis && a.by === b.by
}

/** Curves of one panel. The key carries all that changes the answer, the width included. */
export const seriesQuery = (query: SeriesQuery) =>
  queryOptions({
    queryKey: ['series', query.run, query] as const,
    queryFn: async ({ signal }) => decodeAnswer(await engine.metrics.series(query, { signal })),
    gcTime: KEPT,
    structuralSharing: false,
    placeholderData: (data: ChartData | undefined, before): ChartData | undefined =>
      before !== undefined && sameAxis(before.queryKey[2], query) ? data : undefined
  })

export const keysQuery = (run: string) =>
  queryOptions({
    queryKey: ['metric-keys', run],
    queryFn: ({ signal }) => engine.metrics.keys({ run }, { signal })
  })

export const panelsQuery = (run: string) =>
  queryOptions({
    queryKey: ['metric-panels', run],
    queryFn: ({ signal }) => engine.metrics.panels({ run }, { signal })
  })

export const paceQuery = (run: string) =>
  queryOptions({
    queryKey: ['metric-pace', run],
    queryFn: ({ signal }) => engine.metrics.pace({ run }, { signal })
  })

const arrivals = new Map<string, number[]>()

/** When batches of a run's samples came, oldest first, as far as this page has seen. */
export function arrivalsOf(run: string): readonly number[] {
  return arrivals.get(run) ?? []
}

/** Keeps a run's curves fresh: latest wins, at most about twenty redraws a second. Returns what ends it. */
export function holdMetrics(run: string): () => void {
  return hold(`metrics/${run}`, () => {
    const redraw = paced(REDRAW, () => queryClient.invalidateQueries({ queryKey: ['series', run] }))
    const relist = paced(RELIST, async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery(run).queryKey })
      await queryClient.invalidateQueries({ queryKey: panelsQuery(run).queryKey })
      await queryClient.invalidateQueries({ queryKey: paceQuery(run).queryKey })
    })
    const stop = follow({
      open: (signal) => engine.metrics.watch({ run }, { signal }),
      onValue: () => {
        arrivals.set(run, [...arrivalsOf(run), Date.now()].slice(-ARRIVALS))
        redraw.ask()
        relist.ask()
      }
    })
    return () => {
      stop()
      redraw.end()
      relist.end()
    }
  })
}
