import type { Text } from '../../contract/text'
import type { MarkerStatus } from './rollback-verdict'

/** What the checkpoint root says about its newest job. Null: there is none, or it could not be read. */
export interface RootState {
  marker: {
    status: MarkerStatus | 'unreadable'
    jobId: string | null
    rolloutId: number | null
  } | null
  /** Number in the tracker file; Megatron's `release` is no iteration. */
  tracker: number | null
  newestRecord: { jobId: string; rolloutId: number } | null
  /** Job of the newest training commit in the commit log. */
  headJobId: string | null
}

export type RestartVerdict =
  { kind: 'offered'; rolloutId: number; jobId: string } | { kind: 'not-offered'; why: Text }

const no = (en: string, zh: string): RestartVerdict => ({ kind: 'not-offered', why: { en, zh } })

/**
 * Whether the newest checkpoint can be started from where it lies: only when marker, tracker, newest retention record
 * and commit log all name the same finished job. Public source: `docs/user-guide/troubleshooting.rst`.
 */
export function judgeRestartInPlace(root: RootState): RestartVerdict {
  const { marker, tracker, newestRecord, headJobId } = root
  if (marker === null)
    return no('No training job has finished here yet.', '这里还没有完成过训练任务。')
  if (marker.status === 'unreadable')
    return no('The job marker cannot be read.', '无法读取任务标记。')
  if (marker.status !== 'COMPLETE')
    return no(
      `The job marker says ${marker.status}, not COMPLETE: what was saved last is not certain.`,
      `任务标记为 ${marker.status} 而非 COMPLETE：最后保存的内容无法确定。`
    )
  if (tracker === null || newestRecord === null || headJobId === null)
    return no(
      'Tracker, retention record or commit log is missing, so the newest checkpoint cannot be proved whole.',
      '缺少跟踪文件、保留记录或提交日志，无法证明最新的 checkpoint 完整。'
    )
  const sameJob = newestRecord.jobId === marker.jobId && headJobId === marker.jobId
  const sameRollout = newestRecord.rolloutId === tracker && marker.rolloutId === tracker
  if (!sameJob || !sameRollout)
    return no(
      'Marker, tracker, newest record and commit log do not name the same job.',
      '任务标记、跟踪文件、最新记录与提交日志指向的任务不一致。'
    )
  return { kind: 'offered', rolloutId: tracker, jobId: newestRecord.jobId }
}

const statuses: Readonly<Record<MarkerStatus, true>> = {
  RUNNING: true,
  CHECKPOINT: true,
  UPDATING_WEIGHTS: true,
  READY_TO_COMMIT: true,
  HEAD_COMMITTED: true,
  COMPLETE: true,
  REJECTING: true,
  REJECTED: true
}

function isStatus(text: string): text is MarkerStatus {
  return text in statuses
}

/** The status of a job marker; one that nobody knows says nothing that could be relied on. */
export function markerStatus(text: string): MarkerStatus | 'unreadable' {
  return isStatus(text) ? text : 'unreadable'
}
