import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { LogSource, Progress } from '@contract/logs'
import { engine } from '../../api/client'
import { logSourcesQuery } from '../../api/queries'
import { useLogsStream } from '../../api/streams'
import { firstSource, levelsOf, type LevelChoice } from './level'
import { LineCache } from './line-cache'
import { logView } from './log-store'
import { SearchRun } from './search-run'
import type { Sought } from './split-match'

export interface LogSources {
  sources: readonly LogSource[]
  progress: readonly Progress[]
  source: LogSource | undefined
  failure: unknown
}

const NONE: readonly never[] = []

/** The log sources of a run, kept fresh, and the one that is shown. */
export function useLogSources(run: string): LogSources {
  useLogsStream(run)
  const query = useQuery(logSourcesQuery(run))
  const chosen = logView((store) => store.source[run])
  const sources = query.data?.sources ?? NONE
  const source = sources.find((each) => each.id === chosen) ?? firstSource(sources)
  return {
    sources,
    progress: query.data?.progress ?? NONE,
    source,
    failure: query.data === undefined ? query.error : null
  }
}

/** A cache of lines for one source; a new one when the source changes. */
export function useLines(run: string, source: string): LineCache {
  const cache = useMemo(
    () =>
      new LineCache(async (from, count) => {
        const { lines } = await engine.logs.read({ run, source, from, count })
        return lines
      }),
    [run, source]
  )
  useSyncExternalStore(cache.subscribe, cache.snapshot)
  return cache
}

/** A search that follows the source; null while nothing is sought and every level is shown. */
export function useSearch(
  run: string,
  source: LogSource | undefined,
  sought: Sought,
  level: LevelChoice
) {
  const { text, regex, caseSensitive } = sought
  const id = source?.id
  const total = source?.lines ?? 0
  const search = useMemo(() => {
    if (id === undefined || (text === '' && level === 'all')) return null
    const levels = levelsOf(level)
    return new SearchRun((after) =>
      engine.logs.search({
        run,
        source: id,
        filter: {
          ...(text === '' ? {} : { text, regex, caseSensitive }),
          ...(levels === undefined ? {} : { levels })
        },
        after
      })
    )
  }, [run, id, text, regex, caseSensitive, level])
  useEffect(() => () => search?.stop(), [search])
  useEffect(() => search?.grow(total), [search, total])
  const found = useSyncExternalStore(search?.subscribe ?? never, search?.snapshot ?? nothing)
  return search === null ? null : found
}

const never = (): (() => void) => () => undefined
const nothing = (): null => null
