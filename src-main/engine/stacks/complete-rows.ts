import type { Chain } from '../../contract/releases'
import { type Clock, FailureError } from '../lib'
import type { ReleaseRow, RunRecord } from '../runs'
import type { FileAccess } from '../targets'
import { isFinal } from './attempt-state'
import { hadReleases, rowsFromLogs } from './lost-releases'
import { ReleaseReader } from './release-reader'
import { servedLabel } from './served'

/**
 * A run's release rows, with those of an ended attempt that our own file lost (a torn last line, a full disk) read from
 * the stack's commit log. Writes nothing.
 */
export async function completeRows(
  record: RunRecord,
  rows: readonly ReleaseRow[],
  files: () => Promise<FileAccess>,
  clock: Clock
): Promise<readonly ReleaseRow[]> {
  const last = record.attempts.at(-1)
  const { scenarios, step } = record.seen
  if (last === undefined || last.recordDir === null || !isFinal(last.state)) return rows
  if (rows.length === 0 && hadReleases(record))
    return rowsFromLogs(record.attempts, scenarios, files, clock)
  if (servedLabel(rows, scenarios, record.attempts).step >= step) return rows
  const { number: attempt, storage, recordDir } = last
  const append = (): Promise<void> => Promise.resolve()
  const reader = new ReleaseReader({ attempt, storage, clock, known: rows, append })
  try {
    for (const scenario of scenarios) await reader.readLog(await files(), recordDir, scenario)
  } catch (cause) {
    // The stack's folders may be gone or away; what our own file has is still true.
    if (!(cause instanceof FailureError)) throw cause
  }
  return reader.rows
}

/** Nothing is called served when the run is known to have gone further than the rows that are there. */
export function withoutGuess(chain: Chain, { seen }: RunRecord): Chain {
  const newest = chain.releases[0]?.step ?? 0
  if (seen.scenarios.length > 1 || newest >= seen.step) return chain
  return { ...chain, releases: chain.releases.map((release) => ({ ...release, served: false })) }
}
