import { isAbsolute, posix } from 'node:path'
import type { LaunchRequest, Plan } from '../../contract/launch'
import type { RecipeCheck } from '../../contract/recipes'
import type { FileAccess, Target } from '../targets'

/** What the checks of one launch share. */
export interface LaunchContext {
  request: LaunchRequest
  plan: Plan
  recipe: RecipeCheck
  target: Target
  /** True when the stack runs on this very machine, so that its ports and processes can be looked at. */
  local: boolean
  /** Folder the stack is started in: relative paths of the recipe count from here. */
  launchFolder: string
  /** Home of the user the stack runs as, for `~` in the recipe. */
  homeFolder: string
  /** Environment variables that the stack will see: by name, whether they have a value. */
  environment: ReadonlyMap<string, 'set' | 'empty'>
  /** Docker network ports etc. of stacks that Slipway itself runs, by port: the run's name. */
  ownPorts: ReadonlyMap<number, string>
}

export function filesOf(context: LaunchContext): FileAccess {
  return context.target.files
}

/** Resolved value of a public path of the recipe (`training.options.save`), or undefined when it is not set. */
export function setting(context: LaunchContext, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = context.recipe.resolved.find((value) => value.path === path)
    if (found !== undefined && found.value !== '') return found.value
  }
  return undefined
}

/** A positive number of the recipe, or the fallback. */
export function numberSetting(
  context: LaunchContext,
  fallback: number,
  ...paths: readonly string[]
): number {
  const value = Number(setting(context, ...paths))
  return Number.isFinite(value) && value > 0 ? value : fallback
}

/** The path as the stack sees it: `~` is its own home, relative counts from the launch folder. */
export function stackPath(context: LaunchContext, path: string): string {
  if (path === '~' || path.startsWith('~/')) return posix.join(context.homeFolder, path.slice(1))
  return isAbsolute(path) ? path : posix.join(context.launchFolder, path)
}

/**
 * Where a path of the stack really lies on the target's machine, through the plan's mounts (longest match first).
 * Null for a path that exists only inside the container.
 */
export function hostPath(context: LaunchContext, path: string): string | null {
  const full = stackPath(context, path)
  if (context.plan.image === null) return full
  const mount = [...context.plan.mounts]
    .sort((a, b) => b.container.length - a.container.length)
    .find(({ container }) => full === container || full.startsWith(`${container}/`))
  return mount === undefined ? null : posix.join(mount.host, full.slice(mount.container.length))
}

/** The nearest folder that exists at or above `path`, with what its filesystem holds. */
export async function nearestExisting(
  files: FileAccess,
  path: string
): Promise<{ path: string; total: number; free: number; type: string } | null> {
  for (let at = path; ; at = posix.dirname(at)) {
    const facts = (await files.stat(at)) === null ? null : await files.statfs(at)
    if (facts !== null)
      return { path: at, total: facts.totalBytes, free: facts.freeBytes, type: facts.type }
    if (at === posix.dirname(at)) return null
  }
}
