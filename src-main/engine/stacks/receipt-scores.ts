import { z } from 'zod'
import { type MetricStore, REWARD_BY_RECEIPT, type Row } from '../metrics'
import type { ReleaseRow } from '../runs'
import type { Receipts, Scored } from './receipts'

/** Most records kept in mind until a step consumes them. A record older than that counts as not to be had. */
const MOST_KNOWN = 20_000
/** Read ahead of the step in question: where a commit lists answers, the reports about them come later. */
const READ_AHEAD = MOST_KNOWN / 2

type Known = Omit<Scored, 'id'>

/** What a step's reports say of its reward; `unknown` when one of what it consumed cannot be read. */
type StepReward =
  | { kind: 'mean'; value: number; reports: readonly string[] }
  | { kind: 'none' }
  | { kind: 'unknown' }

/**
 * The mean score of the reports a step consumed. A commit lists reports, or the answers they are about: then the
 * reports about those count.
 */
function stepReward(consumed: readonly string[], known: ReadonlyMap<string, Known>): StepReward {
  if (!consumed.every((id) => known.has(id))) return { kind: 'unknown' }
  const named = consumed.filter((id) => known.get(id)?.type === 'report')
  const reports = (named.length > 0 ? named : reportsAbout(consumed, known)).filter((id) =>
    Number.isFinite(known.get(id)?.score)
  )
  if (reports.length === 0) return { kind: 'none' }
  const sum = reports.reduce((all, id) => all + (known.get(id)?.score ?? 0), 0)
  return { kind: 'mean', value: sum / reports.length, reports }
}

function reportsAbout(answers: readonly string[], known: ReadonlyMap<string, Known>): string[] {
  const asked = new Set(answers)
  return [...known].flatMap(([id, { type, references }]) =>
    type === 'report' && references.some((reference) => asked.has(reference)) ? [id] : []
  )
}

const State = z.object({ after: z.number() })
const Ids = z.array(z.string()).nullish()
/** A commit as the service tells it, or as its line stands in the log, where the ids are within the progress. */
const Commit = z.looseObject({
  consumed_ids: Ids,
  record_progress: z.looseObject({ consumed_ids: Ids }).nullish(),
  recorded_at: z.number().nullish(),
  metrics: z.looseObject({ 'train/step': z.unknown().optional() }).nullish()
})
type Commit = z.infer<typeof Commit>

/** A row of the chain whose commit is known; null where the stack tells none. */
interface Step {
  step: number
  at: number
  commit: Commit | null
}

/**
 * Writes the exact reward of each step of a chain into the run's metrics: receipts say which reports a step consumed,
 * records what these scored. While the stack serves both are asked of it, afterwards they are read from what it left.
 * A stack that does not tell these has no such curve; the trainer's own mean then stands for the reward.
 */
export class ReceiptScores {
  /** By scenario: records that no step before consumed, in their order. */
  private readonly known = new Map<string, Map<string, Known>>()
  private readonly after = new Map<string, number>()
  /** Rows there were when a scenario's steps were last all taken in, and whom they were asked of. */
  private readonly taken = new Map<string, string>()

  constructor(
    private readonly options: { metrics: MetricStore; attempt: number; storage: number }
  ) {}

  /**
   * Takes in the steps that are new, as far as `receipts` tell their records now; the next look goes on from there.
   * Rows of other scenarios and storages are passed over. @throws what `receipts` throw.
   */
  async look(receipts: Receipts, scenario: string, rows: readonly ReleaseRow[]): Promise<void> {
    const state = `${receipts.from} ${rows.length}`
    if (this.taken.get(scenario) === state) return
    const { metrics, attempt, storage } = this.options
    const source = `${storage}/receipts/${scenario}`
    const cursor = metrics.cursor(source)
    const done = cursor?.offset ?? 0
    if (!this.after.has(scenario)) this.after.set(scenario, afterOf(cursor?.state))
    const fresh = rows
      .filter((row) => row.scenario === scenario && row.storage === storage && row.step > done)
      .sort((a, b) => a.step - b.step)
    const reading = new Reading(receipts, this.knownOf(scenario), this.after.get(scenario) ?? 0)
    const measured: Row[] = []
    let to = done
    let left = false
    for (const row of fresh) {
      const step = await reading.stepOf(row)
      if (step === 'untold') break
      left = step === 'later' || !(await reading.readFor(consumedBy(step.commit)))
      if (left || step === 'later') break
      measured.push(...this.rewardOf(step, reading.known))
      to = step.step
    }
    this.after.set(scenario, reading.after)
    if (to > done) {
      const next = JSON.stringify({ after: this.beforeOldest(scenario) })
      await metrics.append({ source, attempt, from: done, to, state: next, rows: measured })
    }
    if (!left) this.taken.set(scenario, state)
  }

