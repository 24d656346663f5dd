import { z } from 'zod'
import type { Operation } from '../../contract/releases'
import { fail } from '../lib'
import type { ChainRow } from './chain-row'

/*
 * Wire forms of three generations of Reef. Public sources: `reef/scenario/releases.py` (release rows),
 * `reef/scenario/history.py` (commits), `reef/core/artifact_ref.py` (references), `docs/reference/http-api.rst`.
 * Older names: `versions` and `kind` for `releases` and `operation`; `version`, `artifact_id`, `weight_version`
 * for `release_id`, `content_id`, `runtime_load_id`. Unknown keys are passed over.
 */

const text = z.string().nullish()
const metrics = z.record(z.string(), z.unknown()).nullish()

const ArtifactRef = z.object({
  kind: text,
  release_id: text,
  version: text,
  artifact_version: text,
  content_id: text,
  artifact_id: text,
  parent_release_id: text,
  parent_version: text,
  parent_artifact_version: text,
  runtime_load_id: text,
  weight_version: text,
  content_kind: text
})

const ReleaseRow = ArtifactRef.extend({
  step: z.number().int().nullish(),
  operation: text,
  checkpoint: z.boolean().nullish(),
  restorable: z.boolean().nullish(),
  recorded_at: z.number().nullish(),
  pending: z.boolean().nullish(),
  rollback_target_release_id: text,
  rollback_target_artifact_version: text,
  rollback_target_version: text,
  metrics,
  training_job_id: text
})

const CommitBody = z.object({
  step: z.number().int().min(0),
  artifact_ref: ArtifactRef.nullish(),
  operation: text,
  checkpoint: z.boolean().nullish(),
  recorded_at: z.number().nullish(),
  pending: z.boolean().nullish(),
  rollback_target_release_id: text,
  rollback_target_artifact_version: text,
  metrics,
  training_job_id: text,
  algorithm_state: z
    .object({ rollout_id: z.number().int().nullish().catch(null) })
    .nullish()
    .catch(null),
  consumed_ids: z.array(z.unknown()).nullish(),
  record_progress: z.object({ consumed_ids: z.array(z.unknown()).nullish() }).nullish()
})

type Reference = z.infer<typeof ArtifactRef>

const operations: readonly Operation[] = ['creation', 'training', 'rollback', 'promote', 'recovery']

/** A word for an operation; an unknown or missing one means training, as in the commit log. */
function operationOf(word: string | null | undefined): Operation {
  return operations.find((known) => known === word) ?? 'training'
}

function identityOf(
  ref: Reference
): Pick<ChainRow, 'releaseId' | 'parentReleaseId' | 'contentId' | 'contentKind'> {
  const releaseId = ref.release_id ?? ref.version ?? ref.artifact_version ?? ''
  const live =
    ref.content_kind === 'live_weights' ||
    // In rows of the oldest generation `kind` is the operation, which is never this word.
    ref.kind === 'weight' ||
    (ref.runtime_load_id ?? ref.weight_version ?? null) !== null ||
    releaseId.startsWith('live:')
  return {
    releaseId,
    parentReleaseId:
      ref.parent_release_id ?? ref.parent_version ?? ref.parent_artifact_version ?? null,
    contentId: ref.content_id ?? ref.artifact_id ?? '',
    contentKind: live ? 'live_weights' : 'saved_artifact'
  }
}

function millis(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : Math.round(seconds * 1000)
}

function problemOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || '(row)'}: ${issue.message}`)
    .join('; ')
}

function unreadable(route: string, index: number, error: z.ZodError): never {
  return fail({
    code: 'release-row-unreadable',
    what: {
      en: `Row ${index} of the answer is not a release row.`,
      zh: `返回结果的第 ${index} 行不是版本记录。`
    },
    where: route,
    remedy: {
      en: 'The service may be newer than Slipway knows. Its commit log on disk can still be read.',
      zh: '该服务的版本可能比 Slipway 所知的更新。仍可读取磁盘上的提交日志。'
    },
    detail: problemOf(error)
  })
}

/** One row of a release list of any generation. */
function releaseRow(value: unknown, index: number): ChainRow {
  const parsed = ReleaseRow.safeParse(value)
  if (!parsed.success) return unreadable('releases', index, parsed.error)
  const row = parsed.data
  return {
    ...identityOf(row),
    checkpoint: row.checkpoint ?? row.restorable ?? false,
    recordedAt: millis(row.recorded_at),
    operation: operationOf(row.operation ?? row.kind),
    pending: row.pending ?? false,
    rollbackTarget:
      row.rollback_target_release_id ??
      row.rollback_target_artifact_version ??
      row.rollback_target_version ??
      null,
    metrics: row.metrics ?? {},
    step: row.step ?? null,
    trainingJobId: row.training_job_id ?? null,
    rolloutId: null,
    consumed: null
  }
}

function oldestFirst(rows: ChainRow[]): ChainRow[] {
  if (rows.every((row) => row.step !== null))
    return [...rows].sort((a, b) => (a.step ?? 0) - (b.step ?? 0))
  const last = rows.at(-1)
  const first = rows[0]
  if (last?.operation === 'creation') return [...rows].reverse()
  if (first?.operation === 'creation') return rows
  const ascending =
    first?.recordedAt !== null &&
    first?.recordedAt !== undefined &&
    last?.recordedAt !== null &&
    last?.recordedAt !== undefined &&
    first.recordedAt < last.recordedAt
  return ascending ? rows : [...rows].reverse()
}

const ReleaseList = z.looseObject({
  releases: z.array(z.unknown()).optional(),
  versions: z.array(z.unknown()).optional()
})

/**
 * Rows of `GET …/releases` (newest first), `GET …/versions` of the first generation, or
 * `GET /reef/harness/releases` (oldest first), returned oldest first.
 * @throws FailureError `release-row-unreadable` for an answer that is none of them: a row left out would move every
 * step behind it, so there is no reading around a broken one.
 */
export function parseReleaseList(body: unknown): ChainRow[] {
  const parsed = ReleaseList.safeParse(body)
  const rows = parsed.success ? (parsed.data.releases ?? parsed.data.versions) : undefined
  if (rows === undefined)
    return fail({
      code: 'release-row-unreadable',
      what: {
        en: 'The answer holds no list of releases.',
        zh: '返回结果中没有版本列表。'
      },
      where: 'releases',
      remedy: {
        en: 'Check that the address is that of a Reef service and the scenario exists.',
        zh: '请确认该地址是 Reef 服务，且场景存在。'
      }
    })
  return oldestFirst(rows.map(releaseRow))
}

/** What a commit record says, from the commits route or from a line of the commit log. */
export type CommitParse =
  { ok: true; row: ChainRow } | { ok: false; error: z.ZodError; problem: string }

/** Reads one commit record. The list of receipts becomes a count: it is all the chain shows of it. */
export function parseCommit(value: unknown): CommitParse {
  const parsed = CommitBody.safeParse(value)
  if (!parsed.success) return { ok: false, error: parsed.error, problem: problemOf(parsed.error) }
  const body = parsed.data
  const consumed = body.consumed_ids ?? body.record_progress?.consumed_ids ?? null
  return {
    ok: true,
    row: {
      ...identityOf(body.artifact_ref ?? {}),
      checkpoint: body.checkpoint ?? false,
      recordedAt: millis(body.recorded_at),
      operation: operationOf(body.operation),
      pending: body.pending ?? false,
      rollbackTarget:
        body.rollback_target_release_id ?? body.rollback_target_artifact_version ?? null,
      metrics: body.metrics ?? {},
      step: body.step,
      trainingJobId: body.training_job_id ?? null,
      rolloutId: body.algorithm_state?.rollout_id ?? null,
      consumed: consumed === null ? null : consumed.length
    }
  }
}

const CommitList = z.looseObject({
  commits: z.array(z.unknown()),
  next_after_step: z.number().int().nullish()
})

/** One page of `GET …/commits`: rows oldest first, and the step to ask on with, null on the last page. */
export function parseCommitList(body: unknown): { rows: ChainRow[]; next: number | null } {
  const parsed = CommitList.safeParse(body)
  if (!parsed.success) return unreadable('commits', 0, parsed.error)
  const rows = parsed.data.commits.map((value, index) => {
    const read = parseCommit(value)
    return read.ok ? read.row : unreadable('commits', index, read.error)
  })
  return { rows, next: parsed.data.next_after_step ?? null }
}
