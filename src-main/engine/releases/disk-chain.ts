import type { Release } from '../../contract/releases'
import { fail } from '../lib'
import type { FileAccess } from '../targets'
import type { ArtifactFacts, ArtifactRepository } from './artifact-repository'
import { buildChain } from './chain'
import type { AttemptStart, ExportFacts } from './chain-drafts'
import type { ChainRow } from './chain-row'
import { commitLogName, CommitLogReader, type CommitLog, type DamagedLine } from './commit-log'

const PIECE = 4 * 1024 * 1024

async function readLog(files: FileAccess, path: string): Promise<CommitLog | null> {
  const reader = new CommitLogReader()
  for (let offset = 0; ;) {
    const bytes = await files.read(path, offset, PIECE)
    if (bytes === null) return offset === 0 ? null : reader.end()
    if (bytes.length === 0) return reader.end()
    reader.push(bytes)
    offset += bytes.length
  }
}

/**
 * The row every chain begins with, which no log holds: the parent of the first commit when that commit has bytes or is
 * live or local, the first commit's own release when it published nothing, else the repository's base.
 * Public source: `reef/scenario/releases.py` (`_resolve_creation_artifact`).
 */
async function creationOf(
  scenario: string,
  first: ChainRow | undefined,
  repository: ArtifactRepository | null
): Promise<ArtifactFacts | null> {
  if (first === undefined) return (await repository?.head(scenario)) ?? null
  const hasParent =
    first.checkpoint || first.contentKind === 'live_weights' || first.releaseId.startsWith('local:')
  if (first.step === 1 && hasParent && first.parentReleaseId !== null) {
    const known = await repository?.resolve(first.parentReleaseId)
    // The content of a parent that the repository cannot show is not known; its id is.
    return known ?? { releaseId: first.parentReleaseId, contentId: '', parentReleaseId: null }
  }
  if (first.step === 1 && !first.checkpoint)
    return {
      releaseId: first.releaseId,
      contentId: first.contentId,
      parentReleaseId: first.parentReleaseId
    }
  return (await repository?.base()) ?? null
}

function creationRow(facts: ArtifactFacts, rows: readonly ChainRow[]): ChainRow {
  // A rejected first step repeats the creation's reference, and so tells its content.
  const contentId =
    facts.contentId !== ''
      ? facts.contentId
      : (rows.find((row) => row.releaseId === facts.releaseId)?.contentId ?? '')
  return {
    releaseId: facts.releaseId,
    parentReleaseId: facts.parentReleaseId,
    contentId,
    contentKind: 'saved_artifact',
    checkpoint: true,
    recordedAt: null,
    operation: 'creation',
    pending: false,
    rollbackTarget: null,
    metrics: {},
    step: 0,
    trainingJobId: null,
    rolloutId: null,
    consumed: null
  }
}

/** Where one scenario's history lies on a target. */
export interface DiskChainSource {
  files: FileAccess
  /** `storage.agent-record-dir`, as a path of the target. */
  recordFolder: string
  scenario: string
  /** Null where it cannot be read; the creation row then lacks its content id. */
  repository: ArtifactRepository | null
  attempts?: readonly AttemptStart[]
  exports?: readonly ExportFacts[]
}

export interface DiskRows {
  /** Oldest first, creation row included where it is known. */
  rows: ChainRow[]
  torn: boolean
  damaged: DamagedLine[]
}

/** The rows of one scenario from its commit log, in the form the service would give them. Null when there is no log. */
export async function readDiskRows(source: DiskChainSource): Promise<DiskRows | null> {
  const path = `${source.recordFolder}/${commitLogName(source.scenario)}`
  const log = await readLog(source.files, path)
  if (log === null && source.repository === null) return null
  const commits = log?.rows ?? []
  if (log !== null && log.scenario !== null && log.scenario !== source.scenario)
    return fail({
      code: 'commit-log-of-other-scenario',
      what: {
        en: `The commit log belongs to scenario "${log.scenario}".`,
        zh: `该提交日志属于场景“${log.scenario}”。`
      },
      where: path
    })
  const creation = await creationOf(source.scenario, commits[0], source.repository)
  if (log === null && creation === null) return null
  return {
    rows: creation === null ? commits : [creationRow(creation, commits), ...commits],
    torn: log?.torn ?? false,
    damaged: log?.damaged ?? []
  }
}

/** The chain of one scenario read from disk, newest first; null when nothing of it is there. */
export async function readDiskChain(
  source: DiskChainSource
): Promise<{ releases: Release[]; torn: boolean; damaged: DamagedLine[] } | null> {
  const read = await readDiskRows(source)
  if (read === null) return null
  const releases = buildChain(read.rows, [], {
    attempts: source.attempts ?? [],
    exports: source.exports ?? []
  })
  return { releases, torn: read.torn, damaged: read.damaged }
}

/** Scenarios that have a commit log in this record folder, by name. Logs without a readable line have none. */
export async function scenariosOnDisk(files: FileAccess, recordFolder: string): Promise<string[]> {
  const names = await files.list(recordFolder)
  const scenarios: string[] = []
  for (const { name, kind } of names ?? []) {
    if (kind !== 'file' || !name.endsWith('.commits.jsonl')) continue
    const start = await files.read(`${recordFolder}/${name}`, 0, PIECE)
    if (start === null) continue
    const reader = new CommitLogReader()
    reader.push(start)
    const { scenario } = reader.end()
    if (scenario !== null) scenarios.push(scenario)
  }
  return scenarios.sort()
}
