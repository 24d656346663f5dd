import type { Series } from './series'

/** Times before this (2000) are no dates. A table may count its seconds from 0; a log says no date before its first stamp. */
const DATED = Date.UTC(2000, 0, 1)

/**
 * Least `at` (Unix milliseconds) of a series that is a time. Null when nothing of it is: imported files that do not say
 * when leave 0 with every sample. Of a series that goes on to say dates, what stands before them has no time.
 */
export function timesFrom({ last }: Pick<Series, 'last'>): number | null {
  if (last === null || last.at <= 0) return null
  return last.at >= DATED ? DATED : -Infinity
}
