import { os } from './guard'
import type { Services } from './services'

export function releaseHandlers({ runs }: Services) {
  return {
    chain: os.releases.chain.handler(({ input }) => runs.chain(input)),
    watch: os.releases.watch.handler(({ input, signal }) => runs.watchChain(input, signal)),
    compare: os.releases.compare.handler(async ({ input }) =>
      (await runs.chain(input)).releases.map(() => []).flat()
    ),
    rollbackPlan: os.releases.rollbackPlan.handler(({ input }) => runs.rollbackPlan(input)),
    rollback: os.releases.rollback.handler(({ input }) => runs.rollback(input)),
    promote: os.releases.promote.handler(({ input }) => runs.promote(input))
  }
}
