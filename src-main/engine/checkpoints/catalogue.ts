import { z } from 'zod'
import type { Checkpoint, CheckpointCatalogue, CheckpointPart } from '../../contract/checkpoints'
import type { Text } from '../../contract/text'
import type { FileAccess } from '../targets'
import { exportRollout, isExpected, iterationRollout, layout } from './layout'

const Record = z.looseObject({
  status: z.string(),
  job_id: z.string().nullish(),
  rollout_id: z.number().int(),
  reward: z.number().nullish()
})
type RetentionRecord = z.infer<typeof Record>

const Marker = z.looseObject({
  status: z.string(),
  job_id: z.string().nullish(),
  rollout_id: z.number().int().nullish()
})

/** A control file is small; more is not read. */
const LONGEST_CONTROL = 4 * 1024 * 1024

async function readControl(files: FileAccess, path: string): Promise<string | null> {
  const bytes = await files.read(path, 0, LONGEST_CONTROL)
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Being written, or broken: the caller sees that it is not of its form.
    return undefined
  }
}

/** Sizes of a folder with all that is in it; null when there is none. Links are not followed. */
export async function measure(files: FileAccess, path: string): Promise<CheckpointPart | null> {
  const entries = await files.list(path)
  if (entries === null) return null
  const part: CheckpointPart = { path, bytes: 0, files: 0, modified: 0 }
  for (const entry of entries) {
    const inner = entry.kind === 'directory' ? await measure(files, `${path}/${entry.name}`) : null
    part.bytes += inner?.bytes ?? entry.allocated
    part.files += inner?.files ?? 1
    part.modified = Math.max(part.modified, inner?.modified ?? entry.modified)
  }
  return part
}

/** Number in a tracker file; Megatron also writes the word `release`, which is no iteration. */
export function parseTracker(text: string | null): number | null {
  const trimmed = text?.trim() ?? ''
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : null
}

async function readRecords(files: FileAccess, root: string): Promise<Map<number, RetentionRecord>> {
  const records = new Map<number, RetentionRecord>()
  for (const { name } of (await files.list(`${root}/${layout.records}`)) ?? []) {
    if (!name.endsWith('.json')) continue
    const text = await readControl(files, `${root}/${layout.records}/${name}`)
    const parsed = Record.safeParse(text === null ? undefined : parseJson(text))
    if (parsed.success) records.set(parsed.data.rollout_id, parsed.data)
  }
  return records
}

/** The job marker below a checkpoint root, status `unreadable` when it is broken; null when there is none. */
export async function readJobMarker(
  files: FileAccess,
  root: string
): Promise<CheckpointCatalogue['marker']> {
  const text = await readControl(files, `${root}/${layout.marker}`)
  return text === null ? null : parseJobMarker(text)
}

/** A job marker from its text, status `unreadable` when it is broken. */
export function parseJobMarker(text: string): NonNullable<CheckpointCatalogue['marker']> {
  const parsed = Marker.safeParse(parseJson(text))
  return parsed.success
    ? {
        status: parsed.data.status,
        jobId: parsed.data.job_id ?? null,
        rolloutId: parsed.data.rollout_id ?? null
      }
    : { status: 'unreadable', jobId: null, rolloutId: null }
}

interface Root {
  tracker: number | null
  marker: CheckpointCatalogue['marker']
  records: ReadonlyMap<number, RetentionRecord>
}

function fateOf(rolloutId: number, root: Root): { fate: Checkpoint['fate']; fateWhy: Text } {
  const record = root.records.get(rolloutId)
  if (record?.status === 'DELETING')
    return {
      fate: 'being-deleted',
      fateWhy: { en: 'The stack is deleting it.', zh: '运行栈正在删除它。' }
    }
  const newest = Math.max(-1, ...root.records.keys())
  const why: Text | null =
    rolloutId === root.marker?.rolloutId
      ? { en: 'Kept: the newest job wrote it.', zh: '保留：由最新的任务写入。' }
      : rolloutId === root.tracker
        ? { en: 'Kept: the tracker names it.', zh: '保留：跟踪文件指向它。' }
        : rolloutId === newest
          ? { en: 'Kept: the newest recorded pair.', zh: '保留：最新的已记录 checkpoint 对。' }
          : null
  if (why !== null) return { fate: 'protected', fateWhy: why }
  return record === undefined
    ? {
        fate: 'unrecorded',
        fateWhy: {
          en: 'The stack keeps no record of it and does not clean it up.',
          zh: '运行栈没有它的记录，不会清理它。'
        }
      }
    : {
        fate: 'while-space-lasts',
        fateWhy: {
          en: 'The stack may delete it when it needs space.',
          zh: '空间不足时运行栈可能删除它。'
        }
      }
}

async function rolloutsIn(
  files: FileAccess,
  folder: string,
  rolloutOf: (name: string) => number | null
): Promise<{ names: Map<number, string>; all: string[] }> {
  const names = new Map<number, string>()
  const all: string[] = []
  for (const { name } of (await files.list(folder)) ?? []) {
    all.push(name)
    const rollout = rolloutOf(name)
    if (rollout !== null) names.set(rollout, name)
  }
  return { names, all }
}

