import type { NexrlVerdict } from '../../contract/nexrl'
import type { Text } from '../../contract/text'
import type { DriverReading } from './driver-log'

/** Heartbeats that may be missed until nothing is known any more. */
const MISSED = 3

/** What is known beside the log. Durations in milliseconds. */
export interface DriverCircumstances {
  /** Whether the driver still runs. `unseen`: it could not be looked at. */
  alive: 'yes' | 'no' | 'unseen'
  /** The way it ended proves a failure (a code that is not 0, a signal). It can never prove a success. */
  endedBadly: boolean
  /** Since the newest line of the log. */
  silentMs: number
  heartbeatMs: number
}

export interface DriverJudgement {
  verdict: NexrlVerdict
  said: Text
  /** The line that proves it, where one does. */
  evidence: string | null
}

const t = (en: string, zh: string): Text => ({ en, zh })

function steps(reading: DriverReading): number {
  return reading.lastStep === null ? 0 : reading.lastStep + 1
}

/**
 * How a driver stands, from its log. The only mark of success is `steps_reached=True`: the closing lines are printed
 * after a failure, too, and a pod ends green after a crash. Pure.
 */
export function judgeDriver(
  reading: DriverReading,
  { alive, endedBadly, silentMs, heartbeatMs }: DriverCircumstances
): DriverJudgement {
  const done = steps(reading)
  if (reading.stepsReached) {
    return {
      verdict: 'done',
      said: t(`Done: all ${done} steps are trained.`, `已完成：全部 ${done} 步训练结束。`),
      evidence: 'steps_reached=True'
    }
  }
  const fault = faultOf(reading)
  if (fault !== null) return fault
  const over = alive === 'no'
  // The loader is done long before the last batch is trained: a crash in between is a crash.
  const torn = (reading.traceback ?? '') !== '' && !reading.finished
  const crashed = over && (endedBadly || torn)
  if (reading.exhausted && (reading.finished || over) && !crashed) {
    return {
      verdict: 'ended-early',
      said: t(
        `Ended early after ${done} steps: the data is used up, and the loader reads it only once.`,
        `在第 ${done} 步后提前结束：数据已用尽，加载器只读取一遍。`
      ),
      evidence: 'TorchDataLoader: All data has been consumed'
    }
  }
  if (over) return ended(reading, endedBadly)
  if (!reading.looping) {
    return {
      verdict: 'starting',
      said: t(
        'The driver is starting; the first weights can take minutes.',
        '驱动正在启动；首次准备权重可能需要数分钟。'
      ),
      evidence: null
    }
  }
  const late = silentMs > MISSED * heartbeatMs
  if (late || alive === 'unseen') {
    const seconds = Math.round(silentMs / 1000)
    return {
      verdict: 'unknown',
      said: !late
        ? t('Not known: it cannot be looked at.', '状态未知：目前无法查看。')
        : t(
            `Not known: no line for ${seconds} s, longer than three heartbeats.`,
            `状态未知：已有 ${seconds} 秒没有新日志，超过三次心跳。`
          ),
      evidence: null
    }
  }
  return {
    verdict: 'running',
    said:
      done === 0
        ? t('Gathering the first batch.', '正在收集第一个批次。')
        : t(`${done} steps trained.`, `已训练 ${done} 步。`),
    evidence: null
  }
}

function faultOf({ unhealthy, modulesDead }: DriverReading): DriverJudgement | null {
  if (unhealthy !== null) {
    return {
      verdict: 'failed',
      said: t(
        'The driver ended itself: its health check found errors.',
        '驱动自行终止：健康检查发现错误。'
      ),
      evidence: unhealthy
    }
  }
  if (modulesDead === null) return null
  return {
    verdict: 'failed',
    said: t('The driver ended itself: a module died.', '驱动自行终止：有模块已失效。'),
    evidence: modulesDead
  }
}

function ended(reading: DriverReading, endedBadly: boolean): DriverJudgement {
  const { traceback } = reading
  if (traceback !== null && traceback !== '') {
    return {
      verdict: 'crashed',
      said: t(`The driver crashed: ${traceback}`, `驱动崩溃：${traceback}`),
      evidence: traceback
    }
  }
  if (endedBadly || traceback !== null) {
    return {
      verdict: 'crashed',
      said: t('The driver was ended before it was done.', '驱动在完成之前被终止。'),
      evidence: null
    }
  }
  return {
    verdict: 'unknown',
    said: t(
      'It ended, and its log does not say that all steps were trained. Do not count it as done.',
      '已结束，但日志没有表明全部步数训练完成，不能视为完成。'
    ),
    evidence: null
  }
}
