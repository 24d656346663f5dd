import type { BookRow, RecordSource } from '../records'

export type { BookRow } from '../records'

/** Pages of one refresh: a long history is read over several, so that no call waits for all of it. */
const PAGES = 50
/** Most rows kept; beyond it the oldest are let go. */
const MOST_ROWS = 200_000

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
    private readonly source: RecordSource,
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

  /** What a record holds; null when it is kept no more. */
  content(row: Pick<BookRow, 'id' | 'sequence'>): Promise<unknown> {
    return this.source.content(row)
  }

  private async read(): Promise<void> {
    if (this.stepOf.size === 0) await this.readCreation()
    this.complete = false
    for (let page = 0; page < PAGES && !this.complete; page += 1) {
      const { rows, done, enough } = await this.source.rows(this.afterSequence)
      for (const row of rows) this.add(row)
      this.complete = done
      if (enough === true) break
    }
    await this.readCommits()
  }

  private async readCommits(): Promise<void> {
    for (let page = 0; page < PAGES; page += 1) {
      const { commits, done } = await this.source.commits(this.newestStep)
      for (const { step, releaseId, consumed } of commits) {
        // A log may list a record again with later commits: the first one learnt from it.
        for (const id of consumed) if (!this.consumedBy.has(id)) this.consumedBy.set(id, step)
        if (releaseId !== null && !this.stepOf.has(releaseId)) this.stepOf.set(releaseId, step)
        this.newestStep = Math.max(this.newestStep, step)
      }
      if (done) return
    }
  }

  /** The release a scenario begins with is in no commit. */
  private async readCreation(): Promise<void> {
    const id = await this.source.creation()
    if (id !== null) this.stepOf.set(id, 0)
  }

  private add(row: BookRow): void {
    this.afterSequence = Math.max(this.afterSequence, row.sequence)
    if (this.byId.has(row.id)) return
    this.rows.push(row)
    this.byId.set(row.id, row)
    if (row.type === 'report') {
      for (const id of row.references) {
        const known = this.about.get(id)
        // Many may report on one answer: a copy a report would cost the square of their number.
        if (known === undefined) this.about.set(id, [row])
        else known.push(row)
      }
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