  private rewardOf({ commit, step, at }: Step, known: Map<string, Known>): Row[] {
    const consumed = consumedBy(commit)
    const reward = stepReward(consumed, known)
    for (const id of consumed) forget(known, id)
    if (reward.kind !== 'mean') return []
    for (const id of reward.reports) forget(known, id)
    const seconds = commit?.recorded_at
    const time = typeof seconds === 'number' ? seconds * 1000 : at
    const place = placeOf(commit?.metrics?.['train/step'], step)
    return [{ ...place, at: time, keys: [REWARD_BY_RECEIPT], values: [reward.value] }]
  }

  /** Where an engine that takes over must begin to read: everything before was consumed or given up. */
  private beforeOldest(scenario: string): number {
    for (const { sequence } of this.knownOf(scenario).values()) return sequence - 1
    return this.after.get(scenario) ?? 0
  }

  private knownOf(scenario: string): Map<string, Known> {
    const known = this.known.get(scenario) ?? new Map<string, Known>()
    this.known.set(scenario, known)
    return known
  }
}

/** What one look reads of commits and records. */
class Reading {
  private readonly commits = new Map<number, unknown>()
  private ended = false

  constructor(
    private readonly receipts: Receipts,
    readonly known: Map<string, Known>,
    /** Sequence number of the newest record read. */
    public after: number
  ) {}

  /**
   * A row with its commit, which is asked for where the row came without. `later`: nobody answers now; `untold`: whom
   * is asked tells no commits.
   */
  async stepOf({ step, at, commit }: ReleaseRow): Promise<Step | 'later' | 'untold'> {
    if (commit === null && !this.commits.has(step)) {
      const told = await this.receipts.commits(step - 1)
      if (told === 'later' || told === 'untold') return told
      for (const one of told)
        if (typeof one['step'] === 'number') this.commits.set(one['step'], one)
    }
    const parsed = Commit.safeParse(commit ?? this.commits.get(step))
    return { step, at, commit: parsed.success ? parsed.data : null }
  }

  /** Reads on until the records a step consumed are known or all are read; false when that is not reached now. */
  async readFor(consumed: readonly string[]): Promise<boolean> {
    if (consumed.length === 0) return true
    for (;;) {
      const enough = this.known.size >= READ_AHEAD && consumed.every((id) => this.known.has(id))
      if (this.ended || enough) return true
      const page = await this.receipts.records(this.after)
      if (page === null) return false
      for (const record of page.rows) this.take(record)
      this.ended = page.done || page.rows.length === 0
    }
  }

  private take({ id, ...record }: Scored): void {
    this.after = Math.max(record.sequence, this.after)
    this.known.set(id, record)
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MOST_KNOWN) break
      this.known.delete(oldest)
    }
  }
}

function consumedBy(commit: Commit | null): readonly string[] {
  return commit?.consumed_ids ?? commit?.record_progress?.consumed_ids ?? []
}

/** Where the other curves of the step stand, when its row names the optimizer step; else the step of the chain. */
function placeOf(trainStep: unknown, step: number): Pick<Row, 'axis' | 'x'> {
  return typeof trainStep === 'number' && Number.isFinite(trainStep)
    ? { axis: 'step', x: trainStep }
    : { axis: 'commit', x: step }
}

/** A record that was learnt from, and the answers it was about. */
function forget(known: Map<string, Known>, id: string): void {
  for (const reference of known.get(id)?.references ?? []) known.delete(reference)
  known.delete(id)
}

function afterOf(state: string | undefined): number {
  if (state === undefined || state === '') return 0
  return State.parse(JSON.parse(state)).after
}
