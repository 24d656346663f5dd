import type { AttemptState, Exit } from '../../contract/run'
import type { Text } from '../../contract/text'
import type { Ending } from './attempt-state'

/** What Docker writes down for a container whose end it did not see: it was not there itself (moby, `daemon.restore`). */
const UNSEEN = 255
/** What a signal leaves of a container’s first process: an engine that ends asks with the one and then kills. */
const SIGNALLED: ReadonlySet<number> = new Set([128 + 9, 128 + 15])

/** Why an attempt is out of reach whose target does not answer. */
export function targetAway(why: string): Text {
  return { en: `The target cannot be looked at: ${why}`, zh: `无法查看目标：${why}` }
}

/** Whether the target itself did not answer the last time the attempt was looked at, rather than its service. */
export function isTargetAway(state: AttemptState): boolean {
  return state.kind === 'unreachable' && state.what === 'target'
}

/** What is told of an end that the container engine brought about; `ending` where the exit alone would call it a clean one. */
export interface EngineLost {
  cause: Text
  remedy: Text
  ending?: Ending
}

/** What is known of the end of a container besides its log. Times are Unix milliseconds of its own machine. */
export interface ContainerEnd {
  exit: Exit
  /** When it ended; null: nobody says. */
  at: number | null
  /** When its engine was started the last time; null: nobody says. */
  engineSince: number | null
  /** Its engine did not answer right before. */
  targetAway: boolean
  /** A service serves until it is ended; a driver may end by itself, and its log says how. */
  serves: boolean
  /** Every training job that it was to do is done, so that it ends by itself. */
  done: boolean
  logSaysWhy: boolean
}

/** Whether the engine's own start could say something of an end. */
export function dependsOnEngine({ exit, serves }: Pick<ContainerEnd, 'exit' | 'serves'>): boolean {
  return serves && exit.kind === 'code' && (exit.code === 0 || SIGNALLED.has(exit.code))
}

/**
 * What the engine has to do with the end of a container that is still there; null where it has nothing, or the log says
 * more. An engine that starts again asks what still runs to end, and a well-behaved service then ends as if it were
 * done. Where a look saw the engine away right before, that is a failure. Where nobody looked, all that is known
 * afterwards is that the engine was started again since: it may have been the cause and may not. Pure.
 */
export function engineLost(end: ContainerEnd): EngineLost | null {
  const { exit, logSaysWhy, done, targetAway, engineSince, at } = end
  if (exit.kind !== 'code') return null
  if (exit.code === UNSEEN) return logSaysWhy ? null : unseen
  if (!dependsOnEngine(end)) return null
  const restarted = engineSince === null || at === null ? null : engineSince >= at
  if (exit.code !== 0) return restarted === true && !logSaysWhy ? signalled(exit.code) : null
  if (done) return null
  if (targetAway) return restarted === false ? null : endedWithEngine
  return restarted === true ? restartedSince : null
}

const unseen: EngineLost = {
  cause: {
    en: 'The container engine found it ended and did not see how (code 255): its machine was restarted, or the engine itself was killed.',
    zh: '容器引擎发现它已结束，但没有看到原因（退出码 255）：其所在机器被重启，或引擎本身被强制终止。'
  },
  remedy: {
    en: 'It can be started again, from what it had saved. A program that ends with −1 looks the same: then the end of the log says why.',
    zh: '可以从已保存的状态重新启动。以 −1 退出的程序看起来相同：若是如此，日志末尾会说明原因。'
  }
}

const endedWithEngine: EngineLost = {
  cause: {
    en: 'It ended while its container engine was out of reach, and nobody had asked it to (code 0): the engine was restarted, which ends what runs in it.',
    zh: '它在容器引擎无法访问期间结束，且无人要求停止（退出码 0）：引擎被重启，其中运行的一切随之结束。'
  },
  remedy: {
    en: 'It can be started again, from what it had saved. With “live-restore” in the engine’s settings a restart of the engine leaves containers running.',
    zh: '可以从已保存的状态重新启动。在引擎设置中启用“live-restore”后，重启引擎不会结束容器。'
  },
  ending: { kind: 'failed' }
}

const since: Text = {
  en: 'It ended with code 0 while nobody looked, and its container engine was started again since: a restart of the engine or of its machine may have ended it before it was done. It can be started again, from what it had saved.',
  zh: '它在无人查看时以退出码 0 结束，此后其容器引擎被重新启动过：可能是引擎或其所在机器的重启使它提前结束。可以从已保存的状态重新启动。'
}

const restartedSince: EngineLost = {
  cause: since,
  remedy: endedWithEngine.remedy,
  ending: { kind: 'unsure', why: since }
}

function signalled(code: number): EngineLost {
  return {
    cause: {
      en: `It was ended from outside (exit code ${code}), and its container engine was started again since: a restart of the engine or of its machine ends what runs in it.`,
      zh: `它被外部终止（退出码 ${code}），此后其容器引擎被重新启动过：引擎或其所在机器的重启会结束其中运行的一切。`
    },
    remedy: endedWithEngine.remedy
  }
}
