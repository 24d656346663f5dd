import { isAbsolute, posix, resolve } from 'node:path'
import type { Plan } from '../../contract/launch'
import { outOfMounts } from './mounts'

/**
 * A path of the recipe as the target's machine sees it: relative ones count from the folder the stack was started in,
 * and a container's go through its mounts. A container path that no mount holds stays the container's.
 */
export function onTarget(path: string, cwd: string, plan: Pick<Plan, 'image' | 'mounts'>): string {
  if (plan.image === null) return isAbsolute(path) ? path : resolve(cwd, path)
  const inside = path.startsWith('~/')
    ? posix.join('/root', path.slice(2))
    : posix.resolve(cwd, path)
  return outOfMounts(inside, plan.mounts) ?? inside
}
