import { defaultPanels, rewardSource, stepPace, type MetricStore } from '../metrics'
import { os } from './guard'
import type { Services } from './services'

// Charts are redrawn at most this often; a fallback look catches what another engine wrote.
const PAUSE_MS = 30
const LOOK_EVERY_MS = 500

export function metricHandlers({ runs, metrics }: Services) {
  const storeOf = (run: string): Promise<MetricStore> => metrics.of(runs.paths(run).metrics)

  async function* watch(
    run: string,
    signal: AbortSignal | undefined
  ): AsyncGenerator<{ revision: number }, void, undefined> {
    let shown = -1
    const leave = runs.attend(run)
    try {
      for await (const _ of runs.store.samples.watch(PAUSE_MS, signal, LOOK_EVERY_MS)) {
        void _
        const { revision } = await storeOf(run)
        if (revision === shown) continue
        shown = revision
        yield { revision }
      }
    } finally {
      leave()
    }
  }

  return {
    keys: os.metrics.keys.handler(async ({ input }) => (await storeOf(input.run)).keys()),
    series: os.metrics.series.handler(async ({ input }) => {
      const { numbers, ...answer } = await (await storeOf(input.run)).query(input)
      return { ...answer, numbers: Buffer.from(numbers.buffer).toString('base64') }
    }),
    panels: os.metrics.panels.handler(async ({ input }) => {
      const [store, detail] = await Promise.all([storeOf(input.run), runs.get(input.run)])
      return defaultPanels(
        detail.summary.recipe.family,
        store.keys().map(({ key }) => key),
        rewardSource(store.series())
      )
    }),
    pace: os.metrics.pace.handler(async ({ input }) => {
      const [store, record] = await Promise.all([storeOf(input.run), runs.store.read(input.run)])
      return stepPace(store, record.attempts.at(-1)?.plan.lastStep ?? null)
    }),
    watch: os.metrics.watch.handler(({ input, signal }) => watch(input.run, signal))
  }
}
