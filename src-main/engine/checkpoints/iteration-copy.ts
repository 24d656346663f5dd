import type { Checkpoint, CheckpointCatalogue } from '../../contract/checkpoints'
import type { FileAccess } from '../targets'
import { parseTracker } from './catalogue'
import { emptyPlan, walk, type CopyPlan } from './copy-plan'
import { exportRollout, isExpected, iterationRollout, layout } from './layout'

/** Why training cannot go on from an iteration with its optimizer. */
export type IterationRefusal =
  | 'no-trainer-state'
  | 'not-whole'
  | 'no-export'
  | 'critic-missing'
  | 'being-deleted'
  | 'marker-open'
  | 'marker-unreadable'

export type IterationVerdict =
  /** `critic`: the root holds one, and it goes on from the same iteration. */
  { kind: 'whole'; critic: boolean } | { kind: 'refused'; because: IterationRefusal }

type Root = Pick<CheckpointCatalogue, 'checkpoints' | 'marker'> & {
  /** Number in the critic's own tracker; null where there is none. */
  criticTracker: number | null
}

function partsRefusal(
  one: Checkpoint | undefined,
  critics: boolean,
  criticTracker: number | null
): IterationRefusal | null {
  if (one?.trainer === null || one?.trainer === undefined) return 'no-trainer-state'
  if (one.fate === 'being-deleted') return 'being-deleted'
  if (one.trainerWhole !== true) return 'not-whole'
  if (one.export === null) return 'no-export'
  if (!critics) return null
  // The critic is saved at an interval of its own, and its tracker is written last, too.
  const saved = one.critic !== null && criticTracker !== null && criticTracker >= one.rolloutId
  return saved ? null : 'critic-missing'
}

/**
 * Whether a root holds everything that training from one of its iterations needs: trainer state the tracker has reached,
 * the export the engine starts with, and the critic's state of the same iteration where there is a critic.
 * @param settled the stack does not run there, so its marker says how its last job ended
 */
export function judgeIteration(root: Root, rollout: number, settled: boolean): IterationVerdict {
  const refuse = (because: IterationRefusal): IterationVerdict => ({ kind: 'refused', because })
  const critic = root.checkpoints.some((one) => one.critic !== null)
  const found = root.checkpoints.find((one) => one.rolloutId === rollout)
  const missing = partsRefusal(found, critic, root.criticTracker)
  if (missing !== null) return refuse(missing)
  if (root.marker?.status === 'unreadable') return refuse('marker-unreadable')
  // While a job is out the root changes; a copy is taken between two of them.
  if (settled && root.marker !== null && root.marker.status !== 'COMPLETE')
    return refuse('marker-open')
  return { kind: 'whole', critic }
}

const trackers: ReadonlySet<string> = new Set(
  [layout.trainer, layout.critic].map((folder) => `${folder}/${layout.tracker}`)
)

/** Rollout whose own file or folder this is; null for what belongs to the root. */
function rolloutOf(path: string): number | null {
  const [folder, name] = path.split('/')
  if (name === undefined) return null
  if (folder === layout.exports) return exportRollout(name)
  if (folder === layout.trainer || folder === layout.critic) return iterationRollout(name)
  const record = path.startsWith(`${layout.records}/`)
    ? /^(\d{1,20})\.json$/.exec(path.slice(layout.records.length + 1))?.[1]
    : undefined
  return record === undefined ? null : Number(record)
}

const CHECKPOINT_FOLDERS: ReadonlySet<string> = new Set([
  layout.exports,
  layout.trainer,
  layout.critic
])

/** What a stack would not start beside, and what an interrupted write or clean-up left. */
function isLeftover(path: string): boolean {
  const [folder, name] = path.split('/')
  if (folder === undefined || name === undefined || !CHECKPOINT_FOLDERS.has(folder)) return false
  return !isExpected(folder, name) || name.endsWith('.tmp') || name.startsWith('.reef-delete-')
}

/** Number in the tracker of a root's critic. */
export async function readCriticTracker(files: FileAccess, root: string): Promise<number | null> {
  const bytes = await files.read(`${root}/${layout.critic}/${layout.tracker}`, 0, 64)
  return bytes === null ? null : parseTracker(new TextDecoder().decode(bytes))
}

/**
 * How to copy a checkpoint root so that a stack started on the copy goes on from one iteration with its optimizer: that
 * checkpoint alone, under the rule of every copy, all control files, and trackers that name it. Other checkpoints stay
 * out: training would write the same iteration numbers again, and into a linked file it would write the old root's.
 */
export async function planIterationCopy(
  files: FileAccess,
  root: string,
  rollout: number
): Promise<CopyPlan> {
  const plan = emptyPlan(root)
  await walk(files, root, '', plan, (path) => {
    const owner = rolloutOf(path)
    return (owner === null || owner === rollout) && !isLeftover(path)
  })
  for (const [place, step] of plan.steps.entries())
    if (step.kind === 'copy' && trackers.has(step.path))
      plan.steps[place] = { kind: 'write', path: step.path, text: String(rollout) }
  return plan
}
