import type { TrafficCount } from '../runs'
import type { ReefClient, ReefStatus } from './reef-client'

/** Most pages of one look: a long backlog is counted over several. */
const PAGES = 2

/** Counts a scenario's inference and report records by reading the list on from where it stopped. */
export async function countTraffic(
  client: ReefClient,
  scenario: string,
  before: TrafficCount
): Promise<{
  count: TrafficCount
  /** Nothing more was there, or nobody answered. */ done: boolean
}> {
  const count: TrafficCount = { ...before, after: { ...before.after } }
  for (let page = 0; page < PAGES; page += 1) {
    const from = count.after[scenario] ?? 0
    const answer = await client.records(scenario, from)
    if (answer.kind !== 'ok') return { count, done: true }
    for (const record of answer.value) {
      if (record.request_type === 'inference') count.served += 1
      if (record.request_type === 'report') count.reported += 1
      count.after[scenario] = Math.max(record.sequence, count.after[scenario] ?? 0)
    }
    if (answer.value.length < 100) return { count, done: true }
  }
  return { count, done: false }
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
