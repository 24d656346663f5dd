import type { KeyInfo, SeriesQuery } from '@contract/metrics'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { engine, follow, hold, queryClient } from '../../api'
import { decodeAnswer } from '../../charts'
import { paced } from './paced'

/** Milliseconds between two redraws of live curves: about four a second. */
const REDRAW = 250
/** Milliseconds between two looks at which keys and panels there are. */
const RELIST = 2000
/** Milliseconds an answer of a left range is kept: for going back at once, not for keeping a month of data in the page. */
const KEPT = 10_000
/** Times of the last batches of samples, for telling silence from a slow pace. */
const ARRIVALS = 12

/** Curves of one panel. The key carries all that changes the answer, the width included. */
export const seriesQuery = (query: SeriesQuery) =>
  queryOptions({
    queryKey: ['series', query.run, query] as const,
    queryFn: async ({ signal }) => decodeAnswer(await engine.metrics.series(query, { signal })),
    gcTime: KEPT,
    structuralSharing: false,
    placeholderData: keepPreviousData
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

/** The newest optimizer step the stack has logged, as its own lines and the x axis number it; null before one. */
export function newestStep(keys: readonly KeyInfo[]): number | null {
  return keys.reduce<number | null>((newest, { axis, last }) => {
    if (axis !== 'step' || last === null) return newest
    return newest === null ? last.x : Math.max(newest, last.x)
  }, null)
}

const arrivals = new Map<string, number[]>()

/** When batches of a run's samples came, oldest first, as far as this page has seen. */
export function arrivalsOf(run: string): readonly number[] {
  return arrivals.get(run) ?? []
}

/** Keeps a run's curves fresh: latest wins, at most about four redraws a second. Returns what ends it. */
export function holdMetrics(run: string): () => void {
  return hold(`metrics/${run}`, () => {
    const redraw = paced(REDRAW, () => queryClient.invalidateQueries({ queryKey: ['series', run] }))
    const relist = paced(RELIST, async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery(run).queryKey })
      await queryClient.invalidateQueries({ queryKey: panelsQuery(run).queryKey })
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
