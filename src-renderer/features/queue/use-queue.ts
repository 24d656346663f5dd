import { skipToken, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { QueuedLaunch } from '@contract/queue'
import { engine } from '../../api/client'
import { follow, hold } from '../../api/follow'
import { queryClient } from '../../api/query-client'

const key = ['queue'] as const

/** Launches that wait, in the order they will start. */
export function useQueue(): readonly QueuedLaunch[] {
  useEffect(
    () =>
      hold('queue', () =>
        follow({
          open: (signal) => engine.queue.watch(undefined, { signal }),
          onValue: ({ queue }) => queryClient.setQueryData(key, queue)
        })
      ),
    []
  )
  return useQuery<readonly QueuedLaunch[]>({ queryKey: key, queryFn: skipToken }).data ?? []
}
