import type { Release } from '../../contract/releases'

/** Statuses of a job marker, in the order a job passes them. Public source: `reef_adapters/training_job/marker.py`. */
export type MarkerStatus =
  | 'RUNNING'
  | 'CHECKPOINT'
  | 'UPDATING_WEIGHTS'
  | 'READY_TO_COMMIT'
  | 'HEAD_COMMITTED'
  | 'COMPLETE'
  | 'REJECTING'
  | 'REJECTED'

/** What is known about the stack at the moment of asking. Null always means: not known. */
export interface RollbackFacts {
  /** How this stack goes back, from its launch plan. */
  way: 'api' | 'redeploy' | 'none'
  /** The stack answers now. */
  serving: boolean
  /** A training job is out, or a result waits for its commit. */
  jobOut: boolean | null
  /** Status of the marker on disk; `none` when there is no file, `unreadable` when it is broken. */
  marker: MarkerStatus | 'none' | 'unreadable' | null
  /** The run trains an adapter over a frozen base. */
  lora: boolean
  /** The `hf/<rollout_id>` folder of the asked release is on disk and whole. */
  exportWhole: boolean | null
}

export type RollbackVerdict =
  | { kind: 'api'; release: Release; wait: WaitReason }
  | { kind: 'redeploy'; release: Release; checkpoint: string; wait: WaitReason; undoable: boolean }
  | { kind: 'refused'; release: Release | null; because: Refusal }

export type PromoteVerdict = Exclude<RollbackVerdict, { kind: 'redeploy' }>

export type WaitReason = 'nothing' | 'commit' | 'unknown-job'

export type Refusal =
  | 'no-such-step'
  | 'already-served'
  | 'held'
  | 'live-weights'
  | 'nothing-published'
  | 'no-checkpoint'
  | 'no-way'
  | 'not-serving'
  | 'adapter-as-files'
  | 'export-unknown'
  | 'export-broken'
  | 'not-held'

function servedOf(chain: readonly Release[]): Release | undefined {
  return chain.find((release) => release.served)
}

function contentRefusal(release: Release): Refusal | null {
  switch (release.result) {
    case 'rejected':
    case 'skipped':
    case 'failed':
      return 'nothing-published'
    case 'pending':
      return 'held'
    case 'published':
    case 'selected':
    case 'promoted':
      break
  }
  if (release.restorable) return null
  return release.contentKind === 'live_weights' ? 'live-weights' : 'no-checkpoint'
}

function waitFor(facts: RollbackFacts): WaitReason {
  if (!facts.serving || facts.jobOut === false) return 'nothing'
  return facts.jobOut === true ? 'commit' : 'unknown-job'
}

/** A root whose marker is in one of these states starts again as it is. */
function startsAgain(marker: RollbackFacts['marker']): boolean {
  return marker === 'COMPLETE' || marker === 'none'
}

/**
 * How going back to a step can be done, if at all. Nothing is tried: where the API cannot restore weights a refused call
 * may leave inference paused (public source: `docs/user-guide/operate.rst`), so the way comes from the plan.
 */
export function judgeRollback(
  chain: readonly Release[],
  step: number,
  facts: RollbackFacts
): RollbackVerdict {
  const release = chain.find((other) => other.step === step) ?? null
  const refuse = (because: Refusal): RollbackVerdict => ({ kind: 'refused', release, because })
  if (release === null) return refuse('no-such-step')
  const served = servedOf(chain)
  if (served?.step === step) return refuse('already-served')
  const content = contentRefusal(release)
  if (content !== null) return refuse(content)
  switch (facts.way) {
    case 'none':
      return refuse('no-way')
    case 'api':
      if (!facts.serving) return refuse('not-serving')
      return { kind: 'api', release, wait: waitFor(facts) }
    case 'redeploy': {
      if (facts.lora) return refuse('adapter-as-files')
      if (release.checkpoint === null) return refuse('export-unknown')
      if (facts.exportWhole === false) return refuse('export-broken')
      return {
        kind: 'redeploy',
        release,
        checkpoint: release.checkpoint,
        wait: waitFor(facts),
        undoable: facts.serving ? facts.marker !== 'unreadable' : startsAgain(facts.marker)
      }
    }
  }
}

/** Whether a held release can be served. Promotion always goes through the service. */
export function judgePromote(
  chain: readonly Release[],
  step: number,
  facts: Pick<RollbackFacts, 'serving' | 'jobOut'>
): PromoteVerdict {
  const release = chain.find((other) => other.step === step) ?? null
  const refuse = (because: Refusal): PromoteVerdict => ({ kind: 'refused', release, because })
  if (release === null) return refuse('no-such-step')
  if (release.served) return refuse('already-served')
  if (release.result !== 'pending') return refuse('not-held')
  if (!facts.serving) return refuse('not-serving')
  return { kind: 'api', release, wait: facts.jobOut === true ? 'commit' : 'nothing' }
}
