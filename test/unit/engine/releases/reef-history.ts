import fc from 'fast-check'

/** What a scenario can do, as the property tests draw it. Numbers choose among what is there. */
export type Act =
  | { kind: 'train'; saved: boolean; consumed: number }
  | { kind: 'reject' }
  | { kind: 'skip'; failed: boolean }
  | { kind: 'hold' }
  | { kind: 'promote'; pick: number }
  | { kind: 'rollback'; pick: number }

export const actArbitrary: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('train' as const),
      saved: fc.boolean(),
      consumed: fc.nat(40)
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reject' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('skip' as const), failed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hold' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('promote' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rollback' as const), pick: fc.nat() }) }
)

interface Ref {
  releaseId: string
  parent: string | null
  content: string
  live: boolean
}

interface Commit {
  step: number
  ref: Ref
  checkpoint: boolean
  operation: 'training' | 'rollback' | 'promote'
  pending: boolean
  target: string | null
  metrics: Record<string, unknown> | null
  consumed: string[]
  recordedAt: number
}

/**
 * A scenario as Reef keeps it, small enough to check by eye, written without looking at the code under test:
 * it knows which step is served and where each one came from because it did them.
 */
export class ReefHistory {
  readonly creation: Ref = {
    releaseId: 'a'.repeat(40),
    parent: null,
    content: 'ck-base',
    live: false
  }
  readonly commits: Commit[] = []
  servedStep = 0
  /** Step each published step was made from. */
  readonly madeFrom = new Map<number, number | null>([[0, null]])
  private head: Ref = this.creation
  private durable: Ref = this.creation
  private serial = 0

  apply(act: Act): void {
    const step = this.commits.length + 1
    switch (act.kind) {
      case 'train':
        return this.publish(step, this.fresh(!act.saved), act.saved, {
          metrics: { 'rollout/rewards': step / 10 },
          consumed: Array.from({ length: act.consumed }, (_, i) => `r-${step}-${i}`)
        })
      case 'reject':
        return this.record(step, this.head, { metrics: { selected: false } })
      case 'skip':
        return this.record(step, this.head, {
          metrics: { skipped: 'nothing to do', ...(act.failed ? { error: 'worker died' } : {}) }
        })
      case 'hold':
        return this.record(step, this.fresh(false), {
          pending: true,
          checkpoint: true,
          metrics: { selected: true }
        })
      case 'promote': {
        const held = this.commits.filter((commit) => commit.pending)
        const chosen = held[act.pick % Math.max(1, held.length)]
        if (chosen === undefined) return
        return this.republish(step, chosen.ref, chosen.step, 'promote')
      }
      case 'rollback': {
        const choices = this.restorable()
        const chosen = choices[act.pick % choices.length]
        if (chosen === undefined || chosen.ref.releaseId === this.head.releaseId) return
        return this.republish(step, chosen.ref, chosen.step, 'rollback')
      }
    }
  }

  /** Steps whose content can be had again, with their references. */
  restorable(): { step: number; ref: Ref }[] {
    const steps = [{ step: 0, ref: this.creation }]
    for (const { step, ref, checkpoint } of this.commits) if (checkpoint) steps.push({ step, ref })
    return steps
  }

  /** Steps on the way back from the served one. */
  line(): Set<number> {
    const line = new Set<number>()
    for (
      let at: number | null | undefined = this.servedStep;
      at !== null && at !== undefined;
      at = this.madeFrom.get(at)
    )
      line.add(at)
    return line
  }

  private fresh(live: boolean): Ref {
    this.serial += 1
    const id = this.serial.toString(16).padStart(40, '0')
    return {
      releaseId: live ? `live:77:${this.serial}:${this.commits.length + 1}` : id,
      parent: this.durable.releaseId,
      content: `ck-${this.serial}`,
      live
    }
  }

  private publish(step: number, ref: Ref, saved: boolean, extra: Partial<Commit>): void {
    this.record(step, ref, { ...extra, checkpoint: saved })
    this.madeFrom.set(step, this.servedStep)
    this.servedStep = step
    this.head = ref
    if (saved) this.durable = ref
  }

  private republish(
    step: number,
    source: Ref,
    from: number,
    operation: 'rollback' | 'promote'
  ): void {
    const ref = { ...this.fresh(false), content: source.content }
    this.record(step, ref, { checkpoint: true, operation, target: source.releaseId, metrics: null })
    this.madeFrom.set(step, from)
    if (!this.madeFrom.has(from)) this.madeFrom.set(from, this.servedBefore(from))
    this.servedStep = step
    this.head = ref
    this.durable = ref
  }

