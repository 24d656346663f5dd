import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { engine, follow, hold, queryClient } from '../../api'
import { useChoice } from './release-selection'

const which = (run: string, scenario: string | null) =>
  scenario === null ? { run } : { run, scenario }

/** The chain of one scenario, newest first. */
export const chainQuery = (run: string, scenario: string | null) =>
  queryOptions({
    queryKey: ['chain', run, scenario],
    queryFn: ({ signal }) => engine.releases.chain(which(run, scenario), { signal }),
    // Rows are compared by the virtual list anyway; walking 20,000 of them for each update costs more than it saves.
    structuralSharing: false
  })

/** What going back to a release would do. Never kept: it must be true when it is read. */
export const rollbackPlanQuery = (run: string, scenario: string | null, step: number) =>
  queryOptions({
    queryKey: ['rollback-plan', run, scenario, step],
    queryFn: ({ signal }) =>
      engine.releases.rollbackPlan({ ...which(run, scenario), step }, { signal }),
    gcTime: 0,
    staleTime: 0
  })

/** Two releases side by side. */
export const compareQuery = (
  run: string,
  scenario: string | null,
  pair: { a: number; b: number }
) =>
  queryOptions({
    queryKey: ['compare', run, scenario, pair.a, pair.b],
    queryFn: ({ signal }) =>
      engine.releases.compare({ ...which(run, scenario), a: pair.a, b: pair.b }, { signal })
  })

/** Keeps a chain fresh; returns what ends it. */
export function holdChain(run: string, scenario: string | null): () => void {
  return hold(`chain/${run}/${scenario ?? ''}`, () =>
    follow({
      open: (signal) => engine.releases.watch(which(run, scenario), { signal }),
      onValue: (chain) => queryClient.setQueryData(chainQuery(run, scenario).queryKey, chain)
    })
  )
}

/** The chain of the chosen scenario, live. */
export function useChain(run: string) {
  const { scenario } = useChoice(run)
  useEffect(() => holdChain(run, scenario), [run, scenario])
  return useQuery(chainQuery(run, scenario))
}
