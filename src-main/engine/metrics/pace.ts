import type { Pace } from '../../contract/metrics'
import type { MetricStore, SeriesFacts } from './model'
import { attemptStarts } from './x-places'

/** Steps looked back on, and the one before them. */
const LOOKED_BACK = 11

/**
 * When the last steps came, how many are left, and when each attempt began to tell anything. Rollouts count where the stack numbers them, else optimizer steps;
 * both are counted from 0.
 * @param lastStep steps after which the stack ends; null for a stream.
 */
export async function stepPace(store: MetricStore, lastStep: number | null): Promise<Pace> {
  const all = store.series()
  const starts = [...attemptStarts(all)].map(([attempt, at]) => ({ attempt, at }))
  const counted = countedSeries(all)
  if (counted === null) return { times: [], left: lastStep, starts }
  const tail = await store.tail(counted.key, LOOKED_BACK)
  const newest = tail.at(-1)
  const left =
    lastStep === null ? null : Math.max(0, lastStep - (newest === undefined ? 0 : newest.x + 1))
  return { times: tail.map(({ at }) => at), left, starts }
}

/** The longest series of the newest attempt that numbers its steps. */
function countedSeries(all: readonly SeriesFacts[]): SeriesFacts | null {
  const attempt = Math.max(...all.map((series) => series.attempt))
  const now = all.filter((series) => series.attempt === attempt && series.count > 0)
  for (const axis of ['rollout', 'step'] as const) {
    const [longest] = now.filter((series) => series.axis === axis).sort((a, b) => b.count - a.count)
    if (longest !== undefined) return longest
  }
  return null
}
