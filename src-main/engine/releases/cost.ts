import type { ReleaseCost } from '../../contract/release-detail'
import type { Release } from '../../contract/releases'

/** What a cost needs of the attempt that made a release. Times in Unix milliseconds. */
export interface MakingAttempt {
  number: number
  startedAt: number
  readyAt: number | null
  /** GPUs it was planned with. */
  gpus: number
}

const HOUR_MS = 3_600_000

/**
 * What making a release took. Time counts from the release before it in the same attempt, or from when the attempt was
 * ready: a stack that was down in between did not work on it. Only training costs; other rows take no GPU of their own.
 * @param chain Newest first.
 */
export function costOf(
  release: Release,
  chain: readonly Release[],
  attempt: MakingAttempt | undefined
): ReleaseCost {
  const trained = release.operation === 'training'
  const dropped = release.metrics['dropped_rollouts']
  const took = trained ? timeOf(release, chain, attempt) : null
  const gpus = trained && attempt !== undefined ? attempt.gpus : null
  return {
    took,
    gpus,
    gpuHours: took === null || gpus === null ? null : (took * gpus) / HOUR_MS,
    samples: release.consumed,
    dropped: typeof dropped === 'number' && Number.isFinite(dropped) ? dropped : null
  }
}

function timeOf(
  { step, attempt: number, recordedAt, took }: Release,
  chain: readonly Release[],
  attempt: MakingAttempt | undefined
): number | null {
  if (recordedAt === null) return null
  const before = chain.find((other) => other.step < step && other.recordedAt !== null)
  if (before?.attempt === number) return took
  if (attempt === undefined) return null
  return Math.max(0, recordedAt - (attempt.readyAt ?? attempt.startedAt))
}
