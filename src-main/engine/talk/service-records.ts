import { z } from 'zod'
import { commitOf, CommitShape, RecordShape, type RecordSource, rowOf } from '../records'
import type { ReefClient } from '../stacks'
import { valueOf } from './refusals'

const Rows = z.looseObject({ records: z.array(RecordShape) })
const Commits = z.looseObject({ commits: z.array(CommitShape) })
const Stored = z.looseObject({ payload: z.unknown() })

const PAGE = 100

/** Records of a live service. */
export function serviceRecords(client: ReefClient, scenario: string): RecordSource {
  const base = `/reef/scenarios/${encodeURIComponent(scenario)}`
  return {
    async rows(after) {
      const route = `${base}/records?after_sequence=${after}&limit=${PAGE}`
      const { records } = valueOf(await client.call('GET', route, Rows), route)
      return { rows: records.map(rowOf), done: records.length < PAGE }
    },
    async commits(after) {
      const route = `${base}/commits?after_step=${after}&limit=${PAGE}`
      const { commits } = valueOf(await client.call('GET', route, Commits), route)
      return { commits: commits.map(commitOf), done: commits.length < PAGE }
    },
    async creation() {
      const rows = await client.releases(scenario)
      if (rows.kind !== 'ok') return null
      const id = rows.value[0]?.['release_id'] ?? rows.value[0]?.['artifact_version']
      return typeof id === 'string' ? id : null
    },
    async content({ id }) {
      const route = `${base}/records/${encodeURIComponent(id)}`
      const answer = await client.call('GET', route, Stored)
      if (answer.kind === 'refused' && answer.status === 404) return null
      return valueOf(answer, route).payload
    }
  }
}
