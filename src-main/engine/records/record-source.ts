import { z } from 'zod'

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

/** What a commit says of records. */
export interface BookCommit {
  step: number
  releaseId: string | null
  consumed: readonly string[]
}

/** Where the records of one scenario are read from: the service that has them, or the files it left. */
export interface RecordSource {
  /** Rows after a sequence number, oldest first. `done`: there are no more; `enough`: so much was read that others should get a turn. */
  rows(after: number): Promise<{ rows: readonly BookRow[]; done: boolean; enough?: boolean }>
  commits(after: number): Promise<{ commits: readonly BookCommit[]; done: boolean }>
  /** Id of the release the scenario began with, which is in no commit; null where nothing says it. */
  creation(): Promise<string | null>
  /** What a record holds; null when it is kept no more. */
  content(row: Pick<BookRow, 'id' | 'sequence'>): Promise<unknown>
}

const Ref = z.looseObject({ release_id: z.string().nullish() })
/** A record as a service tells it (`docs/reference/http-api.rst`). */
export const RecordShape = z.looseObject({
  sequence: z.number(),
  agent_record_id: z.string(),
  request_type: z.string(),
  created_at: z.union([z.number(), z.string()]).nullish(),
  references: z.array(z.string()).nullish(),
  artifact_ref: z.unknown().optional(),
  score: z.number().nullish()
})
/** A commit as a service tells it. */
export const CommitShape = z.looseObject({
  step: z.number(),
  artifact_ref: z.unknown().optional(),
  consumed_ids: z.array(z.string()).nullish()
})

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

/** A record's row in the form kept here. */
export function rowOf(record: z.infer<typeof RecordShape>): BookRow {
  return {
    id: record.agent_record_id,
    sequence: record.sequence,
    type: record.request_type,
    createdAt: millis(record.created_at),
    references: record.references ?? [],
    score: record.score ?? null,
    releaseId: releaseOf(record.artifact_ref)
  }
}

/** A commit in the form kept here. */
export function commitOf({
  step,
  artifact_ref: ref,
  consumed_ids: ids
}: z.infer<typeof CommitShape>): BookCommit {
  return { step, releaseId: releaseOf(ref), consumed: ids ?? [] }
}

/** A row in the service's own form; null when it is none. */
export function parseRow(value: unknown): BookRow | null {
  const parsed = RecordShape.safeParse(value)
  return parsed.success ? rowOf(parsed.data) : null
}

/** A commit in the service's own form; null when it is none. */
export function parseBookCommit(value: unknown): BookCommit | null {
  const parsed = CommitShape.safeParse(value)
  return parsed.success ? commitOf(parsed.data) : null
}
