import type { Failure } from '../contract/failure'
import type { Text } from '../contract/text'

type Language = keyof Text

/** What a person is told, without a page, of an engine that cannot work: what, where, in the system's words, what to do. */
export function unusableWords(failure: Failure, language: Language): string {
  const { what, where, detail, remedy } = failure
  return [what[language], where, detail, remedy?.[language]]
    .filter((line) => line !== undefined && line !== '')
    .join('\n\n')
}

/** What a person is told of an engine that ended again and again and is left alone. `code`: how it ended the last time. */
export function gaveUpWords(code: number, language: Language): string {
  const words: Text = {
    en: `The engine ended again and again (the last time with code ${code}) and is not started any more. Your runs go on. Quit Slipway and start it again.`,
    zh: `引擎反复退出（最近一次退出码 ${code}），已不再重新启动。正在进行的运行不受影响。请退出 Slipway 后重新启动。`
  }
  return words[language]
}
