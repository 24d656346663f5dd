import { defaultPanels, rewardSource, type MetricStore } from '../metrics'
import { os } from './guard'
import type { Services } from './services'

// Charts are redrawn at most this often; a fallback look catches what another engine wrote.
const PAUSE_MS = 125
const LOOK_EVERY_MS = 500

export function metricHandlers({ runs, metrics }: Services) {
  const storeOf = (run: string): Promise<MetricStore> => metrics.of(runs.paths(run).metrics)

  async function* watch(
    run: string,
    signal: AbortSignal | undefined
  ): AsyncGenerator<{ revision: number }, void, undefined> {
    let shown = -1
    for await (const _ of runs.store.changes.watch(PAUSE_MS, signal, LOOK_EVERY_MS)) {
      void _
      const { revision } = await storeOf(run)
      if (revision === shown) continue
      shown = revision
      yield { revision }
    }
  }

  return {
    keys: os.metrics.keys.handler(async ({ input }) => (await storeOf(input.run)).keys()),
    series: os.metrics.series.handler(async ({ input }) => (await storeOf(input.run)).query(input)),
    panels: os.metrics.panels.handler(async ({ input }) => {
      const [store, detail] = await Promise.all([storeOf(input.run), runs.get(input.run)])
      return defaultPanels(
        detail.summary.recipe.family,
        store.keys().map(({ key }) => key),
        rewardSource(store.series())
      )
    }),
    watch: os.metrics.watch.handler(({ input, signal }) => watch(input.run, signal))
  }
}
