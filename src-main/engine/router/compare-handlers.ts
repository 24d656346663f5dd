import type { WeightEvent } from '../../contract/compare'
import {
  attachResults,
  compareReleases,
  compareWeights,
  profileRows,
  readResults,
  removeResults,
  sourcesOf,
  type OpenSource
} from '../compare'
import { Changes } from '../lib'
import { knowledgeOf } from '../metrics'
import { os } from './guard'
import type { Services } from './services'
import { exportPage, listSaved, readSaved, removeSaved, saveComparison } from './saved-comparisons'
import { compareSides } from './side-comparison'

/** At most so often (milliseconds) a comparison says how far it is. */
const PROGRESS_PAUSE_MS = 200

/** Numbers of the releases a run has, over all its scenarios; null where none is known: what is given is believed. */
async function knownReleases(
  { runs }: Pick<Services, 'runs'>,
  run: string
): Promise<ReadonlySet<number> | null> {
  const { attempts, seen } = await runs.store.read(run)
  if (attempts.length === 0) return null
  const known = new Set<number>()
  for (const scenario of seen.scenarios)
    for (const { step } of (await runs.chain({ run, scenario })).releases) known.add(step)
  return known.size === 0 ? null : known
}

async function* weightEvents(
  request: { a: string; b: string; open: OpenSource },
  signal: AbortSignal | undefined
): AsyncGenerator<WeightEvent, void, undefined> {
  const ended = new AbortController()
  const stop = (): void => {
    ended.abort()
  }
  signal?.addEventListener('abort', stop, { once: true })
  const changes = new Changes()
  let progress: WeightEvent | null = null
  let settled = false
  const work = compareWeights({
    ...request,
    signal: ended.signal,
    onProgress: (now) => {
      progress = { kind: 'progress', ...now }
      changes.mark()
    }
  }).finally(() => {
    settled = true
    changes.mark()
  })
  // Its failure is thrown below, where it is awaited.
  work.catch(() => undefined)
  try {
    for await (const _ of changes.watch(PROGRESS_PAUSE_MS, ended.signal)) {
      void _
      if (settled) break
      if (progress !== null) yield progress
    }
    yield { kind: 'done', comparison: await work }
  } finally {
    stop()
    signal?.removeEventListener('abort', stop)
  }
}

export function compareHandlers(services: Services) {
  const { runs, targets } = services
  const opener = async (target: string): Promise<OpenSource> =>
    sourcesOf((await targets.get(target)).files)
  return {
    weights: os.compare.weights.handler(async ({ input: { a, b, target }, signal }) =>
      weightEvents({ a, b, open: await opener(target) }, signal)
    ),
    rows: os.compare.rows.handler(async ({ input: { target, ...request } }) =>
      profileRows({ ...request, open: await opener(target) })
    ),
    metrics: os.compare.metrics.handler(async ({ input: { run, scenario, ...request } }) =>
      compareReleases({
        ...request,
        chain: (await runs.chain({ run, scenario })).releases,
        directionOf: (key) => knowledgeOf(key).direction
      })
    ),
    sides: os.compare.sides.handler(({ input }) => compareSides(services, input)),
    save: os.compare.save.handler(({ input }) => saveComparison(services, input)),
    saved: os.compare.saved.handler(() => listSaved(services)),
    savedOne: os.compare.savedOne.handler(({ input }) => readSaved(services, input.id)),
    removeSaved: os.compare.removeSaved.handler(async ({ input }) => {
      await removeSaved(services, input.id)
      return {}
    }),
    exportPage: os.compare.exportPage.handler(({ input, signal }) =>
      exportPage(services, input, signal)
    ),
    results: os.compare.results.handler(
      async ({ input }) => (await readResults(runs.paths(input.run).folder)).tables
    ),
    attachResults: os.compare.attachResults.handler(async ({ input: { run, source, text } }) =>
      attachResults(runs.paths(run).folder, source, text, await knownReleases(services, run))
    ),
    removeResults: os.compare.removeResults.handler(async ({ input: { run, task } }) => ({
      rows: await removeResults(runs.paths(run).folder, task)
    }))
  }
}
