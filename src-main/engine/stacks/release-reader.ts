import { type Clock, isObject } from '../lib'
import { commitLogName, readDiskRows } from '../releases'
import { parseJsonLines, type ReleaseRow } from '../runs'
import type { FileAccess } from '../targets'
import type { ReefClient, ReefStatus } from './reef-client'

/** The identity of a row: the same step of the same storage is the same row, whichever attempt read it. */
function keyOf(row: { storage: number; scenario: string; step: number }): string {
  return `${row.storage} ${row.step} ${row.scenario}`
}

/** Most commits the service gives at once. */
const COMMITS_A_PAGE = 100

export interface ReleaseReaderOptions {
  attempt: number
  storage: number
  clock: Clock
  known: readonly ReleaseRow[]
  append: (rows: readonly ReleaseRow[]) => Promise<void>
}

/**
 * Copies release rows from the service (or from its commit log) into the run's own file, each exactly once: what is
 * there already is known by its key, so that a crash between reading and writing costs one more reading and no row.
 */
export class ReleaseReader {
  private readonly seen = new Set<string>()
  /** Newest step kept, by scenario. */
  private readonly newest = new Map<string, number>()
  /** Newest step the service told of, by scenario, at the last reading. */
  private readonly told = new Map<string, number>()
  private readonly kept: ReleaseRow[] = []
  /** Readings follow one another: two at once would keep the same row twice. */
  private turn: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: ReleaseReaderOptions) {
    for (const row of options.known) this.note(row)
  }

  /** Every row kept of the run, in the order they were kept. */
  get rows(): readonly ReleaseRow[] {
    return this.kept
  }

  private note(row: ReleaseRow): void {
    this.kept.push(row)
    this.seen.add(keyOf(row))
    if (row.storage !== this.options.storage) return
    this.newest.set(row.scenario, Math.max(row.step, this.newest.get(row.scenario) ?? -1))
  }

  /** Newest step kept of a scenario, -1 before the first. */
  newestStep(scenario: string): number {
    return this.newest.get(scenario) ?? -1
  }

  /** Scenarios whose chain grew since it was last read. */
  grown(status: ReefStatus, scenarios: readonly string[]): string[] {
    return scenarios.filter((scenario) => {
      const facts = status.scenarios[scenario]
      const step = facts?.scenario_step ?? facts?.last_committed_step?.step ?? null
      if (step === null) return !this.told.has(scenario)
      return step !== this.told.get(scenario)
    })
  }

  /** Reads one scenario's rows and keeps the new ones; how many there were, or null when the service did not answer. */
  read(client: ReefClient, scenario: string, step: number | null): Promise<number | null> {
    return this.inTurn(() => this.readNow(client, scenario, step))
  }

  /** Writes every row anew, where the file that held them is gone. */
  rewrite(): Promise<void> {
    return this.inTurn(() => this.options.append(this.kept))
  }

  /** Takes rows over that were kept by somebody else. */
  adopt(rows: readonly ReleaseRow[]): void {
    for (const row of rows) if (!this.seen.has(keyOf(row))) this.note(row)
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.turn.then(work)
    this.turn = next.catch(() => undefined)
    return next
  }

  private async readNow(
    client: ReefClient,
    scenario: string,
    step: number | null
  ): Promise<number | null> {
    const bySteps = await this.commits(client, scenario)
    const releases = await client.releases(scenario)
    if (releases.kind !== 'ok') return null
    const rows = releases.value.map((row, index): ReleaseRow => {
      const place = typeof row['step'] === 'number' ? row['step'] : index
      return this.row(scenario, place, 'service', row, bySteps.get(place) ?? null)
    })
    const added = await this.keep(rows)
    this.told.set(scenario, step ?? this.newestStep(scenario))
    return added
  }

  /** Commits newer than the newest row kept, by step; with a service that has none or does not answer, nothing. */
  private async commits(
    client: ReefClient,
    scenario: string
  ): Promise<Map<number, Record<string, unknown>>> {
    const bySteps = new Map<number, Record<string, unknown>>()
    let after = Math.max(this.newestStep(scenario), 0)
    for (;;) {
      const answer = await client.commits(scenario, after)
      if (answer.kind !== 'ok') return bySteps
      const before = after
      for (const commit of answer.value) {
        const step = commit['step']
        if (typeof step !== 'number') continue
        bySteps.set(step, commit)
        after = Math.max(after, step)
      }
      if (answer.value.length < COMMITS_A_PAGE || after === before) return bySteps
    }
  }

  /** After the end: what the commit log on disk has and the service was not asked for any more. */
  readLog(files: FileAccess, recordDir: string, scenario: string): Promise<number> {
    return this.inTurn(() => this.readLogNow(files, recordDir, scenario))
  }

  private async readLogNow(
    files: FileAccess,
    recordDir: string,
    scenario: string
  ): Promise<number> {
    const path = `${recordDir}/${commitLogName(scenario)}`
    const facts = await files.stat(path)
    if (facts === null) return 0
    const bytes = await files.read(path, 0, facts.size)
    if (bytes === null) return 0
    const { values } = parseJsonLines(new TextDecoder().decode(bytes))
    const rows = values.flatMap((value): ReleaseRow[] => {
      if (!isObject(value) || typeof value['step'] !== 'number') return []
      return [this.row(scenario, value['step'], 'commit-log', value, value)]
    })
    const creation =
      this.newestStep(scenario) < 0 ? await creationOf(files, recordDir, scenario) : null
    const first = creation === null ? [] : [this.row(scenario, 0, 'service', creation, null)]
    return this.keep([...first, ...rows])
  }

  private row(
    scenario: string,
    step: number,
    from: ReleaseRow['from'],
    row: Record<string, unknown>,
    commit: Record<string, unknown> | null
  ): ReleaseRow {
    const { attempt, storage, clock } = this.options
    return { at: clock.now(), attempt, storage, scenario, step, from, row, commit }
  }

  private async keep(rows: readonly ReleaseRow[]): Promise<number> {
    const added = rows.filter((row) => !this.seen.has(keyOf(row)))
    if (added.length === 0) return 0
    await this.options.append(added)
    for (const row of added) this.note(row)
    return added.length
  }
}

/** The row a chain begins with, which no log holds, as the service would give it; null where nothing names it. */
async function creationOf(
  files: FileAccess,
  recordFolder: string,
  scenario: string
): Promise<Record<string, unknown> | null> {
  const read = await readDiskRows({ files, recordFolder, scenario, repository: null })
  const row = read?.rows.find((one) => one.operation === 'creation')
  if (row === undefined) return null
  return {
    release_id: row.releaseId,
    parent_release_id: row.parentReleaseId,
    content_id: row.contentId,
    content_kind: row.contentKind,
    checkpoint: row.checkpoint,
    recorded_at: null,
    operation: 'creation',
    pending: false
  }
}
