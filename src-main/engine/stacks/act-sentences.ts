import type { Text } from '../../contract/text'
import { FailureError, messageOf } from '../lib'
import type { NextAttempt } from '../runs'

/** Said by the engine that finds an act half done: the old attempt has ended and the new one was never begun. */
export function takenUp(next: NextAttempt): { kind: string; text: Text } {
  const texts: Record<NextAttempt['reason'], Text> = {
    restart: {
      en: 'A restart was under way when Slipway ended; the new attempt starts now.',
      zh: 'Slipway 退出时正在重新启动；现在开始新的尝试。'
    },
    redeploy: {
      en: `A redeploy from r${next.redeployedFrom ?? 0} was under way when Slipway ended: the old attempt has ended, and the new one starts now. It can still be undone.`,
      zh: `Slipway 退出时正在从 r${next.redeployedFrom ?? 0} 重新部署：旧的尝试已结束，现在开始新的尝试。仍可撤销。`
    },
    undo: {
      en: 'A redeploy was being taken back when Slipway ended; the old folders are started again now.',
      zh: 'Slipway 退出时正在撤销重新部署；现在重新启动原有目录。'
    }
  }
  return { kind: 'taken-up', text: texts[next.reason] }
}

/** What a rollback or promotion through the service did. */
export function rollbackText(
  operation: 'rollback' | 'promote',
  from: string | null,
  step: number
): Text {
  const before = from ?? 'nothing'
  return operation === 'rollback'
    ? { en: `Went back from ${before} to r${step}.`, zh: `已从 ${from ?? '无'} 回滚到 r${step}。` }
    : { en: `Promoted r${step}.`, zh: `已提升 r${step}。` }
}

/** Why a run is not looked at whose folder takes nothing more: what a look reads would have to be kept there. */
export const unseenOnFullDisk: Text = {
  en: 'The disk that holds the Slipway home is full. The run can be read as it was last written down; free some space to see what came after.',
  zh: '存放 Slipway 主目录的磁盘已满。可以读取该运行上次写下的状态；腾出空间后才能看到此后的情况。'
}

/** A stop of a stack on a full disk, of which no more than a mark could be left. */
export function stopMarked(force: boolean): Text {
  return force
    ? {
        en: 'The stack was killed. The disk is full, so this could not be written down in full: the run shows it once there is room.',
        zh: '运行栈已被强制结束。磁盘已满，未能完整记录此操作：腾出空间后该运行会显示这一结果。'
      }
    : {
        en: 'The stack was asked to end. The disk is full, so this could not be written down in full: the run shows it once there is room.',
        zh: '已请求运行栈结束。磁盘已满，未能完整记录此操作：腾出空间后该运行会显示这一结果。'
      }
}

/** A second stop on a full disk, which must not signal again. `at`: Unix milliseconds of the first. */
export function stopAskedBefore(at: number): Text {
  const time = new Date(at).toISOString()
  return {
    en: `The stack was asked to end already, at ${time}, and nothing was sent to it again: a second signal would skip its grace period. It can be forced to end. The disk is full.`,
    zh: `此前已于 ${time} 请求运行栈结束，未再次发送信号：第二个信号会跳过宽限时间。可以强制结束它。磁盘已满。`
  }
}

/** A stop of a stack whose run folder takes nothing more. */
export function stopUnwritten(force: boolean): Text {
  return force
    ? {
        en: 'The stack was killed. The disk is full, so this could not be written down: the run shows it only once there is room, and then as an end that nobody asked for.',
        zh: '运行栈已被强制结束。磁盘已满，未能记录此操作：腾出空间后该运行才会显示这一结果，且会显示为无人要求的结束。'
      }
    : {
        en: 'The stack was asked to end. The disk is full, so this could not be written down: the run shows it only once there is room, and then as an end that nobody asked for.',
        zh: '已请求运行栈结束。磁盘已满，未能记录此操作：腾出空间后该运行才会显示这一结果，且会显示为无人要求的结束。'
      }
}

/** A redeploy begins; `iteration`: with the optimizer of that one, on a copy of the root. */
export function redeployText(step: number, checkpoint: string, iteration: number | null): Text {
  if (iteration !== null)
    return {
      en: `Going back to r${step} with the optimizer of iteration ${iteration}, on a copy of the checkpoint root (experimental).`,
      zh: `在 checkpoint 根目录的副本上，带第 ${iteration} 次迭代的优化器回滚到 r${step}（实验性）。`
    }
  return {
    en: `Going back to r${step} by a redeploy from ${checkpoint}.`,
    zh: `通过从 ${checkpoint} 重新部署回滚到 r${step}。`
  }
}

/** The copy an attempt was to start on could not be made. */
export function copyFailed(cause: unknown): {
  kind: string
  text: Text
  data: { severity: string }
} {
  const why: Text =
    cause instanceof FailureError
      ? cause.failure.what
      : { en: messageOf(cause), zh: messageOf(cause) }
  return {
    kind: 'copy-failed',
    text: {
      en: `The copy of the checkpoint root could not be made, so no new attempt was started: ${why.en} The old folders are as they were.`,
      zh: `无法制作 checkpoint 根目录的副本，因此没有开始新的尝试：${why.zh}原有目录保持不变。`
    },
    data: { severity: 'error' }
  }
}

/** What an undo does: `called-off` where the stack was not even asked to stop yet. */
export function undoText(storage: number, how: 'reopen' | 'called-off'): Text {
  return how === 'called-off'
    ? {
        en: 'The act that was under way is called off; the stack was not stopped.',
        zh: '正在进行的操作已取消；运行栈未被停止。'
      }
    : {
        en: `Taking it back: starting the folders of attempt ${storage} again.`,
        zh: `撤销：再次启动第 ${storage} 次尝试的目录。`
      }
}

/** A stop that waits for a training job. */
export const awaitingCommit: Text = {
  en: 'A training job is out. The stack is stopped after its commit.',
  zh: '有训练任务正在进行。待其提交后再停止运行栈。'
}
