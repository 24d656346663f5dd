import type { LogBook } from '../logs'
import { type Refusal, refusalIn, REFUSED } from './refusals'

const KEPT = 200
const LINES_A_TURN = 200

/** Refused reports and questions in the service's log, read on from where the last reading stopped. */
export class RefusalLog {
  private readonly read = new Map<string, number>()
  readonly found: Refusal[] = []
  /** False while older lines are still unread. */
  complete = false

  /** One turn of reading, at most about a second. */
  async refresh(book: LogBook): Promise<void> {
    const sources = await book.sources()
    const attempt = Math.max(0, ...sources.map((source) => source.attempt))
    const mine = sources.filter((source) => source.attempt === attempt && source.service === 'reef')
    this.complete = true
    for (const { id } of mine) {
      const after = this.read.get(id) ?? -1
      const filter = { text: REFUSED, regex: true, caseSensitive: true }
      const { lines, done, scanned } = await book.search(id, filter, after, LINES_A_TURN)
      for (const { text, at } of lines) {
        const refusal = refusalIn(text)
        if (refusal !== null) this.found.push({ at: at ?? null, ...refusal })
      }
      this.read.set(id, scanned - 1)
      if (!done) this.complete = false
    }
    this.found.splice(0, Math.max(0, this.found.length - KEPT))
  }
}
