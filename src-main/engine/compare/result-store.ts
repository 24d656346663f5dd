import { randomUUID } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ResultTable } from '../../contract/compare'
import { errorCode, fail, systemClock, type Clock } from '../lib'
import { parseResults } from './result-table'

/** File within a run folder; one table, or the removal of a task, a line; only ever appended to. */
const FILE = 'results.jsonl'

/** Takes back what was attached of a task so far; what is attached of it later counts again. */
const Removal = z.object({ removed: z.string(), removedAt: z.number() })

async function appendLine(runFolder: string, line: object): Promise<void> {
  const handle = await open(join(runFolder, FILE), 'a', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(line)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

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
  await appendLine(runFolder, table)
  return table
}

/**
 * Takes the results of a task back. The lines that attached them stay in the file.
 * @returns how many rows are gone
 * @throws FailureError `result-unknown` when the run has none of that task
 */
export async function removeResults(
  runFolder: string,
  task: string,
  clock: Clock = systemClock
): Promise<number> {
  const { tables } = await readResults(runFolder)
  const tasks = tables.flatMap(({ rows }) => rows.map((row) => row.task))
  const count = tasks.filter((one) => one === task).length
  if (count === 0)
    return fail({
      code: 'result-unknown',
      what: {
        en: `No results of the task “${task}” are attached to this run.`,
        zh: `该运行没有附加任务“${task}”的结果。`
      },
      ...(tasks.length === 0 ? {} : { detail: [...new Set(tasks)].sort().join(', ') })
    })
  await appendLine(runFolder, { removed: task, removedAt: clock.now() })
  return count
}

/** Tables attached to a run, oldest first, without what was removed since. A torn or foreign line is counted. */
export async function readResults(
  runFolder: string
): Promise<{ tables: ResultTable[]; unreadable: number }> {
  const text = await readFile(join(runFolder, FILE), 'utf8').catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return ''
    throw cause
  })
  let tables: ResultTable[] = []
  let unreadable = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    const entry = entryOf(line)
    if (entry === null) unreadable += 1
    else if ('removed' in entry) tables = without(tables, entry.removed)
    else tables.push(entry)
  }
  return { tables, unreadable }
}

/** A table that holds nothing else goes with its last row. */
function without(tables: readonly ResultTable[], task: string): ResultTable[] {
  return tables.flatMap((table) => {
    const rows = table.rows.filter((row) => row.task !== task)
    if (rows.length === table.rows.length) return [table]
    return rows.length === 0 ? [] : [{ ...table, rows }]
  })
}

const Entry = z.union([ResultTable, Removal])

function entryOf(line: string): z.infer<typeof Entry> | null {
  try {
    const parsed = Entry.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
