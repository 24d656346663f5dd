import { join } from 'node:path'
import type { Chain, Release, RollbackPlan } from '../../contract/releases'
import { readJobMarker } from '../checkpoints'
import {
  type ExportFacts,
  markerStatus,
  planPromote,
  planRollback,
  type RollbackScene
} from '../releases'
import type { AttemptRecord, ReleaseRow, RunRecord } from '../runs'
import type { FileAccess } from '../targets'
import { isFinal } from './attempt-state'
import { throughMounts } from './mounts'
import { chainOf } from './served'
import { trainStepOf } from './train-step'

const RECORD_LIMIT = 100_000

/**
 * `hf/<rollout_id>` exports below a checkpoint root, with the job that wrote each where a retention record says it.
 * @param jobs what records that were read before said, by path; grows
 */
export async function findExports(
  files: FileAccess,
  root: string,
  jobs: Map<string, string>
): Promise<ExportFacts[]> {
  const entries = (await files.list(join(root, 'hf'))) ?? []
  const exports: ExportFacts[] = []
  for (const { kind, name } of entries) {
    if (kind !== 'directory' || !/^\d+$/.test(name)) continue
    const record = join(root, '.reef-retention', 'records', `${name.padStart(20, '0')}.json`)
    const jobId = jobs.get(record) ?? (await recordedJob(files, record))
    if (jobId !== null) jobs.set(record, jobId)
    exports.push({ path: join(root, 'hf', name), rolloutId: Number(name), jobId })
  }
  return exports.sort((a, b) => a.rolloutId - b.rolloutId)
}

async function recordedJob(files: FileAccess, record: string): Promise<string | null> {
  const bytes = await files.read(record, 0, RECORD_LIMIT)
  return bytes === null ? null : jobOf(new TextDecoder().decode(bytes))
}

function jobOf(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' &&
      value !== null &&
      'job_id' in value &&
      typeof value.job_id === 'string'
      ? value.job_id
      : null
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}

export interface ChainFacts {
  record: RunRecord
  rows: readonly ReleaseRow[]
  /** By storage. */
  exports: ReadonlyMap<number, readonly ExportFacts[]>
  now: number
}

/** The scenario asked for, or the run's first. */
export function chosenScenario(record: RunRecord, scenario: string | undefined): string {
  return scenario ?? record.seen.scenarios[0] ?? 'default'
}

/** The chain of one scenario as the contract gives it. */
export function chainAnswer(facts: ChainFacts, scenario: string): Chain {
  const { record } = facts
  const last = record.attempts.at(-1)
  return {
    run: record.id,
    scenario,
    scenarios: record.seen.scenarios,
    releases: chainOf(facts.rows, scenario, record.attempts, facts.exports),
    from: last !== undefined && last.reached && !isFinal(last.state) ? 'service' : 'disk',
    readAt: facts.now
  }
}

function startsTook(attempts: readonly AttemptRecord[]): number[] {
  return attempts.flatMap(({ readyAt, startedAt }) =>
    readyAt === null ? [] : [readyAt - startedAt]
  )
}

/** What planning a way back needs to know of the run now. */
export function sceneOf(
  record: RunRecord,
  facts: {
    jobOut: boolean | null
    marker: RollbackScene['marker']
    lora: boolean
    exportWhole: boolean | null
    graceSeconds: number
    checkpoints: number | null
    storage: RollbackScene['storage']
    startsFrom: RollbackScene['startsFrom']
  }
): RollbackScene {
  const last = record.attempts.at(-1)
  const live = last !== undefined && !isFinal(last.state) && last.state.kind !== 'stopping'
  return {
    way: record.rollback,
    serving: live && last.reached,
    jobOut: facts.jobOut,
    marker: facts.marker,
    lora: facts.lora,
    exportWhole: facts.exportWhole,
    trainStep: trainStepOf(record),
    nextAttempt: (last?.number ?? 0) + 1,
    startsTook: startsTook(record.attempts),
    graceSeconds: facts.graceSeconds,
    trackingRun: null,
    reportsWaiting: record.seen.stages.batchHave,
    checkpoints: facts.checkpoints,
    storage: facts.storage,
    modelPath: modelOf(record),
    startsFrom: facts.startsFrom,
    inside: (path) => throughMounts(path, last?.plan.mounts ?? []) ?? path
  }
}

/** The model the newest attempt was started from. */
function modelOf(record: RunRecord): string {
  const overrides = record.attempts.at(-1)?.plan.overrides ?? []
  return (
    overrides.find(({ path }) => path === 'inference.model-path')?.value ??
    record.recipe.model ??
    ''
  )
}

/** What the job marker below a checkpoint root says, in the words a rollback is judged by. */
export async function markerOf(files: FileAccess, root: string): Promise<RollbackScene['marker']> {
  const marker = await readJobMarker(files, root)
  if (marker === null) return 'none'
  return markerStatus(marker.status)
}

/** The plan to go back to a step, and the release it is about. */
export function rollbackPlanFor(
  chain: readonly Release[],
  step: number,
  scene: RollbackScene
): RollbackPlan {
  return planRollback({ chain, step, scene })
}

/** The plan to serve a held release. */
export function promotePlanFor(
  chain: readonly Release[],
  step: number,
  scene: RollbackScene
): RollbackPlan {
  return planPromote({ chain, step, scene })
}
