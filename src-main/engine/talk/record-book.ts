import { z } from 'zod'
import type { ReefClient } from '../stacks'
import { valueOf } from './refusals'

const Ref = z.looseObject({ release_id: z.string().nullish() })
const Row = z.looseObject({
  sequence: z.number(),
  agent_record_id: z.string(),
  request_type: z.string(),
  created_at: z.union([z.number(), z.string()]).nullish(),
  references: z.array(z.string()).nullish(),
  artifact_ref: z.unknown().optional(),
  score: z.number().nullish()
})
const Rows = z.looseObject({ records: z.array(Row) })
const Commit = z.looseObject({
  step: z.number(),
  artifact_ref: z.unknown().optional(),
  consumed_ids: z.array(z.string()).nullish()
})
const Commits = z.looseObject({ commits: z.array(Commit) })

/** A record's row as it is kept here. */
export interface BookRow {
  id: string
  sequence: number
  type: string
  createdAt: number | null
  references: readonly string[]
  score: number | null
  releaseId: string | null
}

const PAGE = 100
/** Pages of one refresh: a long history is read over several, so that no call waits for all of it. */
const PAGES = 50
/** Most rows kept; beyond it the oldest are let go. */
const MOST_ROWS = 200_000

/** Unix milliseconds of a time that may be seconds, milliseconds or a date. */
function millis(value: number | string | null | undefined): number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') {
    const parsed = Date.parse(value)
    return Number.isNaN(parsed) ? null : parsed
  }
  return value < 1e11 ? value * 1000 : value
}

function releaseOf(ref: unknown): string | null {
  const parsed = Ref.safeParse(ref)
  if (parsed.success) return parsed.data.release_id ?? null
  return typeof ref === 'string' ? ref : null
}

/** Rows and commits of one scenario, read on from where the last reading stopped. Contents are not kept. */
export class RecordBook {
  rows: BookRow[] = []
  readonly byId = new Map<string, BookRow>()
  /** Reports by the answer they are about. */
  readonly about = new Map<string, BookRow[]>()
  /** Commit step that consumed a record, by its id. */
  readonly consumedBy = new Map<string, number>()
  /** Commit step that first published a release, by its id. */
  readonly stepOf = new Map<string, number>()
  newestStep = 0
  /** False while older rows are still unread. */
  complete = false
  private afterSequence = 0
  private reading: Promise<void> | null = null

  constructor(
    private readonly client: ReefClient,
    readonly scenario: string
  ) {}

  /** Reads what is new; calls at the same time share one reading. */
  refresh(): Promise<void> {
    this.reading ??= this.read().finally(() => {
      this.reading = null
    })
    return this.reading
  }

  /** Commit step that learnt from a record: itself, or a report's answers where the service lists those. */
  learntBy(row: BookRow): number | null {
    const own = this.consumedBy.get(row.id)
    if (own !== undefined) return own
    const related =
      row.type === 'inference' ? (this.about.get(row.id) ?? []).map(({ id }) => id) : row.references
    for (const id of related) {
      const step = this.consumedBy.get(id)
      if (step !== undefined) return step
    }
    return null
  }

  private async read(): Promise<void> {
    const base = `/reef/scenarios/${encodeURIComponent(this.scenario)}`
    if (this.stepOf.size === 0) await this.readCreation()
    this.complete = false
    for (let page = 0; page < PAGES && !this.complete; page += 1) {
      const route = `${base}/records?after_sequence=${this.afterSequence}&limit=${PAGE}`
      const { records } = valueOf(await this.client.call('GET', route, Rows), route)
      for (const record of records) this.add(record)
      this.complete = records.length < PAGE
    }
    await this.readCommits(base)
  }

  private async readCommits(base: string): Promise<void> {
    for (let page = 0; page < PAGES; page += 1) {
      const route = `${base}/commits?after_step=${this.newestStep}&limit=${PAGE}`
      const { commits } = valueOf(await this.client.call('GET', route, Commits), route)
      for (const { step, artifact_ref: ref, consumed_ids: consumed } of commits) {
        for (const id of consumed ?? []) this.consumedBy.set(id, step)
        const release = releaseOf(ref)
        if (release !== null && !this.stepOf.has(release)) this.stepOf.set(release, step)
        this.newestStep = Math.max(this.newestStep, step)
      }
      if (commits.length < PAGE) return
    }
  }

  /** The release a scenario begins with is in no commit. */
  private async readCreation(): Promise<void> {
    const rows = await this.client.releases(this.scenario)
    if (rows.kind !== 'ok') return
    const id = rows.value[0]?.['release_id'] ?? rows.value[0]?.['artifact_version']
    if (typeof id === 'string') this.stepOf.set(id, 0)
  }

  private add(record: z.infer<typeof Row>): void {
    this.afterSequence = Math.max(this.afterSequence, record.sequence)
    if (this.byId.has(record.agent_record_id)) return
    const row: BookRow = {
      id: record.agent_record_id,
      sequence: record.sequence,
      type: record.request_type,
      createdAt: millis(record.created_at),
      references: record.references ?? [],
      score: record.score ?? null,
      releaseId: releaseOf(record.artifact_ref)
    }
    this.rows.push(row)
    this.byId.set(row.id, row)
    if (row.type === 'report') {
      for (const id of row.references) this.about.set(id, [...(this.about.get(id) ?? []), row])
    }
    if (this.rows.length > MOST_ROWS) this.forgetOldest()
  }

  private forgetOldest(): void {
    const gone = this.rows.splice(0, MOST_ROWS / 10)
    for (const { id } of gone) {
      this.byId.delete(id)
      this.about.delete(id)
    }
  }
}
