import type { Clock } from '../lib'
import { commitLogName } from '../releases'
import { parseJsonLines, type ReleaseRow } from '../runs'
import type { FileAccess } from '../targets'
import type { ReefClient, ReefStatus } from './reef-client'

/** The identity of a row: the same step of the same storage is the same row, whichever attempt read it. */
function keyOf(row: { storage: number; scenario: string; step: number }): string {
  return `${row.storage} ${row.step} ${row.scenario}`
}

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
  async read(client: ReefClient, scenario: string, step: number | null): Promise<number | null> {
    const commits = await client.commits(scenario, Math.max(this.newestStep(scenario), 0))
    const releases = await client.releases(scenario)
    if (releases.kind !== 'ok') return null
    const bySteps = new Map<number, Record<string, unknown>>()
    for (const commit of commits.kind === 'ok' ? commits.value : []) {
      if (typeof commit['step'] === 'number') bySteps.set(commit['step'], commit)
    }
    const rows = releases.value.map((row, index): ReleaseRow => {
      const place = typeof row['step'] === 'number' ? row['step'] : index
      return this.row(scenario, place, 'service', row, bySteps.get(place) ?? null)
    })
    const added = await this.keep(rows)
    this.told.set(scenario, step ?? this.newestStep(scenario))
    return added
  }

  /** After the end: what the commit log on disk has and the service was not asked for any more. */
  async readLog(files: FileAccess, recordDir: string, scenario: string): Promise<number> {
    const path = `${recordDir}/${commitLogName(scenario)}`
    const facts = await files.stat(path)
    if (facts === null) return 0
    const bytes = await files.read(path, 0, facts.size)
    if (bytes === null) return 0
    const { values } = parseJsonLines(new TextDecoder().decode(bytes))
    const rows = values.flatMap((value): ReleaseRow[] => {
      if (!isRow(value) || typeof value['step'] !== 'number') return []
      return [this.row(scenario, value['step'], 'commit-log', value, value)]
    })
    return this.keep(rows)
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

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
