import { z } from 'zod'
import { type MetricStore, REWARD_BY_RECEIPT, type Row } from '../metrics'
import type { ReleaseRow } from '../runs'
import type { Receipts } from './receipts'
import { type Known, RecordMemory, type RecordPlace } from './record-memory'

/**
 * Records read ahead of the step in question: where a commit lists answers, the reports about them come later. Half of
 * what is kept in mind.
 */
const READ_AHEAD = 10_000

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

/** Without a floor it was written when everything was read again from there. */
const State = z.object({ after: z.number(), floor: z.number().optional() })
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
  private readonly memories = new Map<string, RecordMemory>()
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
    const asked = `${receipts.from} ${rows.length}`
    if (this.taken.get(scenario) === asked) return
    const { metrics, attempt, storage } = this.options
    const source = `${storage}/receipts/${scenario}`
    const cursor = metrics.cursor(source)
    const done = cursor?.offset ?? 0
    const memory = this.memories.get(scenario) ?? new RecordMemory(placeIn(cursor?.state))
    this.memories.set(scenario, memory)
    const fresh = rows
      .filter((row) => row.scenario === scenario && row.storage === storage && row.step > done)
      .sort((a, b) => a.step - b.step)
    const reading = new Reading(receipts, memory)
    const measured: Row[] = []
    let to = done
    let left = false
    for (const row of fresh) {
      const step = await reading.stepOf(row)
      if (step === 'untold') break
      left = step === 'later' || !(await reading.readFor(consumedBy(step.commit)))
      if (left || step === 'later') break
      measured.push(...rewardOf(step, memory))
      to = step.step
    }
    if (to > done) {
      const state = JSON.stringify(memory.place)
      await metrics.append({ source, attempt, from: done, to, state, rows: measured })
    }
    if (!left) this.taken.set(scenario, asked)
  }
}

/** The step's point of the curve, none where it has no reward; what it consumed is forgotten. */
function rewardOf({ commit, step, at }: Step, memory: RecordMemory): Row[] {
  const consumed = consumedBy(commit)
  const reward = stepReward(consumed, memory.records)
  memory.consume(reward.kind === 'mean' ? [...consumed, ...reward.reports] : consumed)
  if (reward.kind !== 'mean') return []
  const seconds = commit?.recorded_at
  const time = typeof seconds === 'number' ? seconds * 1000 : at
  const place = placeOf(commit?.metrics?.['train/step'], step)
  return [{ ...place, at: time, keys: [REWARD_BY_RECEIPT], values: [reward.value] }]
}

/** What one look reads of commits and records. */
class Reading {
  private readonly commits = new Map<number, unknown>()
  private ended = false

  constructor(
    private readonly receipts: Receipts,
    private readonly memory: RecordMemory
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
    const { memory } = this
    for (;;) {
      const known = memory.hasAll(consumed)
      if (known && (this.ended || memory.size >= READ_AHEAD)) return true
      if (this.ended) {
        if (!memory.goBack()) return true
        this.ended = false
      }
      const page = await this.receipts.records(memory.after)
      if (page === null) return false
      for (const record of page.rows) memory.take(record)
      this.ended = page.done || page.rows.length === 0
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

function placeIn(state: string | undefined): RecordPlace {
  if (state === undefined || state === '') return { after: 0, floor: 0 }
  const { after, floor = after } = State.parse(JSON.parse(state))
  return { after, floor }
}
