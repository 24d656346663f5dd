import type { Exit } from '../../contract/run'
import type { Text } from '../../contract/text'

/** What Docker writes down for a container whose end it did not see: it was not there itself (moby, `daemon.restore`). */
const UNSEEN = 255

/**
 * Why a container ended whose engine found it dead when it came back, as it does after a restart of its machine; null
 * for every other end, and where the log says more. Pure.
 */
export function engineLost(exit: Exit, logSaysWhy: boolean): { cause: Text; remedy: Text } | null {
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
