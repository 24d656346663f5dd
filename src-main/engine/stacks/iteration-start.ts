import { mkdir, rename, rm } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Release } from '../../contract/releases'
import {
  copyRoot,
  exportRollout,
  type IterationVerdict,
  judgeIteration,
  listCheckpoints,
  planIterationCopy,
  readCriticTracker
} from '../checkpoints'
import { fail } from '../lib'
import type { IterationFacts } from '../releases'
import type { FromIteration } from '../runs'
import { type FileAccess, localFiles, type Target } from '../targets'
import type { RecipeForPlan } from './recipe-for-plan'

/** The checkpoint root and iteration that an export `<root>/hf/<n>` belongs to. */
function placeOf(checkpoint: string): FromIteration | null {
  const rollout = exportRollout(posix.basename(checkpoint))
  const folder = posix.dirname(checkpoint)
  return rollout === null || posix.basename(folder) !== 'hf'
    ? null
    : { root: posix.dirname(folder), rollout }
}

/** Whether the target's files are this machine's: links can be made here only. */
async function isHere({ spec, files }: Target, root: string): Promise<boolean> {
  if (spec.kind === 'process') return true
  if (spec.kind !== 'docker' || spec.via.kind === 'ssh' || spec.via.kind === 'tcp') return false
  const tracker = `${root}/megatron/latest_checkpointed_iteration.txt`
  const [there, here] = await Promise.all([files.stat(tracker), localFiles().stat(tracker)])
  return there !== null && here?.modified === there.modified && here.size === there.size
}

async function verdictOf(
  files: FileAccess,
  { root, rollout }: FromIteration,
  settled: boolean
): Promise<{
  verdict: IterationVerdict
  catalogue: Awaited<ReturnType<typeof listCheckpoints>>
}> {
  const catalogue = await listCheckpoints(files, root)
  const criticTracker = await readCriticTracker(files, root)
  const verdict = judgeIteration({ ...catalogue, criticTracker }, rollout, settled)
  return { verdict, catalogue }
}

/** What going on from a release's iteration with its optimizer would need; nothing is changed. */
export async function iterationFacts(
  target: Target,
  recipe: Pick<RecipeForPlan, 'lora' | 'practice' | 'storage' | 'savesOptimizer'>,
  release: Pick<Release, 'checkpoint'>,
  /** Checkpoint root a stack works in now; null when none runs. */
  busy: string | null
): Promise<IterationFacts> {
  const refused = (because: Extract<IterationFacts, { kind: 'refused' }>['because']) =>
    ({ kind: 'refused', because }) as const
  const place = placeOf(release.checkpoint ?? '')
  if (place === null) return refused('not-a-rollout')
  if (recipe.lora) return refused('adapter')
  if (!recipe.savesOptimizer) return refused('no-optimizer')
  if (!recipe.practice && !recipe.storage.some(({ path }) => path === 'training.options.load'))
    return refused('loads-nothing')
  if (!(await isHere(target, place.root))) return refused('elsewhere')
  const { verdict, catalogue } = await verdictOf(target.files, place, busy !== place.root)
  if (verdict.kind === 'refused') return verdict
  const { copied, linked } = await planIterationCopy(localFiles(), place.root, place.rollout)
  return {
    kind: 'ready',
    rollout: place.rollout,
    tracker: catalogue.tracker ?? place.rollout,
    critic: verdict.critic,
    copied,
    linked,
    newer: catalogue.checkpoints.filter((one) => one.rolloutId > place.rollout).length
  }
}

/** The iteration of a release's export, for the act. */
export function iterationOf(release: Pick<Release, 'checkpoint'>): FromIteration | null {
  return placeOf(release.checkpoint ?? '')
}

/**
 * Makes the copy an attempt is to start on, before it starts. The old root is only read; a copy that was cut off is made
 * anew, and one that an earlier engine finished is used.
 * @throws FailureError `iteration-refused` when the old root is not as it was planned
 */
export async function layIteration(
  { root, rollout }: FromIteration,
  to: string | null,
  signal: AbortSignal
): Promise<void> {
  const files = localFiles()
  if (to === null || to === root)
    return fail({
      code: 'iteration-refused',
      what: { en: 'There is no folder to put the copy in.', zh: '没有可放置副本的目录。' },
      where: root
    })
  if ((await files.stat(to)) !== null) {
    const made = await listCheckpoints(files, to)
    if (made.tracker === rollout) return
    return fail({
      code: 'iteration-refused',
      what: {
        en: 'The folder for the copy is there already, and holds something else.',
        zh: '副本目录已存在，且包含其他内容。'
      },
      where: to
    })
  }
  const { verdict } = await verdictOf(files, { root, rollout }, true)
  if (verdict.kind === 'refused')
    return fail({
      code: 'iteration-refused',
      what: {
        en: `Iteration ${rollout} can no longer be gone on from (${verdict.because}); nothing was started.`,
        zh: `无法再从第 ${rollout} 次迭代继续（${verdict.because}）；未启动任何内容。`
      },
      remedy: {
        en: 'Restart the run on its old folders, or go back without the optimizer.',
        zh: '请在原有目录上重新启动该运行，或不带优化器回滚。'
      },
      where: root
    })
  const half = `${to}.slipway-copy`
  await mkdir(posix.dirname(to), { recursive: true, mode: 0o700 })
  // Ours, from an engine that was cut off: names only, the files themselves are the old root's.
  await rm(half, { recursive: true, force: true })
  await copyRoot(await planIterationCopy(files, root, rollout), half, signal)
  await rename(half, to)
}
