import type { AttemptState, Exit } from '../../contract/run'
import type { Text } from '../../contract/text'
import { errorCode, messageOf } from '../lib'
import type { Seen } from '../runs'

/** How something ended, in one sentence. */
export function exitText(exit: Exit): Text {
  switch (exit.kind) {
    case 'code':
      return {
        en: `The stack ended with code ${exit.code}.`,
        zh: `运行栈已退出，退出码 ${exit.code}。`
      }
    case 'signal':
      return { en: `The stack was ended by ${exit.signal}.`, zh: `运行栈被 ${exit.signal} 终止。` }
    case 'oom':
      return {
        en: 'The system ended the stack: out of memory.',
        zh: '系统因内存不足结束了运行栈。'
      }
    case 'unknown':
      return {
        en: 'The stack is gone; nobody saw how it ended.',
        zh: '运行栈已不存在；没有记录它如何结束。'
      }
  }
}

/** How a command ended, for the middle of a sentence. */
export function exitWords(exit: Exit): Text {
  switch (exit.kind) {
    case 'code':
      return { en: `with code ${exit.code}`, zh: `退出码 ${exit.code}` }
    case 'signal':
      return { en: `by ${exit.signal}`, zh: `被 ${exit.signal} 终止` }
    case 'oom':
      return { en: 'out of memory', zh: '内存不足' }
    case 'unknown':
      return { en: 'unseen', zh: '未记录结束方式' }
  }
}

/** Why an attempt ended whose container is not there any more. */
export const containerRemoved = {
  cause: {
    en: 'Its container was removed by someone else.',
    zh: '其容器已被他人移除。'
  },
  remedy: {
    en: '“docker rm”, a clean-up of the engine or a reset of its data does that. The run can be started again.',
    zh: '“docker rm”、清理引擎或重置其数据都会造成这种情况。可以重新启动该运行。'
  }
}

/** Why an attempt ended whose container was made and never started. */
export const neverRan = {
  cause: {
    en: 'Slipway ended before the stack was started.',
    zh: '运行栈尚未启动，Slipway 就已退出。'
  },
  remedy: { en: 'Start it again.', zh: '请重新启动。' }
}

/** Said while the engine holds a container still. */
export const pausedText: Text = {
  en: 'Its container is paused: nothing in it moves until “docker unpause”.',
  zh: '其容器已被暂停：在执行“docker unpause”之前不会有任何进展。'
}

/** What keeps us, not the stack, from going on; the next look tries again. */
export function troubleText(cause: unknown): Text {
  if (errorCode(cause) === 'ENOSPC') {
    return {
      en: 'The disk that holds the Slipway home is full. The stack goes on; what it writes is read on once there is room again.',
      zh: '存放 Slipway 主目录的磁盘已满。运行栈不受影响；腾出空间后会从停下的地方继续读取。'
    }
  }
  const said = messageOf(cause)
  return { en: `Slipway cannot keep up: ${said}`, zh: `Slipway 无法跟上：${said}` }
}

/** What is awaited while stopping. */
export function awaitingText(past: boolean, cost: Text | null): Text {
  if (past) {
    return {
      en: 'The grace period is over and the stack still runs. It can be forced to end.',
      zh: '宽限时间已过，运行栈仍在运行。可以强制结束。'
    }
  }
  return cost ?? { en: 'Waiting for the services to end.', zh: '正在等待各服务退出。' }
}

/** What happens now, in one sentence. */
export function nowText(state: AttemptState, seen: Seen): Text {
  switch (state.kind) {
    case 'planned':
      return { en: 'Planned.', zh: '已计划。' }
    case 'checking':
      return { en: 'Checking.', zh: '正在检查。' }
    case 'preparing':
      return { en: `Preparing ${state.image}.`, zh: `正在准备 ${state.image}。` }
    case 'starting':
      return (
        seen.services.find((one) => one.name === state.service)?.readiness ?? {
          en: `Starting ${state.service}.`,
          zh: `正在启动 ${state.service}。`
        }
      )
    case 'serving':
      return { en: 'Serving; no optimizer step yet.', zh: '正在服务；尚无优化步。' }
    case 'training':
      return trainingText(state.step, seen)
    case 'quiet':
    case 'unreachable':
      return state.why
    case 'stopping':
      return state.awaiting
    case 'stopped':
      return state.why ?? stoppedText(state)
    case 'failed':
      return state.cause
  }
}

function stoppedText({ exit, asked }: Extract<AttemptState, { kind: 'stopped' }>): Text {
  const how = exitText(exit)
  return asked === true ? { en: `Stopped as asked. ${how.en}`, zh: `已按要求停止。${how.zh}` } : how
}

function trainingText(step: number, seen: Seen): Text {
  const { batchHave, batchNeed } = seen.stages
  const served = seen.served === null ? `step ${step}` : `serving ${seen.served}`
  const servedZh = seen.served === null ? `第 ${step} 步` : `由 ${seen.served} 应答`
  const known = batchHave !== null && batchNeed !== null
  const batch = known ? `; the next batch has ${batchHave} of ${batchNeed} reports` : ''
  const batchZh = known ? `；下一批次已有 ${batchHave}/${batchNeed} 条反馈` : ''
  return {
    en: `Learning, ${served}${batch}.`,
    zh: `正在学习，${servedZh}${batchZh}。`
  }
}
