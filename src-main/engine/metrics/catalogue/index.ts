import type { Text } from '../../../contract/text'
import type { Entry, KeyKnowledge, Pair } from './entry'
import { nexrl } from './nexrl'
import { reef } from './reef'
import { rollout } from './rollout'
import { speed } from './speed'
import { train } from './train'

export { type Alarm, alarmsOf } from './alarms'
export type { KeyKnowledge } from './entry'

const all: readonly Entry[] = [...train, ...rollout, ...reef, ...nexrl, ...speed]
const exact = new Map<string, Entry>()
const families: [RegExp, Entry][] = []
for (const entry of all) {
  if (typeof entry.key === 'string') exact.set(entry.key, entry)
  else families.push([entry.key, entry])
}

/** What the catalogue says about a key; an unknown key has a direction of `none` and nothing else. */
export function knowledgeOf(key: string): KeyKnowledge {
  const entry = exact.get(key) ?? families.find(([pattern]) => pattern.test(key))?.[1]
  if (entry === undefined) return { direction: 'none' }
  const { direction = 'none', unit, says, healthy, failure } = entry
  return {
    direction,
    description: textOf(says),
    ...(unit && { unit }),
    ...(healthy && { healthy: textOf(healthy) }),
    ...(failure && { failure: textOf(failure) })
  }
}

function textOf([en, zh]: Pair): Text {
  return { en, zh }
}
