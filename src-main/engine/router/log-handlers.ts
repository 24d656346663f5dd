import type { LogSource, Progress } from '../../contract/logs'
import { os } from './guard'
import type { Services } from './services'

const PAUSE_MS = 125
const LOOK_EVERY_MS = 500

export function logHandlers({ runs, logs }: Services) {
  async function* watch(
    run: string,
    signal: AbortSignal | undefined
  ): AsyncGenerator<{ sources: LogSource[]; progress: Progress[] }, void, undefined> {
    let shown = ''
    const leave = runs.attend(run)
    try {
      for await (const _ of runs.store.samples.watch(PAUSE_MS, signal, LOOK_EVERY_MS)) {
        void _
        const sources = await (await logs.of(run)).sources()
        const answer = { sources, progress: await runs.progress(run) }
        const now = JSON.stringify(answer)
        if (now === shown) continue
        shown = now
        yield answer
      }
    } finally {
      leave()
    }
  }

  return {
    sources: os.logs.sources.handler(async ({ input }) => (await logs.of(input.run)).sources()),
    read: os.logs.read.handler(async ({ input }) =>
      (await logs.of(input.run)).read(input.source, input.from, input.count)
    ),
    search: os.logs.search.handler(async ({ input, signal }) =>
      (await logs.of(input.run)).search(
        input.source,
        input.filter,
        input.after,
        input.limit,
        signal
      )
    ),
    watch: os.logs.watch.handler(({ input, signal }) => watch(input.run, signal))
  }
}
