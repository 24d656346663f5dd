import type { PreflightFix } from '../../contract/preflight'
import { systemClock } from '../lib'
import type { CopyStart } from '../stacks'
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

/** Checkpoints may be many; the finding itself does not wait for its fix. */
const LOOKING_MS = 2000

/**
 * Starting from a copy as a fix, where there is something to copy and the copy would be made on this machine. What cannot
 * be found out in time is not offered: the finding stands without it.
 */
export async function offeredCopy(
  context: Pick<LaunchContext, 'copyStart' | 'here'>
): Promise<{ fix?: PreflightFix }> {
  if (!(await context.here())) return {}
  let cancel = (): void => undefined
  const late = new Promise<null>((resolve) => {
    cancel = systemClock.after(LOOKING_MS, () => resolve(null))
  })
  try {
    const start = await Promise.race([context.copyStart().catch(() => null), late])
    return start === null ? {} : { fix: copyFix(start) }
  } finally {
    cancel()
  }
}
