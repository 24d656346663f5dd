import { join } from 'node:path'
import type { Release } from '../../contract/releases'
import {
  exportCheckpoint,
  keepCheckpoint,
  letGoCheckpoint,
  listCheckpoints,
  listKept,
  unsafeToKeep,
  verifyCheckpoint,
  withKept,
  withRewards
} from '../checkpoints'
import { sourcesOf } from '../compare'
import { fail } from '../lib'
import { rewardOf } from '../releases'
import { checkpointsAndRestart } from '../stacks'
import { type FileAccess, localFiles } from '../targets'
import { os } from './guard'
import type { Services } from './services'

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

/** Where this machine keeps checkpoints of a run's newest storage: rollouts are counted anew in another. */
async function keptFolder({ runs }: Services, run: string): Promise<string> {
  const { attempts } = await runs.store.read(run)
  return join(runs.paths(run).folder, 'kept', `attempt-${attempts.at(-1)?.storage ?? 1}`)
}

/** Where the export of a rollout lies: with the stack, or, when it has deleted it, where it was kept. */
async function exportOf(
  services: Services,
  run: string,
  rolloutId: number
): Promise<{ files: FileAccess; path: string }> {
  const { files } = await services.runs.targetOf(run)
  const path = `${await checkpointRoot(services, run)}/hf/${rolloutId}`
  const here = join(await keptFolder(services, run), String(rolloutId), 'hf', String(rolloutId))
  const gone = (await files.list(path)) === null && (await localFiles().list(here)) !== null
  return gone ? { files: localFiles(), path: here } : { files, path }
}

async function keep(
  services: Services,
  run: string,
  rolloutId: number,
  signal: AbortSignal | undefined
): ReturnType<typeof keepCheckpoint> {
  const { files } = await services.runs.targetOf(run)
  const root = await checkpointRoot(services, run)
  const { checkpoints, marker } = await listCheckpoints(files, root)
  const found = checkpoints.find((one) => one.rolloutId === rolloutId)
  const why =
    found === undefined
      ? { en: 'There is no such checkpoint.', zh: '没有这个 checkpoint。' }
      : unsafeToKeep(found, marker)
  if (why !== null)
    return fail({ code: 'checkpoint-unsafe', what: why, where: `${root}: ${rolloutId}` })
  const kept = await keptFolder(services, run)
  return keepCheckpoint(files, root, rolloutId, kept, signal ?? new AbortController().signal)
}

/** What the releases that were saved there were measured with, by the path of the export. */
function rewardsByExport(releases: readonly Release[]): Map<string, number> {
  return new Map(
    releases.flatMap((release): [string, number][] => {
      const reward = rewardOf(release)
      return release.checkpoint === null || reward === null ? [] : [[release.checkpoint, reward]]
    })
  )
}

export function checkpointHandlers(services: Services) {
  const { runs } = services
  return {
    list: os.checkpoints.list.handler(async ({ input }) => {
      const { files } = await runs.targetOf(input.run)
      const root = await checkpointRoot(services, input.run)
      const { attempts, seen } = await runs.store.read(input.run)
      const recordDir = attempts.at(-1)?.recordDir ?? null
      const { scenarios } = seen
      const storage = { checkpointDir: root, recordDir, scenarios }
      const catalogue = await checkpointsAndRestart(files, storage)
      const kept = await listKept(localFiles(), await keptFolder(services, input.run))
      const { releases } = await runs.chain({ run: input.run })
      return withRewards(withKept(catalogue, kept), rewardsByExport(releases))
    }),
    keep: os.checkpoints.keep.handler(({ input: { run, rolloutId }, signal }) =>
      keep(services, run, rolloutId, signal)
    ),
    letGo: os.checkpoints.letGo.handler(async ({ input: { run, rolloutId } }) => {
      await letGoCheckpoint(rolloutId, await keptFolder(services, run))
      return {}
    }),
    export: os.checkpoints.export.handler(async ({ input: { run, rolloutId, to }, signal }) => {
      const { files, path } = await exportOf(services, run, rolloutId)
      return exportCheckpoint(files, path, to, signal ?? new AbortController().signal)
    }),
    verify: os.checkpoints.verify.handler(async ({ input: { run, rolloutId } }) => {
      const { files, path } = await exportOf(services, run, rolloutId)
      return verifyCheckpoint(sourcesOf(files), path)
    })
  }
}
