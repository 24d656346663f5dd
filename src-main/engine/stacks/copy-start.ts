import { isAbsolute, posix } from 'node:path'
import type { Override } from '../../contract/launch'
import { exportsOf, listCheckpoints, verifyCheckpoint } from '../checkpoints'
import { sourcesOf } from '../compare'
import type { FileAccess } from '../targets'
import type { Planned } from './launch-planner'
import { besideRoot, movedBeside } from './new-storage'
import { outOfMounts } from './mounts'

/**
 * How a launch whose folders another stack writes, or whose job marker refuses a start, begins all the same: from a copy of
 * the newest weights that are saved whole, in folders of its own. Nothing that is there is changed.
 */
export interface CopyStart {
  /** Checkpoint root the weights lie in, and where their copy goes, as paths of the target's machine. */
  root: string
  to: string
  rollout: number
  /** Folder name of the export below `hf`. */
  name: string
  overrides: Override[]
}

/** Copies of one root before somebody clears up. */
const MOST_COPIES = 50
/** Newest exports that are looked into; one whose files are not whole is passed over. */
const LOOKED_INTO = 5
const SETTLED = new Set(['COMPLETE', 'HEAD_COMMITTED'])

/** Null where there is nothing whole to begin from, and for a recipe whose storage moves with each run anyway. */
export async function copyStart(
  { plan, recipe }: Pick<Planned, 'plan' | 'recipe'>,
  files: FileAccess
): Promise<CopyStart | null> {
  const given = recipe.checkpointDir
  // An adapter's export is no model to begin from.
  if (plan.practice || recipe.lora || given === null || !isAbsolute(given)) return null
  const root = given.replace(/\/+$/, '')
  const outside = (path: string): string | null =>
    plan.image === null ? path : outOfMounts(path, plan.mounts)
  const host = outside(root)
  if (host === null) return null
  const saved = await newestWhole(files, host)
  if (saved === null) return null
  for (let number = 1; number <= MOST_COPIES; number += 1) {
    const mark = `copy-${number}`
    const start = `${besideRoot(plan, root, mark)}-start`
    const moved = movedBeside(plan, recipe.storage, mark)
    const to = outside(start)
    const taken = await Promise.all(
      [start, ...moved.map(({ after }) => after)].map(async (path) => {
        const there = outside(path)
        return there !== null && (await files.stat(there)) !== null
      })
    )
    if (to === null || taken.includes(true)) continue
    const model = `${start}/hf/${saved.name}`
    return {
      root: host,
      to,
      ...saved,
      overrides: [
        { path: 'inference.model-path', value: model },
        ...recipe.startsFrom.map(({ path }) => ({ path, value: model })),
        ...moved.map(({ path, after }) => ({ path, value: after }))
      ]
    }
  }
  return null
}

async function newestWhole(
  files: FileAccess,
  root: string
): Promise<{ rollout: number; name: string } | null> {
  const catalogue = await listCheckpoints(files, root)
  const { marker } = catalogue
  // A job that was cut off may have left its own export half written.
  const open = marker === null || SETTLED.has(marker.status) ? null : marker.rolloutId
  const exports = exportsOf(catalogue).filter(({ rolloutId }) => rolloutId !== open)
  for (const { path, rolloutId } of exports.slice(0, LOOKED_INTO)) {
    const { problems } = await verifyCheckpoint(sourcesOf(files), path)
    if (problems.length === 0) return { rollout: rolloutId, name: posix.basename(path) }
  }
  return null
}
