import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { engine, follow, hold, queryClient } from '../../api'
import { ChainAssembly, firstChain } from './chain-assembly'
import { useChoice } from './release-selection'

const which = (run: string, scenario: string | null) =>
  scenario === null ? { run } : { run, scenario }

/** The chain of one scenario, newest first. It comes in parts: thousands of rows at once would hold the page up. */
export const chainQuery = (run: string, scenario: string | null) =>
  queryOptions({
    queryKey: ['chain', run, scenario],
    queryFn: async ({ signal }) =>
      firstChain(await engine.releases.watch(which(run, scenario), { signal })),
    // Rows are compared by the virtual list anyway; walking 20,000 of them for each update costs more than it saves.
    structuralSharing: false
  })

/** What an act on what is served would do. Never kept: it must be true when it is read. */
export const actPlanQuery = (
  run: string,
  scenario: string | null,
  { act, step }: { act: 'rollback' | 'promote' | 'undo'; step: number }
) =>
  queryOptions({
    queryKey: ['act-plan', run, scenario, act, step],
    queryFn: ({ signal }) => {
      const asked = which(run, scenario)
      switch (act) {
        case 'rollback':
          return engine.releases.rollbackPlan({ ...asked, step }, { signal })
        case 'promote':
          return engine.releases.promotePlan({ ...asked, step }, { signal })
        case 'undo':
          return engine.releases.undoPlan(asked, { signal })
      }
    },
    gcTime: 0,
    staleTime: 0
  })

/** Whether there is something to undo, asked again whenever another release is served. */
export const undoableQuery = (run: string, scenario: string | null, served: number | null) =>
  queryOptions({
    queryKey: ['undoable', run, scenario, served],
    queryFn: async ({ signal }) =>
      (await engine.releases.undoPlan(which(run, scenario), { signal })).way !== 'refused'
  })

/** One release in full. What it learnt from is only told while the service answers, so it is asked for each time. */
export const detailQuery = (run: string, scenario: string | null, step: number) =>
  queryOptions({
    queryKey: ['release-detail', run, scenario, step],
    queryFn: ({ signal }) => engine.releases.detail({ ...which(run, scenario), step }, { signal })
  })

/** A file of a harness release against the release it was made from. */
export const harnessDiffQuery = (
  run: string,
  scenario: string | null,
  step: number,
  path: string
) =>
  queryOptions({
    queryKey: ['harness-diff', run, scenario, step, path],
    queryFn: ({ signal }) =>
      engine.releases.harnessDiff({ ...which(run, scenario), step, path }, { signal })
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
  return hold(`chain/${run}/${scenario ?? ''}`, () => {
    // Each stream begins anew, also after it broke.
    const assembly = new ChainAssembly()
    return follow({
      open: (signal) => engine.releases.watch(which(run, scenario), { signal }),
      onValue: (part) => {
        const chain = assembly.add(part)
        if (chain !== null) queryClient.setQueryData(chainQuery(run, scenario).queryKey, chain)
      }
    })
  })
}

/** The chain of the chosen scenario, live. */
export function useChain(run: string) {
  const { scenario } = useChoice(run)
  useEffect(() => holdChain(run, scenario), [run, scenario])
  return useQuery(chainQuery(run, scenario))
}