/** The newest retention record: which job saved what. */
interface RestartRecord {
  jobId: string
  rolloutId: number
}

function restartRecord(newest: RetentionRecord | undefined): RestartRecord | null {
  const jobId = newest?.job_id ?? null
  return newest === undefined || jobId === null ? null : { jobId, rolloutId: newest.rollout_id }
}

/** Everything under a checkpoint root: what was saved, how large, and what will become of it. Nothing is changed. */
export async function listCheckpoints(
  files: FileAccess,
  root: string
): Promise<Omit<CheckpointCatalogue, 'restart'> & { newestRecord: RestartRecord | null }> {
  const folders = [
    { key: 'export', folder: layout.exports, rolloutOf: exportRollout },
    { key: 'trainer', folder: layout.trainer, rolloutOf: iterationRollout },
    { key: 'critic', folder: layout.critic, rolloutOf: iterationRollout }
  ] as const
  const state: Root = {
    tracker: parseTracker(await readControl(files, `${root}/${layout.trainer}/${layout.tracker}`)),
    marker: await readJobMarker(files, root),
    records: await readRecords(files, root)
  }
  const found = new Map<number, Checkpoint>()
  const strays: string[] = []
  for (const { key, folder, rolloutOf } of folders) {
    const { names, all } = await rolloutsIn(files, `${root}/${folder}`, rolloutOf)
    strays.push(
      ...all.filter((name) => !isExpected(folder, name)).map((name) => `${folder}/${name}`)
    )
    for (const [rolloutId, name] of names) {
      const checkpoint = found.get(rolloutId) ?? emptyCheckpoint(rolloutId, state)
      checkpoint[key] = await measure(files, `${root}/${folder}/${name}`)
      if (key === 'trainer')
        checkpoint.trainerWhole = state.tracker === null ? false : rolloutId <= state.tracker
      found.set(rolloutId, checkpoint)
    }
  }
  const checkpoints = [...found.values()].sort((a, b) => b.rolloutId - a.rolloutId)
  const bytes = checkpoints
    .flatMap((checkpoint) => [checkpoint.export, checkpoint.trainer, checkpoint.critic])
    .reduce((sum, part) => sum + (part?.bytes ?? 0), 0)
  const newest = [...state.records.values()].sort((a, b) => b.rollout_id - a.rollout_id)[0]
  return {
    root,
    checkpoints,
    tracker: state.tracker,
    marker: state.marker,
    strays,
    bytes,
    newestRecord: restartRecord(newest)
  }
}

function emptyCheckpoint(rolloutId: number, state: Root): Checkpoint {
  const record = state.records.get(rolloutId)
  const markerJob = state.marker?.rolloutId === rolloutId ? state.marker.jobId : null
  return {
    rolloutId,
    export: null,
    trainer: null,
    critic: null,
    trainerWhole: null,
    jobId: record?.job_id ?? markerJob,
    reward: record?.reward ?? null,
    kept: null,
    ...fateOf(rolloutId, state)
  }
}

/** The exports of a root as the chain ties them to releases; those on their way out are left out. */
export function exportsOf(
  catalogue: Pick<CheckpointCatalogue, 'checkpoints'>
): { path: string; rolloutId: number; jobId: string | null }[] {
  return catalogue.checkpoints.flatMap(({ export: saved, rolloutId, jobId, fate }) =>
    saved === null || fate === 'being-deleted' ? [] : [{ path: saved.path, rolloutId, jobId }]
  )
}

/** A catalogue with what is kept of it, also where the stack has deleted its own. */
export function withKept<T extends Pick<CheckpointCatalogue, 'checkpoints'>>(
  catalogue: T,
  kept: ReadonlyMap<number, CheckpointPart>
): T {
  const there = catalogue.checkpoints.map((checkpoint) => ({
    ...checkpoint,
    kept: kept.get(checkpoint.rolloutId) ?? null
  }))
  const known = new Set(there.map(({ rolloutId }) => rolloutId))
  const gone = [...kept]
    .filter(([rolloutId]) => !known.has(rolloutId))
    .map(([rolloutId, part]): Checkpoint => ({
      rolloutId,
      export: null,
      trainer: null,
      critic: null,
      trainerWhole: null,
      jobId: null,
      reward: null,
      fate: 'unrecorded',
      fateWhy: {
        en: 'The stack has deleted its own; this one is kept.',
        zh: '运行栈已删除它自己的那份；这里保留了一份。'
      },
      kept: part
    }))
  const checkpoints = [...there, ...gone].sort((a, b) => b.rolloutId - a.rolloutId)
  return { ...catalogue, checkpoints }
}

/** A catalogue with the reward of the release of each export, where the stack's retention did not write one down. */
export function withRewards<T extends Pick<CheckpointCatalogue, 'checkpoints'>>(
  catalogue: T,
  rewards: ReadonlyMap<string, number>
): T {
  const checkpoints = catalogue.checkpoints.map((checkpoint) => ({
    ...checkpoint,
    reward: checkpoint.reward ?? rewards.get(checkpoint.export?.path ?? '') ?? null
  }))
  return { ...catalogue, checkpoints }
}
