import type { Standing } from '@contract/releases'
import { create } from 'zustand'
import { engine, queryClient } from '../../api'
import { runQuery } from '../../api'
import { chainQuery } from './chain-feed'
import { choose, releaseSelection } from './release-selection'

/** Going back, from the confirmation until a person has seen how it ended. It outlives its dialog. */
export type RollbackAct =
  | { readonly kind: 'running'; readonly order: RollbackOrder; readonly since: number }
  | { readonly kind: 'done'; readonly order: RollbackOrder }
  | { readonly kind: 'failed'; readonly order: RollbackOrder; readonly thrown: unknown }

/** What a person asked for: an earlier release, a held one, or what was served before the last such act. */
export type ReleaseActKind = 'rollback' | 'promote' | 'undo'

export type RollbackOrder = {
  readonly act: ReleaseActKind
  readonly run: string
  readonly scenario: string | null
  /** Release whose content is wanted. */
  readonly step: number
  /** Served when it was asked for: what undo goes back to. */
  readonly before: number | null
  readonly way: 'api' | 'redeploy' | 'reopen'
  readonly why: string
  /** Experimental: going on from its iteration, optimizer included. */
  readonly withOptimizer?: boolean
  /** How the run stood in the plan that was confirmed; the act is refused when another came between. */
  readonly expect: Standing
}

interface ActStore {
  readonly byRun: ReadonlyMap<string, RollbackAct>
}

const acts = create<ActStore>(() => ({ byRun: new Map() }))

export function useRollbackAct(run: string): RollbackAct | null {
  return acts((store) => store.byRun.get(run) ?? null)
}

function put(run: string, act: RollbackAct | null): void {
  acts.setState((was) => {
    const byRun = new Map(was.byRun)
    if (act === null) byRun.delete(run)
    else byRun.set(run, act)
    return { byRun }
  })
}

/** The person has read how it ended. */
export function dismissAct(run: string): void {
  put(run, null)
}

/** Shows what is served now, unless the person has turned to another release meanwhile. */
function showServed({ run, step, act }: RollbackOrder): void {
  const chosen = releaseSelection.getState().byRun.get(run)?.step ?? null
  if (chosen === step || act === 'undo') choose(run, { step: null })
}

/** Goes back. A second order for a run whose first is under way is ignored. */
export async function startRollback(order: RollbackOrder): Promise<void> {
  if (acts.getState().byRun.get(order.run)?.kind === 'running') return
  put(order.run, { kind: 'running', order, since: Date.now() })
  const { run, scenario, step, why, act, expect, withOptimizer } = order
  const which = { run, why, expect, ...(scenario === null ? {} : { scenario }) }
  try {
    if (act === 'undo') await engine.releases.undo(which)
    else if (act === 'promote') await engine.releases.promote({ ...which, step })
    else await engine.releases.rollback({ ...which, step, withOptimizer })
    put(run, { kind: 'done', order })
    showServed(order)
  } catch (thrown) {
    put(run, { kind: 'failed', order, thrown })
  }
  // Streams bring both soon; asking makes it now, and also where no stream is open.
  void queryClient.invalidateQueries({ queryKey: chainQuery(run, scenario).queryKey })
  void queryClient.invalidateQueries({ queryKey: runQuery(run).queryKey })
}
