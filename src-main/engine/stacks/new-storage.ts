import { isAbsolute, join } from 'node:path'
import type { Plan } from '../../contract/launch'
import type { RecipeForPlan } from './recipe-for-plan'

/** A field that names a folder, what it names now, and what it will in the new attempt. */
export interface MovedField {
  path: string
  now: string
  after: string
}

/**
 * The folders a redeploy works in instead of the present ones, so that the old ones stay as they are. Everything below
 * one checkpoint root moves with that root: retention records and job marker lie in it and belong to one history.
 */
export function newStorage(
  plan: Pick<Plan, 'practice' | 'mounts'>,
  fields: RecipeForPlan['storage'],
  attempt: number
): MovedField[] {
  const mountRoots = new Set(plan.mounts.map(({ container }) => container))
  const beside = (folder: string): string =>
    // Beside a mount's own root nothing is kept when the container goes.
    mountRoots.has(folder)
      ? `${folder}/attempt-${attempt}`
      : `${folder.replace(/-attempt-\d+$/, '')}-attempt-${attempt}`
  const root = checkpointRoot(fields)
  const after = (value: string): string => {
    // A practice run's relative paths move as a whole with the folder it is started in.
    if (plan.practice && !isAbsolute(value)) return join('..', `stack-${attempt}`, value)
    const folder = value.replace(/\/+$/, '')
    return root !== null && folder.startsWith(`${root}/`)
      ? beside(root) + folder.slice(root.length)
      : beside(folder)
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
