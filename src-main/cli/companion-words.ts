import type { CompanionStatus } from '../contract/run'
import type { Text } from '../contract/text'
import { exitWord } from './run-words'

function stateOf({ state }: CompanionStatus): Text {
  switch (state.kind) {
    case 'waiting':
      return { en: 'waits for the stack to serve', zh: '等待运行栈就绪' }
    case 'starting':
      return { en: 'starting', zh: '启动中' }
    case 'running':
      return { en: 'running', zh: '运行中' }
    case 'restarting': {
      const { en, zh } = exitWord(state.exit)
      return { en: `ended (${en}), is started again`, zh: `已结束（${zh}），即将重新启动` }
    }
    case 'ended': {
      const { en, zh } = exitWord(state.exit)
      return { en: `ended (${en})`, zh: `已结束（${zh}）` }
    }
    case 'not-started':
      return state.again
        ? { en: 'could not be started, is tried again', zh: '无法启动，将重试' }
        : { en: 'could not be started', zh: '无法启动' }
    case 'left':
      return { en: 'still ran when the attempt ended', zh: '该次尝试结束时仍在运行' }
    case 'unused':
      return { en: 'was not started', zh: '未启动' }
  }
}

function sentence(companion: CompanionStatus): Text {
  const { name, restarts } = companion
  const { en, zh } = stateOf(companion)
  if (restarts === 0) return { en: `${name} ${en}`, zh: `${name} ${zh}` }
  return {
    en: `${name} ${en}, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    zh: `${name} ${zh}，重启 ${restarts} 次`
  }
}

/** The companions of a run for `slipway show`: one row, none where it has none. */
export function companionRow(
  companions: readonly CompanionStatus[],
  say: (en: string, zh: string) => string
): string[][] {
  if (companions.length === 0) return []
  const all = companions.map(sentence)
  return [
    [
      say('companions', '伴随命令'),
      say(all.map(({ en }) => en).join('; '), all.map(({ zh }) => zh).join('；'))
    ]
  ]
}
