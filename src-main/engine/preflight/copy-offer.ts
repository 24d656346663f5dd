import { posix } from 'node:path'
import type { LaunchRequest, Override } from '../../contract/launch'
import type { PreflightFix } from '../../contract/preflight'
import type { TargetSpec } from '../../contract/targets'
import { systemClock } from '../lib'
import { type CopyStart, shellLine } from '../stacks'
import type { Outcome } from './check-spec'
import type { LaunchContext } from './launch-context'

/** The fix as it is offered. */
function copyFix({ rollout, to }: CopyStart): PreflightFix {
  return {
    kind: 'start-from-copy',
    title: {
      en: `Start from a copy of checkpoint ${rollout}, in folders of its own`,
      zh: `从 checkpoint ${rollout} 的副本启动，使用独立目录`
    },
    to
  }
}

/**
 * The same as lines of a shell: the copy on the machine the weights lie on, which must be the one that makes it, and the
 * launch that begins there. Finished weights are linked where the filesystem can; nothing writes into them.
 */
export function copyCommand(
  { root, to, name, overrides }: CopyStart,
  target: TargetSpec,
  request: Pick<LaunchRequest, 'recipe' | 'target' | 'overrides' | 'container'>
): string {
  const from = posix.join(root, 'hf', name)
  const into = posix.join(to, 'hf')
  const make = shellLine(['mkdir', '-p', into])
  const copy = `(${shellLine(['cp', '-al', from, into])} || ${shellLine(['cp', '-a', from, into])})`
  const there = `${make} && ${copy}`
  const by = target.kind === 'docker' && target.via.kind === 'ssh' ? target.via.destination : null
  const begun = { ...request, overrides: withValues(request.overrides, overrides) }
  return [by === null ? there : shellLine(['ssh', by, there]), launchLine(begun)].join('\n')
}

/** These overrides with others in the place of those about the same field, whichever way it is spelled. */
export function withValues(before: readonly Override[], more: readonly Override[]): Override[] {
  const plain = (path: string): string => path.replace(/_/g, '-')
  const moved = new Set(more.map(({ path }) => plain(path)))
  return [...before.filter(({ path }) => !moved.has(plain(path))), ...more]
}

function launchLine({
  recipe,
  target,
  overrides,
  container = {}
}: Pick<LaunchRequest, 'recipe' | 'target' | 'overrides' | 'container'>): string {
  const { image, models, state, checkout, gpus, shmBytes, user, compose, composeService } =
    container
  const flags: readonly (readonly [string, string | undefined])[] = [
    ['--target', target],
    ['--image', image],
    ['--models', models],
    ['--state', state],
    ['--checkout', checkout],
    ['--gpus', gpus === undefined ? undefined : gpus.length === 0 ? 'none' : gpus.join(',')],
    ['--shm-size', shmBytes === undefined ? undefined : String(shmBytes)],
    ['--user', user],
    ['--compose', compose],
    ['--compose-service', composeService],
    ...overrides.map(({ path, value }) => ['--set', `${path}=${value}`] as const)
  ]
  const words = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
  return shellLine(['slipway', 'launch', recipe, ...words])
}

/** Checkpoints may be many; the finding itself does not wait for its fix. */
const LOOKING_MS = 2000

/**
 * Starting from a copy, where there is something to copy: by one click on this machine, as commands for another one, where
 * only its own user may write. What cannot be found out in time is not offered: the finding stands without it.
 */
export async function offeredCopy(
  context: Pick<LaunchContext, 'copyStart' | 'here' | 'target' | 'request'>,
  outcome: Outcome
): Promise<Outcome> {
  const start = await foundStart(context)
  if (start === null) return outcome
  if (await context.here()) return { ...outcome, fix: copyFix(start) }
  const { remedy } = outcome
  const { en, zh } = elsewhere(start)
  return {
    ...outcome,
    remedy:
      remedy === undefined ? { en, zh } : { en: `${remedy.en} ${en}`, zh: `${remedy.zh}${zh}` },
    command: copyCommand(start, context.target.spec, context.request)
  }
}

function elsewhere({ rollout }: CopyStart): { en: string; zh: string } {
  return {
    en: `Or start from a copy of checkpoint ${rollout} in folders of its own. The weights lie on another machine, where Slipway writes nothing by itself: make the copy there, then launch with these values.`,
    zh: `或从 checkpoint ${rollout} 的副本启动，使用独立目录。权重在另一台机器上，Slipway 不会自行在那里写入：请先在该机器上复制，再用这些值启动。`
  }
}

async function foundStart({
  copyStart
}: Pick<LaunchContext, 'copyStart'>): Promise<CopyStart | null> {
  let cancel = (): void => undefined
  const late = new Promise<null>((resolve) => {
    cancel = systemClock.after(LOOKING_MS, () => resolve(null))
  })
  try {
    return await Promise.race([copyStart().catch(() => null), late])
  } finally {
    cancel()
  }
}
