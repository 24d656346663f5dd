import { compareReleases } from '../compare'
import { knowledgeOf } from '../metrics'
import { os } from './guard'
import type { Services } from './services'

/** Releases on each side that are averaged: enough for an interval, few enough to still be "around" the release. */
const COMPARED_WINDOW = 5

export function releaseHandlers({ runs }: Services) {
  return {
    chain: os.releases.chain.handler(({ input }) => runs.chain(input)),
    watch: os.releases.watch.handler(({ input, signal }) => runs.watchChain(input, signal)),
    compare: os.releases.compare.handler(async ({ input }) =>
      compareReleases({
        chain: (await runs.chain(input)).releases,
        a: input.a,
        b: input.b,
        window: COMPARED_WINDOW,
        directionOf: (key) => knowledgeOf(key).direction
      })
    ),
    rollbackPlan: os.releases.rollbackPlan.handler(({ input }) => runs.rollbackPlan(input)),
    rollback: os.releases.rollback.handler(({ input }) => runs.rollback(input)),
    promotePlan: os.releases.promotePlan.handler(({ input }) => runs.promotePlan(input)),
    undoPlan: os.releases.undoPlan.handler(({ input }) => runs.undoPlan(input)),
    undo: os.releases.undo.handler(({ input }) => runs.undo(input)),
    promote: os.releases.promote.handler(({ input }) => runs.promote(input))
  }
}
