import { isAbsolute, join } from 'node:path'
import type { Plan } from '../../contract/launch'
import type { RecipeForPlan } from './recipe-for-plan'

/** A field that names a folder, what it names now, and what it will in the new attempt. */
export interface MovedField {
  path: string
  now: string
  after: string
}

type PlanParts = Pick<Plan, 'practice' | 'mounts'>

/**
 * The folders a redeploy works in instead of the present ones, so that the old ones stay as they are. Everything below
 * one checkpoint root moves with that root: retention records and job marker lie in it and belong to one history.
 */
export function newStorage(
  plan: PlanParts,
  fields: RecipeForPlan['storage'],
  attempt: number
): MovedField[] {
  return moved(plan, fields, `attempt-${attempt}`, (value) =>
    // A practice run's relative paths move as a whole with the folder it is started in.
    plan.practice && !isAbsolute(value) ? join('..', `stack-${attempt}`, value) : null
  )
}

/** The same for a launch that is to leave another one's folders alone: each gets the mark at the end of its name. */
export function movedBeside(
  plan: PlanParts,
  fields: RecipeForPlan['storage'],
  mark: string
): MovedField[] {
  return moved(plan, fields, mark, () => null)
}

/** A folder's name with a mark instead of an earlier one; within a mount's own root, beside which nothing is kept. */
export function besideRoot({ mounts }: PlanParts, folder: string, mark: string): string {
  if (mounts.some(({ container }) => container === folder)) return `${folder}/${mark}`
  return `${folder.replace(/-(?:attempt|copy)-\d+$/, '')}-${mark}`
}

function moved(
  plan: PlanParts,
  fields: RecipeForPlan['storage'],
  mark: string,
  otherwise: (value: string) => string | null
): MovedField[] {
  const root = checkpointRoot(fields)
  const after = (value: string): string => {
    const folder = value.replace(/\/+$/, '')
    return (
      otherwise(value) ??
      (root !== null && folder.startsWith(`${root}/`)
        ? besideRoot(plan, root, mark) + folder.slice(root.length)
        : besideRoot(plan, folder, mark))
    )
  }
  const saved = fields.find(({ path }) => named(path, 'save'))
  return fields.map(({ path, value }) => {
    // Loaded from elsewhere at first, e.g. a converted base: the branch goes on from what it saves itself.
    const elsewhere = named(path, 'load') && root !== null && !value.startsWith(`${root}/`)
    return {
      path,
      now: value,
      after: after(elsewhere && saved !== undefined ? saved.value : value)
    }
  })
}

const named = (path: string, option: string): boolean => path === `training.options.${option}`

/** The folder that holds exports, trainer state and retention records together. */
function checkpointRoot(fields: RecipeForPlan['storage']): string | null {
  const given = fields.find(({ path }) => /^training\.config\.checkpoint[-_]dir$/.test(path))
  if (given !== undefined) return given.value.replace(/\/+$/, '')
  const template = fields.find(({ path }) => /^training\.options\.save[-_]hf$/.test(path))?.value
  return template === undefined ? null : (/^(.+?)\/+[^/]+\/+[^/]+\/*$/.exec(template)?.[1] ?? null)
}
