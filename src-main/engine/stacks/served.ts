import type { Release } from '../../contract/releases'
import {
  buildBranchedChain,
  type ChainRow,
  type ExportFacts,
  mergeCommits,
  parseCommit,
  parseReleaseList,
  serves
} from '../releases'
import type { AttemptRecord, ReleaseRow } from '../runs'

type SteppedRow = ChainRow & { step: number }

/** Rows never change once kept, so each is read once however often the chain is built. */
const parsedRows = new WeakMap<ReleaseRow, readonly SteppedRow[]>()

function parseRow(row: ReleaseRow): readonly SteppedRow[] {
  const known = parsedRows.get(row)
  if (known !== undefined) return known
  const commit = row.commit === null ? null : parseCommit(row.commit)
  const log = row.from === 'commit-log' ? parseCommit(row.row) : null
  const base = log === null ? parseReleaseList({ releases: [row.row] }) : log.ok ? [log.row] : []
  const stepped = base.map((one) => ({ ...one, step: row.step }))
  const parsed = commit?.ok === true ? mergeCommits(stepped, [commit.row]) : stepped
  parsedRows.set(row, parsed)
  return parsed
}

/** Rows of one storage in the form the chain is built from, oldest first. */
function segmentRows(rows: readonly ReleaseRow[]): SteppedRow[] {
  return [...rows].sort((a, b) => a.step - b.step).flatMap(parseRow)
}

export type ChainAttempt = Pick<
  AttemptRecord,
  'number' | 'startedAt' | 'storage' | 'redeployedFrom'
>

/** The chain of one scenario over all storage of a run, newest first, from the rows the run keeps. */
export function chainOf(
  rows: readonly ReleaseRow[],
  scenario: string,
  attempts: readonly ChainAttempt[],
  exports: ReadonlyMap<number, readonly ExportFacts[]> = new Map()
): Release[] {
  const mine = rows.filter((row) => row.scenario === scenario)
  return buildBranchedChain(
    stretchesOf(attempts).map(({ storage, of, from, before }) => ({
      storage,
      rows: segmentRows(
        mine.filter((row) => row.storage === storage && row.attempt >= from && row.attempt < before)
      ),
      attempts: of.map(({ number, startedAt }) => ({ number, startedAt })),
      redeployedFrom:
        attempts.find((attempt) => attempt.number === storage)?.redeployedFrom ?? null,
      exports: exports.get(storage) ?? []
    }))
  )
}

/** Attempts that followed one another in the same storage. */
interface Stretch {
  storage: number
  of: ChainAttempt[]
  /** Attempts whose rows of this storage are this stretch's: from the first one to before the other. */
  from: number
  before: number
}

/**
 * A run's attempts as stretches in one storage each. Rows are told apart by the attempt that first saw them, which never
 * changes, and so every row keeps its number whatever is found later.
 */
function stretchesOf(attempts: readonly ChainAttempt[]): Stretch[] {
  const stretches: Stretch[] = []
  const latest = new Map<number, Stretch>()
  for (const attempt of attempts) {
    const { storage, number } = attempt
    const last = stretches.at(-1)
    if (last?.storage === storage) {
      last.of.push(attempt)
      continue
    }
    const earlier = latest.get(storage)
    if (earlier !== undefined) earlier.before = number
    const from = earlier === undefined ? Number.NEGATIVE_INFINITY : number
    const stretch = { storage, of: [attempt], from, before: Number.POSITIVE_INFINITY }
    stretches.push(stretch)
    latest.set(storage, stretch)
  }
  return stretches
}

/** The run's headline over its scenarios: newest step, served release as people say it, releases published. */
export function servedLabel(
  rows: readonly ReleaseRow[],
  scenarios: readonly string[],
  attempts: readonly ChainAttempt[]
): { step: number; served: string | null; released: number } {
  let step = 0
  let served: string | null = null
  let released = 0
  for (const scenario of scenarios) {
    const chain = chainOf(rows, scenario, attempts)
    const head = chain.find((release) => release.served)
    // With several scenarios the first one's served release is the run's label; each has its own chain to look at.
    if (served === null && head !== undefined) served = `r${head.step}`
    step = Math.max(step, chain[0]?.step ?? 0)
    released += chain.filter(
      (release) => release.operation !== 'creation' && serves(release.result)
    ).length
  }
  return { step, served, released }
}
