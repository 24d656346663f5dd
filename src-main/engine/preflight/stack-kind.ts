import { setting, type LaunchContext } from './launch-context'

/**
 * What a launch runs on the target's machine, as far as checks depend on it. `nexrl-driver`: one process of threads,
 * which serves nothing. `nexrl-ray`: the same with Ray's actors (`launch_mode: ray`). `nexrl-launcher`: only the command
 * that applies a job to a cluster.
 */
export type StackKind = 'practice' | 'reef' | 'nexrl-driver' | 'nexrl-ray' | 'nexrl-launcher'

export function stackKind(context: LaunchContext): StackKind {
  const { practice, nexrl } = context.plan
  if (practice) return 'practice'
  if (nexrl === undefined) return 'reef'
  if (nexrl.way === 'kubernetes') return 'nexrl-launcher'
  return setting(context, 'launch_mode') === 'ray' ? 'nexrl-ray' : 'nexrl-driver'
}
