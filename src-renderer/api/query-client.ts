import { notifyManager, QueryClient } from '@tanstack/react-query'
import { alone } from '../state/alone'
import { connection } from '../state/connection'

/** Milliseconds over which answers are gathered that come one by one, such as those of all charts in sight. */
const GATHER = 8

/** Runs what is told within `GATHER` as one task, so that the page is rendered once for it and not once for each. */
export function gathered(): (tell: () => void) => void {
  let waiting: (() => void)[] = []
  return (tell) => {
    waiting.push(tell)
    if (waiting.length > 1) return
    setTimeout(() => {
      const all = waiting
      waiting = []
      for (const each of all) alone(each)
    }, GATHER)
  }
}

notifyManager.setScheduler(gathered())

/** Facts of the engine. Streams keep them fresh, so nothing is polled and focus changes fetch nothing. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      retry: false,
      refetchOnWindowFocus: false,
      networkMode: 'always'
    },
    mutations: { retry: false, networkMode: 'always' }
  }
})

/**
 * After the engine was started again everything known may be old: asks for all of it anew.
 * @returns stops watching
 */
export function refetchOnNewEngine(client: QueryClient): () => void {
  return connection.subscribe((now, before) => {
    if (now.generation !== before.generation && now.generation > 1) void client.invalidateQueries()
  })
}
