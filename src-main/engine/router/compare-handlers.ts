import type { WeightEvent } from '../../contract/compare'
import { exportCheckpoint, listCheckpoints, verifyCheckpoint } from '../checkpoints'
import {
  attachResults,
  compareReleases,
  compareWeights,
  profileRows,
  readResults,
  sourcesOf,
  type OpenSource
} from '../compare'
import { Changes, fail } from '../lib'
import { judgeRestartInPlace, markerStatus, readDiskRows } from '../releases'
import { knowledgeOf } from '../metrics'
import { os } from './guard'
import type { Services } from './services'
import { compareSides } from './side-comparison'

/** At most so often (milliseconds) a comparison says how far it is. */
const PROGRESS_PAUSE_MS = 200

/** Where a run's newest attempt keeps its checkpoints, as its target sees it. */
async function checkpointRoot({ runs }: Services, run: string): Promise<string> {
  const { attempts } = await runs.store.read(run)
  const root = attempts.at(-1)?.checkpointDir
  if (root !== null && root !== undefined) return root
  return fail({
    code: 'no-checkpoints',
    what: { en: 'This run saves no checkpoints.', zh: '该运行不保存 checkpoint。' },
    where: run
  })
}

/** The job of the newest training commit on disk; null when no log names one. */
async function headJob({ runs }: Services, run: string): Promise<string | null> {
  const { attempts, seen } = await runs.store.read(run)
  const recordFolder = attempts.at(-1)?.recordDir ?? null
  if (recordFolder === null) return null
  const { files } = await runs.targetOf(run)
  let newest: { at: number; job: string } | null = null
  for (const scenario of seen.scenarios) {
    const read = await readDiskRows({ files, recordFolder, scenario, repository: null })
    for (const { trainingJobId, recordedAt } of read?.rows ?? [])
      if (trainingJobId !== null && (recordedAt ?? 0) >= (newest?.at ?? 0))
        newest = { at: recordedAt ?? 0, job: trainingJobId }
  }
  return newest?.job ?? null
}

export function checkpointHandlers(services: Services) {
  const { runs } = services
  return {
    list: os.checkpoints.list.handler(async ({ input }) => {
      const { files } = await runs.targetOf(input.run)
      const root = await checkpointRoot(services, input.run)
      const { newestRecord, ...catalogue } = await listCheckpoints(files, root)
      const headJobId = await headJob(services, input.run)
      const { marker, tracker } = catalogue
      const restart = judgeRestartInPlace({
        marker: marker === null ? null : { ...marker, status: markerStatus(marker.status) },
        tracker,
        newestRecord,
        headJobId
      })
      return { ...catalogue, restart }
    }),
    export: os.checkpoints.export.handler(async ({ input: { run, rolloutId, to }, signal }) => {
      const { files } = await runs.targetOf(run)
      const root = await checkpointRoot(services, run)
      const never = new AbortController().signal
      return exportCheckpoint(files, `${root}/hf/${rolloutId}`, to, signal ?? never)
    }),
    verify: os.checkpoints.verify.handler(async ({ input: { run, rolloutId } }) => {
      const { files } = await runs.targetOf(run)
      const root = await checkpointRoot(services, run)
      return verifyCheckpoint(sourcesOf(files), `${root}/hf/${rolloutId}`)
    })
  }
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
    results: os.compare.results.handler(
      async ({ input }) => (await readResults(runs.paths(input.run).folder)).tables
    ),
    attachResults: os.compare.attachResults.handler(({ input: { run, source, text } }) =>
      attachResults(runs.paths(run).folder, source, text)
    )
  }
}
