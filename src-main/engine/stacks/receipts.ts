import { type BookRow, commitLog, keptRecords, type KeptPlace, type RecordSource } from '../records'
import type { RecordPages } from './record-pages'
import type { ReefClient } from './reef-client'

/** A record as far as a step's reward needs it. */
export type Scored = Pick<BookRow, 'id' | 'sequence' | 'type' | 'references' | 'score'>

/** What is told of the commits and records of one scenario. */
export interface Receipts {
  /** Whom is asked; what one does not tell another may. */
  from: 'service' | 'disk'
  /** Commits after a step, as they are told. `later`: no answer now; `untold`: there are none to be had here. */
  commits(after: number): Promise<readonly Record<string, unknown>[] | 'later' | 'untold'>
  /** Records after a sequence number, oldest first; null when no more of them can be had now. */
  records(after: number): Promise<{ rows: readonly Scored[]; done: boolean } | null>
}

/** Of a live service (`GET /reef/scenarios/{scenario}/commits` and `/records`), for one look. */
export function servedReceipts(client: ReefClient, scenario: string, pages: RecordPages): Receipts {
  return {
    from: 'service',
    async commits(after) {
      const answer = await client.commits(scenario, after)
      if (answer.kind === 'ok') return answer.value
      return answer.kind === 'away' ? 'later' : 'untold'
    },
    async records(after) {
      const page = await pages.after(after)
      if (page === null) return null
      const rows = page.rows.map((record): Scored => {
        const { sequence, request_type: type, references, score } = record
        // One without an id can be consumed by nobody; it still moves the reading on.
        const id = record.agent_record_id ?? `#${sequence}`
        return { id, sequence, type, references: references ?? [], score: score ?? null }
      })
      return { rows, done: page.done }
    }
  }
}

/**
 * Of a service that has ended, from the files it left. `more` is asked before each reading: a store may be large.
 * The readings throw FailureError where the records are not to be had: `records-not-there`, `records-unreadable`.
 */
export function keptReceipts(place: KeptPlace, more: () => boolean): Receipts {
  let source: Promise<RecordSource> | null = null
  let log: ReturnType<typeof commitLog> | null = null
  return {
    from: 'disk',
    commits: () => (log ??= commitLog(place)),
    async records(after) {
      if (!more()) return null
      source ??= keptRecords(place)
      return (await source).rows(after)
    }
  }
}
