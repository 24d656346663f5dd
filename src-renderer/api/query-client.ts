import { notifyManager, QueryClient } from '@tanstack/react-query'
import { alone } from '../state/alone'
import { connection } from '../state/connection'

/** Milliseconds over which answers are gathered that come one by one, such as those of all charts in sight. */
const GATHER = 8

/** Answers told in one task. The page is rendered at its end: a dozen charts at once would hold it up. */
const AT_ONCE = 3

/**
 * Runs what is told within `GATHER` together, so that the page is rendered once for a few and not once for each. What is
 * more than `AT_ONCE` follows in tasks of its own, between which the page can answer a person.
 */
export function gathered(): (tell: () => void) => void {
  const waiting: (() => void)[] = []
  let planned = false
  const plan = (after: number): void => {
    planned = true
    setTimeout(tellSome, after)
  }
  const tellSome = (): void => {
    const some = waiting.splice(0, AT_ONCE)
    const more = waiting.length > 0
    for (const each of some) alone(each)
    planned = false
    if (waiting.length > 0) plan(more ? 0 : GATHER)
  }
  return (tell) => {
    waiting.push(tell)
    if (!planned) plan(GATHER)
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