  private servedBefore(step: number): number {
    const published = [...this.madeFrom.keys()].filter((other) => {
      const commit = this.commits[other - 1]
      return other < step && commit?.pending !== true
    })
    return Math.max(...published)
  }

  private record(step: number, ref: Ref, extra: Partial<Commit>): void {
    this.commits.push({
      step,
      ref,
      checkpoint: false,
      operation: 'training',
      pending: false,
      target: null,
      metrics: null,
      consumed: [],
      recordedAt: 1_758_790_000.25 + step * 61.5,
      ...extra
    })
  }

  /** `GET …/releases` (B, C) or `GET …/versions` (A): newest first, without steps in the newer ones. */
  releaseList(generation: 'A' | 'B' | 'C'): unknown {
    const row = (ref: Ref, commit: Commit | null): Record<string, unknown> => {
      const operation = commit?.operation ?? 'creation'
      const ids =
        generation === 'A'
          ? {
              version: ref.releaseId,
              parent_version: ref.parent,
              artifact_id: ref.content,
              kind: operation,
              step: commit?.step ?? 0,
              ...(ref.live ? { weight_version: '77:1' } : {})
            }
          : {
              release_id: ref.releaseId,
              parent_release_id: ref.parent,
              content_id: ref.content,
              content_kind: ref.live ? 'live_weights' : 'saved_artifact',
              operation,
              ...(ref.live ? { runtime_load_id: '77:1' } : {}),
              ...(generation === 'C'
                ? { component: 'policy', base_release_id: 'x', from_the_future: { a: 1 } }
                : {})
            }
      const checkpoint = commit?.checkpoint ?? true
      const targetKey =
        generation === 'A' ? 'rollback_target_artifact_version' : 'rollback_target_release_id'
      return {
        ...ids,
        checkpoint,
        restorable: checkpoint && !ref.live,
        recorded_at: commit?.recordedAt ?? null,
        pending: commit?.pending ?? false,
        current: (commit?.step ?? 0) === this.commits.length,
        record_progress: { high_water_sequence: 1, high_water_offset: 0 },
        ...(commit?.target === null || commit === null ? {} : { [targetKey]: commit.target }),
        ...(commit?.metrics ? { metrics: commit.metrics } : {})
      }
    }
    const rows = [
      row(this.creation, null),
      ...this.commits.map((commit) => row(commit.ref, commit))
    ].reverse()
    return generation === 'A'
      ? { scenario: 's', versions: rows }
      : { scenario: 's', releases: rows }
  }

  private reference(ref: Ref, generation: 'A' | 'B' | 'C'): Record<string, unknown> {
    const kind = ref.live ? 'weight' : 'artifact'
    return generation === 'A'
      ? {
          kind,
          artifact_id: ref.content,
          version: ref.releaseId,
          parent_version: ref.parent,
          ...(ref.live ? { weight_version: '77:1' } : {})
        }
      : {
          kind,
          content_id: ref.content,
          release_id: ref.releaseId,
          parent_release_id: ref.parent,
          ...(ref.live ? { runtime_load_id: '77:1' } : {})
        }
  }

  commitList(generation: 'A' | 'B' | 'C'): unknown {
    return {
      scenario: 's',
      commits: this.commits.map((commit) => ({
        step: commit.step,
        operation: commit.operation,
        operation_verified: true,
        recorded_at: commit.recordedAt,
        artifact_ref: this.reference(commit.ref, generation),
        pending: commit.pending,
        consumed_ids: commit.consumed,
        metrics: commit.metrics
      })),
      next_after_step: null
    }
  }

  /** The commit log, one line a commit. */
  log(generation: 'A' | 'B' | 'C', scenario = 's'): string {
    return this.commits
      .map((commit) =>
        JSON.stringify({
          algorithm_state: null,
          artifact_ref: this.reference(commit.ref, generation),
          checkpoint: commit.checkpoint,
          ...(commit.metrics === null ? {} : { metrics: commit.metrics }),
          ...(commit.operation === 'training' ? {} : { operation: commit.operation }),
          ...(commit.pending ? { pending: true } : {}),
          record: generation === 'A' ? 'reef-commit/4' : 'reef-commit/5',
          record_progress: {
            consumed_ids: commit.consumed,
            high_water_offset: 0,
            high_water_sequence: 1,
            ...(generation === 'C' ? {} : { compacted_ids: [] })
          },
          recorded_at: commit.recordedAt,
          ...(commit.target === null
            ? {}
            : generation === 'A'
              ? { rollback_target_artifact_version: commit.target }
              : { rollback_target_release_id: commit.target }),
          scenario,
          step: commit.step
        })
      )
      .map((line) => `${line}\n`)
      .join('')
  }
}
