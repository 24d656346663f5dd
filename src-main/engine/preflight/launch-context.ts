import { isAbsolute, posix } from 'node:path'
import type { LaunchRequest, Plan } from '../../contract/launch'
import type { RecipeCheck } from '../../contract/recipes'
import type { TargetStatus } from '../../contract/targets'
import { noHubId } from '../recipes'
import type { CopyStart } from '../stacks'
import type { FileAccess, Target } from '../targets'
import type { Tool } from './tools'

/** A variable the stack will see: without its value, which may be secret. */
export type VariableState = 'set' | 'empty' | 'placeholder'

/** A stack that Slipway itself runs now. */
export interface OwnRun {
  name: string
  target: string
  gpus: number
  /** Folders on the target's machine that it writes. */
  writes: readonly string[]
}

/** A container of ours that ended and was not cleared away. */
export interface Leftover {
  id: string
  name: string
}

/** What the checks of one launch share. */
export interface LaunchContext {
  request: LaunchRequest
  plan: Plan
  recipe: RecipeCheck
  target: Target
  /** What the target says of itself; asked once for all checks. */
  status: () => Promise<TargetStatus>
  /** Whether the stack runs on this very machine, so that its ports and processes can be looked at. */
  here: () => Promise<boolean>
  /** Asks a command of this machine; only meaningful where `here` is true. */
  tool: Tool
  /** Asks a command of the machine the stack runs on: this one, or one behind ssh. Null where nobody can. */
  machine: () => Promise<Tool | null>
  /** Ended containers of this installation that no run needs any more. */
  leftovers: () => Promise<readonly Leftover[]>
  /** How the launch could begin from a copy of the newest saved weights; null where it cannot. */
  copyStart: () => Promise<CopyStart | null>
  /** Value of an environment variable. Shown only where it is no secret. */
  variable: (name: string) => string | undefined
  /** Id of the user a process of this machine would run as; null where there are none (Windows). */
  user: number | null
  /** Folder the stack is started in: relative paths of the recipe count from here. */
  launchFolder: string
  /** Folder of the target's machine below which the run's own folder is made, also where a container sees it elsewhere. */
  runsFolder: string
  /** Home of the user the stack runs as, for `~` in the recipe. */
  homeFolder: string
  /** Environment variables that the stack will see: by name, whether they have a value. */
  environment: ReadonlyMap<string, VariableState>
  ownRuns: readonly OwnRun[]
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

/**
 * Value of one of the trainer's flags, wherever the recipe's generation keeps them: `training.options.NAME`, or a flag
 * of a service. Undefined when it is not given.
 */
export function option(context: LaunchContext, name: string): string | undefined {
  const given = setting(context, `training.options.${name}`)
  if (given !== undefined) return given
  const found = context.recipe.resolved.find(
    ({ path, value }) => path.startsWith('services.') && path.endsWith(` --${name}`) && value !== ''
  )
  return found?.value
}

/** A positive number among the trainer's flags, or the fallback. */
export function numberOption(context: LaunchContext, fallback: number, name: string): number {
  const value = Number(option(context, name))
  return Number.isFinite(value) && value > 0 ? value : fallback
}

/** Whether the trainer trains an adapter instead of all weights. */
export function trainsAdapter(context: LaunchContext): boolean {
  return ['megatron-lora-rank', 'lora-rank'].some((name) => numberOption(context, 0, name) > 0)
}

/** A switch among the trainer's flags; given without a value it is on. */
export function switchedOn(context: LaunchContext, name: string): boolean {
  const value = option(context, name)
  return value !== undefined && !/^(?:false|0|no|off|null)$/i.test(value)
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

/** Text of a small file on the target, or null when it is not there. */
export async function textOf(
  context: LaunchContext,
  path: string,
  most = 1 << 20
): Promise<string | null> {
  const bytes = await filesOf(context).read(path, 0, most)
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

/** Whether a model is taken from a hub; what can be no id there is a folder, counted from where the stack is launched. */
export function mayBeHubId(model: string): boolean {
  return !/^[./~]/.test(model) && noHubId(model) === null
}

/** Folder of the model on the target's machine; null when it is an id of a hub, or inside the container. */
export function modelFolder(context: LaunchContext): string | null {
  const model = context.recipe.facts.model
  return model === null || mayBeHubId(model) ? null : hostPath(context, model)
}
