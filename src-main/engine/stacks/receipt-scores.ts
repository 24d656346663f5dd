import { z } from 'zod'
import { type MetricStore, REWARD_BY_RECEIPT, type Row } from '../metrics'
import type { ReleaseRow } from '../runs'
import type { RecordRow, ReefClient } from './reef-client'

/** Pages of records one look reads; a long history is read over several. */
const PAGES = 10
const RECORDS_A_PAGE = 100
/** Most records kept in mind until a step consumes them. A record older than that counts as not to be had. */
const MOST_KNOWN = 20_000

/** What is known of a record that a step may consume. */
type Known = Pick<RecordRow, 'sequence' | 'score'> & {
  kind: 'report' | 'other'
  references: readonly string[]
}

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
  const named = consumed.filter((id) => known.get(id)?.kind === 'report')
  const reports = (named.length > 0 ? named : reportsAbout(consumed, known)).filter((id) =>
    Number.isFinite(known.get(id)?.score)
  )
  if (reports.length === 0) return { kind: 'none' }
  const sum = reports.reduce((all, id) => all + (known.get(id)?.score ?? 0), 0)
  return { kind: 'mean', value: sum / reports.length, reports }
}

function reportsAbout(answers: readonly string[], known: ReadonlyMap<string, Known>): string[] {
  const asked = new Set(answers)
  return [...known].flatMap(([id, { kind, references }]) =>
    kind === 'report' && references.some((reference) => asked.has(reference)) ? [id] : []
  )
}

const State = z.object({ after: z.number() })
const Commit = z.looseObject({
  consumed_ids: z.array(z.string()).nullish(),
  recorded_at: z.number().nullish(),
  metrics: z.looseObject({ 'train/step': z.unknown().optional() }).nullish()
})

/**
 * Writes the exact reward of each step of a chain into the run's metrics: receipts say which reports a step consumed,
 * records what those scored (`GET /reef/scenarios/{scenario}/commits` and `/records`). A stack that does not tell
 * these has no such curve; the trainer's own mean then stands for the reward.
 */
export class ReceiptScores {
  /** By scenario: records that no step before consumed, in their order. */
  private readonly known = new Map<string, Map<string, Known>>()
  private readonly after = new Map<string, number>()
  /** Rows there were when a scenario's steps were last all taken in. */
  private readonly taken = new Map<string, number>()

  constructor(
    private readonly options: { metrics: MetricStore; attempt: number; storage: number }
  ) {}

  /** Takes in the steps that are new. Rows of other scenarios and storages are passed over. */
  async look(client: ReefClient, scenario: string, rows: readonly ReleaseRow[]): Promise<void> {
    if (this.taken.get(scenario) === rows.length) return
    const { metrics, attempt, storage } = this.options
    const source = `${storage}/receipts/${scenario}`
    const cursor = metrics.cursor(source)
    const done = cursor?.offset ?? 0
    const fresh = rows
      .filter((row) => row.scenario === scenario && row.storage === storage && row.step > done)
      .filter(({ commit }) => commit !== null)
      .sort((a, b) => a.step - b.step)
    const newest = fresh.at(-1)
    if (newest === undefined) {
      this.taken.set(scenario, rows.length)
      return
    }
    if (!this.after.has(scenario)) this.after.set(scenario, afterOf(cursor?.state))
    if (!(await this.read(client, scenario))) return
    const known = this.knownOf(scenario)
    const measured = fresh.flatMap(({ commit, step, at }): Row[] => {
      const {
        consumed_ids: ids,
        recorded_at: seconds,
        metrics: told
      } = Commit.safeParse(commit).data ?? {}
      const consumed = ids ?? []
      const reward = stepReward(consumed, known)
      for (const id of consumed) forget(known, id)
      if (reward.kind === 'mean') for (const id of reward.reports) forget(known, id)
      if (reward.kind !== 'mean') return []
      const time = typeof seconds === 'number' ? seconds * 1000 : at
      const keys = [REWARD_BY_RECEIPT]
      const place = placeOf(told?.['train/step'], step)
      return [{ ...place, at: time, keys, values: [reward.value] }]
    })
    const state = JSON.stringify({ after: this.beforeOldest(scenario) })
    await metrics.append({ source, attempt, from: done, to: newest.step, state, rows: measured })
    this.taken.set(scenario, rows.length)
  }

  /** Reads records on to their end; false when that is not reached yet, or the service does not answer. */
  private async read(client: ReefClient, scenario: string): Promise<boolean> {
    for (let page = 0; page < PAGES; page += 1) {
      const answer = await client.records(scenario, this.after.get(scenario) ?? 0)
      if (answer.kind !== 'ok') return false
      for (const record of answer.value) this.take(scenario, record)
      if (answer.value.length < RECORDS_A_PAGE) return true
    }
    return false
  }

  private take(scenario: string, record: RecordRow): void {
    const { sequence, agent_record_id: id, request_type: type } = record
    this.after.set(scenario, Math.max(sequence, this.after.get(scenario) ?? 0))
    if (id === undefined) return
    const known = this.knownOf(scenario)
    known.set(id, {
      sequence,
      score: record.score,
      kind: type === 'report' ? 'report' : 'other',
      references: record.references ?? []
    })
    for (const oldest of known.keys()) {
      if (known.size <= MOST_KNOWN) break
      known.delete(oldest)
    }
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
