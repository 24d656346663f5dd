import type { FileAccess } from '../targets'
import { type BookRow, parseRow, type RecordSource } from './record-source'
import { openPages, type SqlitePages, unreadable } from './sqlite-pages'
import {
  findTable,
  rowsAfter,
  type SqliteRow,
  type SqliteTable,
  type SqlValue
} from './sqlite-table'

/** Rows of one turn, and bytes: contents lie between the rows and have to be passed over. */
const ROWS_A_TURN = 2000
const BYTES_A_TURN = 128 << 20

/**
 * Rows of one scenario in Reef's record store: table `agent_record`, with contents as JSON text
 * (`reef/scenario/store.py`). Null when the file has no such table, or no row of the scenario.
 */
export async function openRecordTable(
  files: FileAccess,
  path: string,
  scenario: string
): Promise<Pick<RecordSource, 'rows' | 'content'> | null> {
  const pages = await openPages(files, path)
  const table = await tableIn(pages, path)
  if (table === null) return null
  if (table.rowid !== 'sequence') return unreadable(path, 'the table is not ordered by sequence')
  const all = async function* (after: number): AsyncGenerator<SqliteRow, void, undefined> {
    try {
      yield* rowsAfter(pages, table, after)
    } catch (thrown) {
      // A number in a damaged page that leads outside of it.
      if (thrown instanceof RangeError) return unreadable(path, thrown.message)
      throw thrown
    }
  }
  const ours = async function* (after: number): AsyncGenerator<SqliteRow, void, undefined> {
    for await (const row of all(after)) if (row.values.get('scenario') === scenario) yield row
  }
  const first = await ours(Number.NEGATIVE_INFINITY).next()
  if (first.done === true) return null
  return {
    async rows(after) {
      const rows: BookRow[] = []
      const began = pages.bytesRead
      for await (const { values } of ours(after)) {
        const row = rowOf(values)
        if (row !== null) rows.push(row)
        const enough = pages.bytesRead - began > BYTES_A_TURN
        if (enough || rows.length === ROWS_A_TURN) return { rows, done: false, enough: true }
      }
      return { rows, done: true }
    },
    async content({ id, sequence }) {
      for await (const { values } of all(sequence - 1)) {
        if (values.get('agent_record_id') !== id) return null
        return json(values.get('payload_json'))
      }
      return null
    }
  }
}

async function tableIn(pages: SqlitePages, path: string): Promise<SqliteTable | null> {
  try {
    return await findTable(pages, 'agent_record')
  } catch (thrown) {
    if (thrown instanceof RangeError) return unreadable(path, thrown.message)
    throw thrown
  }
}

/** The row as the service would give it; a report's score stands in its content. */
function rowOf(values: ReadonlyMap<string, SqlValue>): BookRow | null {
  const type = values.get('request_type')
  const content = type === 'report' ? json(values.get('payload_json')) : null
  const score =
    typeof content === 'object' && content !== null && 'score' in content ? content.score : null
  return parseRow({
    sequence: values.get('sequence'),
    agent_record_id: values.get('agent_record_id'),
    request_type: type,
    created_at: values.get('created_at') ?? null,
    references: json(values.get('references_json')) ?? [],
    artifact_ref: json(values.get('artifact_json')) ?? undefined,
    score: typeof score === 'number' ? score : null
  })
}

/** The value of a JSON text; null for anything else, as for a content that was let go. */
function json(value: SqlValue | undefined): unknown {
  if (typeof value !== 'string') return null
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}
