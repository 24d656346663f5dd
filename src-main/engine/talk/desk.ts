import type { NamedRelease, TalkRecord } from '../../contract/talk'
import { type BookRow, keptRecords, type RecordSource } from '../records'
import { type KeptRecords, ReefClient, type RunService, type ServiceAccess } from '../stacks'
import { RecordBook } from './record-book'
import { serviceRecords } from './service-records'

/** The books of a run's scenarios, wherever they are read from. */
export abstract class Desk {
  private readonly books = new Map<string, RecordBook>()
  /** Chain steps ahead of the service's own commit steps, by scenario: storage begins at 0 after a redeploy. */
  private readonly offsets = new Map<string, number>()

  constructor(
    private readonly run: string,
    private readonly runs: Pick<RunService, 'chain'>,
    /** Reports that make one step, where the plan knows. */
    readonly batch: number | null,
    /** Never shown: hidden wherever it stands. */
    readonly token: string | null
  ) {}

  protected abstract source(scenario: string): Promise<RecordSource>

  /** The book of a scenario, read up to now. */
  async book(scenario: string): Promise<RecordBook> {
    const known = await this.bookOf(scenario)
    await known.refresh()
    if (!this.offsets.has(scenario)) await this.findOffset(scenario)
    return known
  }

  /** What a record holds; null when it is kept no more. */
  async content(scenario: string, id: string): Promise<unknown> {
    const book = await this.bookOf(scenario)
    return book.content({ id, sequence: book.byId.get(id)?.sequence ?? 0 })
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

  private async bookOf(scenario: string): Promise<RecordBook> {
    const known = this.books.get(scenario)
    if (known !== undefined) return known
    const source = await this.source(scenario)
    // Somebody else may have asked for it meanwhile: there is one book.
    const book = this.books.get(scenario) ?? new RecordBook(source, scenario)
    this.books.set(scenario, book)
    return book
  }

  private async findOffset(scenario: string): Promise<void> {
    const { releases } = await this.runs.chain({ run: this.run, scenario })
    const newest = releases[0]
    // A chain that is still unread says nothing yet; it is asked for again next time.
    if (newest !== undefined) this.offsets.set(scenario, newest.step - newest.commitStep)
  }
}

/** One live service as it is talked with: how to reach it, and the books of its scenarios. */
export class LiveDesk extends Desk {
  readonly client: ReefClient

  constructor(
    readonly access: ServiceAccess,
    runs: Pick<RunService, 'chain'>,
    signal: AbortSignal
  ) {
    super(access.run, runs, access.batch, access.token)
    this.client = new ReefClient(access.address, access.token, signal)
  }

  protected source(scenario: string): Promise<RecordSource> {
    return Promise.resolve(serviceRecords(this.client, scenario))
  }
}

/** What an ended service left of its records. */
export class KeptDesk extends Desk {
  constructor(
    readonly kept: KeptRecords,
    runs: Pick<RunService, 'chain'>
  ) {
    super(kept.run, runs, kept.batch, kept.token)
  }

  protected source(scenario: string): Promise<RecordSource> {
    return keptRecords({ ...this.kept, scenario })
  }
}
