import { QueryClient } from '@tanstack/react-query'
import { connection } from '../state/connection'

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
