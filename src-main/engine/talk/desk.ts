import type { NamedRelease, TalkRecord } from '../../contract/talk'
import { ReefClient, type RunService, type ServiceAccess } from '../stacks'
import { type BookRow, RecordBook } from './record-book'

/** One live service as it is talked with: how to reach it, and the books of its scenarios. */
export class Desk {
  readonly client: ReefClient
  private readonly books = new Map<string, RecordBook>()
  /** Chain steps ahead of the service's own commit steps, by scenario: storage begins at 0 after a redeploy. */
  private readonly offsets = new Map<string, number>()

  constructor(
    readonly access: ServiceAccess,
    private readonly runs: Pick<RunService, 'chain'>,
    signal: AbortSignal
  ) {
    this.client = new ReefClient(access.address, access.token, signal)
  }

  /** The book of a scenario, read up to now. */
  async book(scenario: string): Promise<RecordBook> {
    const known = this.books.get(scenario) ?? new RecordBook(this.client, scenario)
    this.books.set(scenario, known)
    await known.refresh()
    if (!this.offsets.has(scenario)) await this.findOffset(scenario)
    return known
  }

  /** Books read so far, without reading more. */
  get open(): readonly RecordBook[] {
    return [...this.books.values()]
  }

  forget(scenario: string): void {
    this.books.delete(scenario)
    this.offsets.delete(scenario)
  }

  chainStep(scenario: string, commitStep: number): number {
    return commitStep + (this.offsets.get(scenario) ?? 0)
  }

  named(book: RecordBook, releaseId: string | null): NamedRelease {
    const commit = releaseId === null ? undefined : book.stepOf.get(releaseId)
    return { releaseId, step: commit === undefined ? null : this.chainStep(book.scenario, commit) }
  }

  shown(book: RecordBook, row: BookRow): TalkRecord {
    const learnt = book.learntBy(row)
    return {
      id: row.id,
      sequence: row.sequence,
      type: row.type,
      createdAt: row.createdAt,
      references: [...row.references],
      score: row.score,
      release: this.named(book, row.releaseId),
      learntBy: learnt === null ? null : this.chainStep(book.scenario, learnt)
    }
  }

  private async findOffset(scenario: string): Promise<void> {
    const { releases } = await this.runs.chain({ run: this.access.run, scenario })
    const newest = releases[0]
    // A chain that is still unread says nothing yet; it is asked for again next time.
    if (newest !== undefined) this.offsets.set(scenario, newest.step - newest.commitStep)
  }
}
