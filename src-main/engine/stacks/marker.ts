import type { Text } from '../../contract/text'
import { parseJobMarker, readJobMarker } from '../checkpoints'
import { markerStatus } from '../releases'
import type { FileAccess } from '../targets'

/** Whether a stack may be started again on this storage, as its training marker says. */
export type RestartVerdict =
  | { kind: 'fine' }
  /** It will try, and may need a person. */
  | { kind: 'doubtful'; why: Text }
  | { kind: 'refused'; why: Text; remedy: Text }

const remedy: Text = {
  en: 'Redeploy from a saved checkpoint, or recover by hand as Reef’s troubleshooting guide says. Do not delete the marker.',
  zh: '请从已保存的 checkpoint 重新部署，或按 Reef 故障排查指南手动恢复。不要删除标记文件。'
}

/** The rule of Reef's boot (`reef_adapters/training_job`), from the text of `.reef-latest-job.json`; null: no marker. */
export function restartVerdict(text: string | null): RestartVerdict {
  return judge(text === null ? null : parseJobMarker(text).status)
}

/** The same from the marker below a checkpoint root. */
export async function readMarker(
  files: FileAccess,
  checkpointDir: string
): Promise<RestartVerdict> {
  return judge((await readJobMarker(files, checkpointDir))?.status ?? null)
}

function judge(said: string | null): RestartVerdict {
  if (said === null) return { kind: 'fine' }
  const status = markerStatus(said)
  switch (status) {
    case 'COMPLETE':
    case 'HEAD_COMMITTED':
      return { kind: 'fine' }
    case 'RUNNING':
      return {
        kind: 'refused',
        why: {
          en: 'The last training job was cut off while RUNNING. Reef refuses to start on this storage unless it can prove that nothing was saved.',
          zh: '上一个训练任务在 RUNNING 时被中断。除非 Reef 能证明没有保存任何内容，否则会拒绝在此存储上启动。'
        },
        remedy
      }
    case 'REJECTING':
    case 'REJECTED':
      return {
        kind: 'refused',
        why: {
          en: `The last training job is ${status}; the committed checkpoint must be restored first.`,
          zh: `上一个训练任务的状态是 ${status}；必须先恢复已提交的 checkpoint。`
        },
        remedy
      }
    case 'unreadable':
      return {
        kind: 'refused',
        why: { en: 'The training marker cannot be read.', zh: '无法读取训练标记。' },
        remedy
      }
    case 'CHECKPOINT':
    case 'UPDATING_WEIGHTS':
    case 'READY_TO_COMMIT':
      return {
        kind: 'doubtful',
        why: {
          en: `The last training job is ${status}; the stack may ask for recovery by an operator.`,
          zh: `上一个训练任务的状态是 ${status}；运行栈可能需要人工恢复。`
        }
      }
  }
}
