import type { AttemptState, Exit } from '../../contract/run'
import type { Text } from '../../contract/text'

/** What Docker writes down for a container whose end it did not see: it was not there itself (moby, `daemon.restore`). */
const UNSEEN = 255

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
  ending?: { kind: 'failed' }
}

/**
 * Why a container ended whose engine found it dead when it came back, as it does after a restart of its machine; null
 * for every other end, and where the log says more. Pure.
 */
export function engineLost(exit: Exit, logSaysWhy: boolean): EngineLost | null {
  if (exit.kind !== 'code' || exit.code !== UNSEEN || logSaysWhy) return null
  return {
    cause: {
      en: 'The container engine found it ended and did not see how (code 255): its machine was restarted, or the engine itself was killed.',
      zh: '容器引擎发现它已结束，但没有看到原因（退出码 255）：其所在机器被重启，或引擎本身被强制终止。'
    },
    remedy: {
      en: 'It can be started again, from what it had saved. A program that ends with −1 looks the same: then the end of the log says why.',
      zh: '可以从已保存的状态重新启动。以 −1 退出的程序看起来相同：若是如此，日志末尾会说明原因。'
    }
  }
}

/**
 * Why a service in a container ended with code 0 that nobody had asked to end, and whose engine did not answer right
 * before: an engine that starts again asks what still runs to end, and a well-behaved service then ends as if it were
 * done. Serving is never done by itself, so it counts as a failure that a person hears of. Pure.
 */
export function endedWithEngine(exit: Exit): EngineLost | null {
  if (exit.kind !== 'code' || exit.code !== 0) return null
  return {
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
}
