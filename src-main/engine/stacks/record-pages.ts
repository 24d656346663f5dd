import type { ReefClient, RecordRow } from './reef-client'

/** Most records the service gives at once (`limit`, `GET /reef/scenarios/{scenario}/records`). */
const RECORDS_A_PAGE = 100

/** Records after a sequence number, oldest first. `done`: there were no more when they were asked for. */
interface RecordPage {
  rows: readonly RecordRow[]
  done: boolean
}

/**
 * Records of one scenario of a live service during one look. Several read them, each from where it stopped; a page is
 * asked for once: whoever begins earliest reads first.
 */
export class RecordPages {
  /** Without a gap, all that follow `from` as far as they were asked for. */
  private rows: RecordRow[] = []
  private from = Number.POSITIVE_INFINITY
  private done = false
  private asked = 0
  /** Whether somebody was refused a page because the look had taken long enough. */
  cut = false

  constructor(
    private readonly client: ReefClient,
    private readonly scenario: string,
    /** Whether there is time for another page. The first is asked for in any case. */
    private readonly more: () => boolean
  ) {}

  /** What follows a sequence number; null when no more can be had in this look. */
  async after(sequence: number): Promise<RecordPage | null> {
    const known = this.known(sequence)
    if (known !== null) return known
    if (this.asked > 0 && !this.more()) {
      this.cut = true
      return null
    }
    this.asked += 1
    const answer = await this.client.records(this.scenario, sequence)
    if (answer.kind !== 'ok') return null
    const newest = answer.value.at(-1)?.sequence ?? sequence
    // A service that pays no heed to the number would be asked for ever.
    const done = answer.value.length < RECORDS_A_PAGE || newest <= sequence
    const page = { rows: answer.value, done }
    if (sequence !== this.last) {
      this.from = sequence
      this.rows = []
    }
    this.rows.push(...page.rows)
    this.done = done
    return page
  }

  private get last(): number {
    return this.rows.at(-1)?.sequence ?? this.from
  }

  private known(sequence: number): RecordPage | null {
    if (sequence < this.from || (sequence >= this.last && !this.done)) return null
    const at = this.rows.findIndex((row) => row.sequence > sequence)
    return { rows: at === -1 ? [] : this.rows.slice(at), done: this.done }
  }
}
