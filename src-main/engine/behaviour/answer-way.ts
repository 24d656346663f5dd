import type { AnswerWay } from '../../contract/behaviour'
import type { Text } from '../../contract/text'

/** How a release of a live service comes to answer. */
export interface WayVerdict {
  way: Extract<AnswerWay, 'asked' | 'asked-release' | 'recorded'>
  note: Text | null
}

/**
 * A service answers with the release it serves and with no other (`docs/user-guide/operate.rst`); only the practice
 * stack can be asked for any. What cannot be asked is looked up among what it answered before.
 */
export function wayOf(release: {
  step: number
  served: number | null
  practice: boolean
  live: boolean
}): WayVerdict {
  if (!release.live)
    return {
      way: 'recorded',
      note: {
        en: `The run is not serving; for r${release.step} the answers it recorded are used.`,
        zh: `该运行未在提供服务；r${release.step} 使用其已记录的回答。`
      }
    }
  if (release.practice) return { way: 'asked-release', note: null }
  if (release.step === release.served) return { way: 'asked', note: null }
  const now = release.served === null ? null : `r${release.served}`
  return {
    way: 'recorded',
    note: {
      en: `The service answers only with ${now ?? 'what it serves'}; for r${release.step} the answers it recorded are used.`,
      zh: `服务只以 ${now ?? '在线版本'} 回答；r${release.step} 使用其已记录的回答。`
    }
  }
}
