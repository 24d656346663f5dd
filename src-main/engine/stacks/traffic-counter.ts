import type { TrafficCount } from '../runs'
import type { RecordPages } from './record-pages'
import type { ReefStatus } from './reef-client'

/** Counts a scenario's inference and report records by reading the list on from where it stopped. */
export async function countTraffic(
  pages: RecordPages,
  scenario: string,
  before: TrafficCount
): Promise<{
  count: TrafficCount
  /** Nothing more was there, or nobody answers. */ done: boolean
}> {
  const count: TrafficCount = { ...before, after: { ...before.after } }
  for (;;) {
    const page = await pages.after(count.after[scenario] ?? 0)
    if (page === null) return { count, done: !pages.cut }
    for (const record of page.rows) {
      if (record.request_type === 'inference') count.served += 1
      if (record.request_type === 'report') count.reported += 1
      count.after[scenario] = Math.max(record.sequence, count.after[scenario] ?? 0)
    }
    if (page.done) return { count, done: true }
  }
}

/** Names under which processors tell how many reports wait for a batch. */
const buffered = ['buffered_requests', 'buffered_reports', 'pending_reports']

/** Reports in the batch being filled, where the service says it. */
export function batchHave(status: ReefStatus, scenario: string | undefined): number | null {
  const processor = scenario === undefined ? null : status.scenarios[scenario]?.processor
  for (const name of buffered) {
    const value = processor?.[name]
    if (typeof value === 'number') return Math.trunc(value)
  }
  return null
}
