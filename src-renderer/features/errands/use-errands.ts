import { skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Errand, ErrandView } from '@contract/errands'
import { engine } from '../../api/client'
import { follow, hold } from '../../api/follow'
import { queryClient } from '../../api/query-client'

const key = ['errands'] as const

/** Builds and clones of this session, newest first. */
export function useErrands(): readonly Errand[] {
  useEffect(
    () =>
      hold('errands', () =>
        follow({
          open: (signal) => engine.errands.watch(undefined, { signal }),
          onValue: ({ errands }) => queryClient.setQueryData(key, errands)
        })
      ),
    []
  )
  return useQuery<readonly Errand[]>({ queryKey: key, queryFn: skipToken }).data ?? []
}

/** One errand with the end of its log, as it goes on. */
export function useErrand(id: string | null): ErrandView | null {
  const [view, setView] = useState<ErrandView | null>(null)
  useEffect(() => {
    if (id === null) return undefined
    const stop = follow({
      open: (signal) => engine.errands.follow({ id }, { signal }),
      onValue: (next) => {
        setView(next)
        if (next.endedAt !== null) stop()
      }
    })
    return stop
  }, [id])
  return view?.id === id ? view : null
}
