import type { Pace } from '@contract/metrics'

/**
 * Zero of each attempt's relative time: its first sample, as for the curves. Loading a model takes minutes, by which its
 * releases would stand too far right if they counted from the launch; that is the zero while there is no sample.
 */
export function zeros(
  attempts: readonly { readonly number: number; readonly startedAt: number }[],
  begun: Pace['starts']
): ReadonlyMap<number, number> {
  return new Map([
    ...attempts.map(({ number, startedAt }) => [number, startedAt] as const),
    ...begun.map(({ attempt, at }) => [attempt, at] as const)
  ])
}
