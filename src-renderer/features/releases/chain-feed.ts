import type { Chain } from '@contract/releases'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { engine, follow, hold, queryClient } from '../../api'
import { ChainAssembly, firstChain } from './chain-assembly'
import { useChoice } from './release-selection'

const which = (run: string, scenario: string | null) =>
  scenario === null ? { run } : { run, scenario }

const nameOfStream = (run: string, scenario: string | null): string =>
  `chain/${run}/${scenario ?? ''}`

/** Chains that streams which are held open are about to bring: thousands of rows are not asked for a second time. */
const coming = new Map<string, Promise<Chain>>()

/** The first chain of a stream that is held open; null when none is, or it broke or was let go before it came. */
async function heldChain(run: string, scenario: string | null): Promise<Chain | null> {
  // Why it broke is told by the stream that is asked next.
  return (await coming.get(nameOfStream(run, scenario))?.catch(() => null)) ?? null
}

/** The chain of one scenario, newest first. It comes in parts: thousands of rows at once would hold the page up. */
export const chainQuery = (run: string, scenario: string | null) =>
  queryOptions({
    queryKey: ['chain', run, scenario],
    queryFn: async ({ signal }) =>
      (await heldChain(run, scenario)) ??
      firstChain(await engine.releases.watch(which(run, scenario), { signal })),
    // Rows are compared by the virtual list anyway; walking 20,000 of them for each update costs more than it saves.
    structuralSharing: false
  })

/** What an act on what is served would do. Never kept: it must be true when it is read. */
export const actPlanQuery = (
  run: string,
  scenario: string | null,
  {
    act,
    step,
    withOptimizer = false
  }: { act: 'rollback' | 'promote' | 'undo'; step: number; withOptimizer?: boolean }
) =>
  queryOptions({
    queryKey: ['act-plan', run, scenario, act, step, withOptimizer],
    queryFn: ({ signal }) => {
      const asked = which(run, scenario)
      switch (act) {
        case 'rollback':
          return engine.releases.rollbackPlan({ ...asked, step, withOptimizer }, { signal })
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
  const name = nameOfStream(run, scenario)
  return hold(name, () => {
    const first = announce(name)
    // Each stream begins anew, also after it broke.
    const assembly = new ChainAssembly()
    const stop = follow({
      open: (signal) => engine.releases.watch(which(run, scenario), { signal }),
      onValue: (part) => {
        const chain = assembly.add(part)
        if (chain === null) return
        first.come(chain)
        queryClient.setQueryData(chainQuery(run, scenario).queryKey, chain)
      },
      onFailure: first.fail
    })
    return () => {
      stop()
      first.fail(new Error('nobody holds this chain any more'))
    }
  })
}

/** Says that a chain is about to come; the first of `come` and `fail` settles it. */
function announce(name: string): {
  come: (chain: Chain) => void
  fail: (thrown: unknown) => void
} {
  let settle: { come: (chain: Chain) => void; fail: (thrown: unknown) => void } | null = null
  const promise = new Promise<Chain>((come, fail) => {
    settle = { come, fail }
  })
  // Nobody may be waiting for it.
  promise.catch(() => undefined)
  coming.set(name, promise)
  const done = (): void => {
    if (coming.get(name) === promise) coming.delete(name)
  }
  return {
    come: (chain) => {
      done()
      settle?.come(chain)
    },
    fail: (thrown) => {
      done()
      settle?.fail(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }
}

/** The chain of the chosen scenario, live. */
export function useChain(run: string) {
  const { scenario } = useChoice(run)
  useEffect(() => holdChain(run, scenario), [run, scenario])
  return useQuery(chainQuery(run, scenario))
}
