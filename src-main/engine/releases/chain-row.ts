import type { Operation, Release } from '../../contract/releases'

/**
 * One row of a scenario's history in the form the chain is built from, whichever generation and source it came from:
 * the service's release list, its commit list, or the commit log on disk.
 */
export interface ChainRow {
  releaseId: string
  parentReleaseId: string | null
  contentId: string
  contentKind: Release['contentKind']
  /** The row itself kept durable bytes. Another row of the same release may have. */
  checkpoint: boolean
  /** Unix milliseconds. */
  recordedAt: number | null
  operation: Operation
  pending: boolean
  rollbackTarget: string | null
  metrics: Readonly<Record<string, unknown>>
  /** The stack's own step where the row says it; rows of the newer release lists do not. */
  step: number | null
  /** Job that trained it; only the commit log says. */
  trainingJobId: string | null
  /** Rollout whose `hf/<rollout_id>` export holds its weights, where the log says it. */
  rolloutId: number | null
  /** How many receipts it consumed, where known. */
  consumed: number | null
}
