import type { Release } from '../../contract/releases'
import type { ChainRow } from './chain-row'
import {
  draftsOf,
  idKey,
  mergeCommits,
  storageOf,
  survey,
  targetStepOf,
  type AttemptStart,
  type ChainSegment,
  type Draft,
  type ExportFacts,
  type Known
} from './chain-drafts'
import { markLineage } from './lineage'
import { notRestorableBecause } from './not-restorable'
import { resultOf, serves } from './row-result'

function exportPathOf(draft: Draft, segment: ChainSegment, ordinal: number | null): string | null {
  const { trainingJobId, rolloutId } = draft.row
  if (trainingJobId !== null) {
    const written = segment.exports.find((facts) => facts.jobId === trainingJobId)
    if (written !== undefined) return written.path
  }
  if (rolloutId !== null)
    return segment.exports.find((facts) => facts.rolloutId === rolloutId)?.path ?? null
  if (ordinal === null) return null
  // An export that names another job is not this release's, whatever its number.
  return (
    segment.exports.find((facts) => facts.jobId === null && facts.rolloutId === ordinal)?.path ??
    null
  )
}

/** What building one row needs from the rows before it. */
interface SoFar {
  byStep: Map<number, Release>
  /** Newest row that serves, of the present storage or of what it began from. */
  servedStep: number | null
  /** The same, as each storage was left. */
  servedIn: Map<number, number | null>
  recordedAt: number | null
  /** Jobs of each storage that published, counted from 0, for exports no record ties to a job. */
  trained: Map<number, number>
}

function resultWithin(draft: Draft, known: Known): Release['result'] {
  const promoted = known.promotedAt.get(idKey(draft.storage, draft.row.releaseId))
  return resultOf(draft.row, promoted !== undefined && promoted > draft.step)
}

function took(row: ChainRow, before: number | null): number | null {
  return row.recordedAt === null || before === null ? null : row.recordedAt - before
}

function releaseOf(
  draft: Draft,
  target: number | null,
  segment: ChainSegment,
  known: Known,
  soFar: SoFar
): Release {
  const { row } = draft
  const result = resultWithin(draft, known)
  const baseStep = target ?? soFar.servedStep
  const idFacts = known.ids.get(idKey(draft.storage, row.releaseId))
  const because = notRestorableBecause(draft, result, baseStep, idFacts?.restorable ?? false)
  const trainedIt = draft.operation === 'training' && (serves(result) || row.pending)
  const ordinal = (soFar.trained.get(draft.storage) ?? -1) + 1
  if (trainedIt) soFar.trained.set(draft.storage, ordinal)
  const repeated = target === null ? undefined : soFar.byStep.get(target)
  return {
    step: draft.step,
    commitStep: draft.commitStep,
    baseStep,
    releaseId: row.releaseId,
    parentReleaseId: row.parentReleaseId,
    contentId: row.contentId,
    contentKind: row.contentKind,
    operation: draft.operation,
    result,
    served: false,
    restorable: because === null,
    notRestorable: because,
    recordedAt: row.recordedAt,
    rollbackTarget: row.rollbackTarget,
    rollbackTargetStep: target,
    leftBehind: false,
    attempt: draft.attempt,
    metrics: { ...row.metrics },
    consumed: row.consumed,
    took: took(row, soFar.recordedAt),
    checkpoint: repeated?.checkpoint ?? (trainedIt ? exportPathOf(draft, segment, ordinal) : null)
  }
}

/**
 * The chain of a run over all its storage, oldest first in, **newest first** out.
 * Served is, of the storage used last, the newest row that is not pending, rejected, skipped or failed (public source:
 * `reef/service/release_page.py`, `served_step`); the service's own `current` names the newest row and is not used.
 */
export function buildBranchedChain(segments: readonly ChainSegment[]): Release[] {
  const drafts = draftsOf(segments)
  const known = survey(drafts)
  const soFar: SoFar = {
    byStep: new Map(),
    servedStep: null,
    servedIn: new Map(),
    recordedAt: null,
    trained: new Map()
  }
  let at = 0
  for (const [index, segment] of segments.entries()) {
    const storage = storageOf(segment, index)
    // Going on in folders of before, even without a new row yet: what they served is served again.
    soFar.servedStep = soFar.servedIn.get(storage) ?? soFar.servedStep
    for (let draft = drafts[at]; draft?.segment === index; draft = drafts[(at += 1)]) {
      const release = releaseOf(draft, targetStepOf(draft, drafts, known), segment, known, soFar)
      soFar.byStep.set(release.step, release)
      if (release.recordedAt !== null) soFar.recordedAt = release.recordedAt
      if (serves(release.result)) soFar.servedStep = release.step
      soFar.servedIn.set(storage, soFar.servedStep)
    }
  }
  const releases = [...soFar.byStep.values()]
  markLineage(releases, soFar.servedStep)
  return releases.reverse()
}

/**
 * The chain of one scenario on one storage, **newest first**.
 * @param rows from the service's release list or from disk, oldest first
 * @param commits from the commits route or the commit log; may be empty or hold only some steps
 */
export function buildChain(
  rows: readonly ChainRow[],
  commits: readonly ChainRow[] = [],
  options: { attempts?: readonly AttemptStart[]; exports?: readonly ExportFacts[] } = {}
): Release[] {
  return buildBranchedChain([
    {
      rows: mergeCommits(rows, commits),
      attempts: options.attempts ?? [],
      redeployedFrom: null,
      exports: options.exports ?? []
    }
  ])
}
