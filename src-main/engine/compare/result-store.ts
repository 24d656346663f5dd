import { randomUUID } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ResultTable } from '../../contract/compare'
import { errorCode, systemClock, type Clock } from '../lib'
import { parseResults } from './result-table'

/** File within a run folder; one table a line, only ever appended to. */
const FILE = 'results.jsonl'

/**
 * Attaches a table of results to a run. One short append, so any process may do it while another writes the run.
 * `known`: numbers of the releases the run has, where they are known.
 * @returns the table as it was kept
 */
export async function attachResults(
  runFolder: string,
  source: string,
  text: string,
  known: ReadonlySet<number> | null = null,
  clock: Clock = systemClock
): Promise<ResultTable> {
  const table: ResultTable = {
    id: randomUUID(),
    source,
    attachedAt: clock.now(),
    rows: parseResults(text, known)
  }
  const handle = await open(join(runFolder, FILE), 'a', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(table)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return table
}

/** Tables attached to a run, oldest first. A torn or foreign line is passed over and counted. */
export async function readResults(
  runFolder: string
): Promise<{ tables: ResultTable[]; unreadable: number }> {
  const text = await readFile(join(runFolder, FILE), 'utf8').catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return ''
    throw cause
  })
  const tables: ResultTable[] = []
  let unreadable = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    const table = tableOf(line)
    if (table === null) unreadable += 1
    else tables.push(table)
  }
  return { tables, unreadable }
}

function tableOf(line: string): ResultTable | null {
  try {
    const parsed = ResultTable.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
