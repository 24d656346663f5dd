import type { Release } from '../../contract/releases'
import type { ChainRow } from './chain-row'
import { resultOf, serves } from './row-result'

/** A saved checkpoint that a release can be tied to. */
export interface ExportFacts {
  /** Path of the `hf/<rollout_id>` export on the target. */
  path: string
  rolloutId: number
  /** The training job that wrote it, from its retention record or the job marker. */
  jobId: string | null
}

export interface AttemptStart {
  number: number
  /** Unix milliseconds. */
  startedAt: number
}

/**
 * A stretch of rows that one set of storage folders got without another in between. A plain restart goes on in the same
 * segment; a redeploy begins another, and undoing it one more on the storage of before.
 */
export interface ChainSegment {
  /** Which storage; segments that go on in the same folders share it. Default: its own place in the list. */
  storage?: number
  /** Oldest first. */
  rows: readonly ChainRow[]
  /** Attempts that ran on this storage, oldest first. */
  attempts: readonly AttemptStart[]
  /** Shown step of the release this storage was redeployed from; null for the first segment. */
  redeployedFrom: number | null
  exports: readonly ExportFacts[]
}

/** A row with its place in the whole chain. */
export interface Draft {
  row: ChainRow
  step: number
  commitStep: number
  segment: number
  storage: number
  attempt: number
  operation: Release['operation']
  targetStep: number | null
}

function commitKey(row: ChainRow): string {
  return `${row.recordedAt ?? '-'}|${row.releaseId}|${row.operation}`
}

/**
 * Adds what only the commit records say (step, receipts, job) to rows of a release list, and gives every row its step:
 * its own where it says one, the matching commit's, else its place counted from the oldest row.
 */
export function mergeCommits(
  rows: readonly ChainRow[],
  commits: readonly ChainRow[]
): (ChainRow & { step: number })[] {
  const known = new Map<string, ChainRow>()
  const bySteps = new Map<number, ChainRow>()
  for (const commit of commits) {
    if (!known.has(commitKey(commit))) known.set(commitKey(commit), commit)
    if (commit.step !== null) bySteps.set(commit.step, commit)
  }
  return rows.map((row, index) => {
    const byPlace = bySteps.get(row.step ?? index)
    const commit =
      byPlace !== undefined && commitKey(byPlace) === commitKey(row)
        ? byPlace
        : known.get(commitKey(row))
    const step = row.step ?? commit?.step ?? index
    if (commit === undefined || row.operation === 'creation') return { ...row, step }
    return {
      ...row,
      step,
      consumed: row.consumed ?? commit.consumed,
      trainingJobId: row.trainingJobId ?? commit.trainingJobId,
      rolloutId: row.rolloutId ?? commit.rolloutId
    }
  })
}

function attemptAt(attempts: readonly AttemptStart[], at: number | null): number {
  const first = attempts[0]?.number ?? 1
  if (at === null) return first
  let number = first
  for (const attempt of attempts) if (attempt.startedAt <= at) number = attempt.number
  return number
}

/** Numbers the rows of all segments in one line. */
export function draftsOf(segments: readonly ChainSegment[]): Draft[] {
  const drafts: Draft[] = []
  /** Commit step after the newest one, by storage. */
  const next = new Map<number, number>()
  let offset = 0
  for (const [segment, one] of segments.entries()) {
    const { rows, attempts, redeployedFrom } = one
    const storage = storageOf(one, segment)
    const from = next.get(storage) ?? 0
    let last = offset - 1
    for (const [index, row] of rows.entries()) {
      const redeploy = index === 0 && redeployedFrom !== null && segment > 0 && from === 0
      const commitStep = row.step ?? from + index
      last = offset + commitStep - from
      next.set(storage, commitStep + 1)
      drafts.push({
        row: redeploy ? { ...row, recordedAt: row.recordedAt ?? firstStart(attempts) } : row,
        step: last,
        commitStep,
        segment,
        storage,
        attempt: attemptAt(attempts, row.recordedAt),
        operation: redeploy ? 'rollback' : row.operation,
        targetStep: redeploy ? redeployedFrom : null
      })
    }
    offset = last + 1
  }
  return drafts
}

/** The storage a segment goes on in. */
export function storageOf(segment: ChainSegment, index: number): number {
  return segment.storage ?? index
}

function firstStart(attempts: readonly AttemptStart[]): number | null {
  return attempts[0]?.startedAt ?? null
}

/** What is known about a release id over all rows that carry it; ids are not unique to a row. */
export interface IdFacts {
  /** Index of the row that published it: the first one that is no dead end, else the first. */
  publisher: number
  publisherIsDeadEnd: boolean
  restorable: boolean
}

export interface Known {
  /** Steps of promote rows' targets, by storage and release id, with the newest promoting step. */
  promotedAt: Map<string, number>
  ids: Map<string, IdFacts>
}

export const idKey = (storage: number, releaseId: string): string => `${storage}|${releaseId}`

/** One pass over all rows for what a single row cannot say about its own release id. */
export function survey(drafts: readonly Draft[]): Known {
  const known: Known = { promotedAt: new Map(), ids: new Map() }
  for (const draft of drafts)
    if (draft.operation === 'promote' && draft.row.rollbackTarget !== null)
      known.promotedAt.set(idKey(draft.storage, draft.row.rollbackTarget), draft.step)
  for (const [index, draft] of drafts.entries()) {
    const { row } = draft
    const key = idKey(draft.storage, row.releaseId)
    const restorable =
      row.contentKind === 'saved_artifact' && (row.checkpoint || row.operation === 'creation')
    // A pending row did publish its release id; only rows that repeat the head's id are dead ends here.
    const deadEnd = !row.pending && !serves(resultOf(row, false))
    const facts = known.ids.get(key)
    if (facts === undefined)
      known.ids.set(key, { publisher: index, publisherIsDeadEnd: deadEnd, restorable })
    else {
      if (facts.publisherIsDeadEnd && !deadEnd) {
        facts.publisher = index
        facts.publisherIsDeadEnd = false
      }
      facts.restorable ||= restorable
    }
  }
  return known
}

/** Step of the row whose content this one republishes, null when it does not or the row is not in the chain. */
export function targetStepOf(draft: Draft, drafts: readonly Draft[], known: Known): number | null {
  if (draft.targetStep !== null) return draft.targetStep
  if (draft.row.rollbackTarget === null) return null
  const facts = known.ids.get(idKey(draft.storage, draft.row.rollbackTarget))
  const publisher = facts === undefined ? undefined : drafts[facts.publisher]
  return publisher === undefined || publisher.step >= draft.step ? null : publisher.step
}
