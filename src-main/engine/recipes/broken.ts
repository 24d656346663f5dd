import type { Finding } from '../../contract/recipes'
import { fail } from '../lib'
import type { CheckInput } from './check'
import { checkedOnce } from './checked-once'

/** Rules that say a text is no recipe at all, so that there is nothing to resolve, migrate or compare. */
const BROKEN: ReadonlySet<string> = new Set([
  'yaml/syntax',
  'yaml/tab',
  'yaml/alias',
  'yaml/too-deep',
  'yaml/too-large',
  'yaml/several-documents',
  'yaml/root',
  'yaml/unknown-layout'
])

/** Why the text itself is no recipe; undefined when it is one, whatever else is wrong with it. */
export function brokenBy(input: CheckInput): Finding | undefined {
  return checkedOnce(input).findings.find(
    ({ rule, file, severity }) => BROKEN.has(rule) && file === undefined && severity === 'error'
  )
}

/**
 * Refuses a text that is no recipe.
 * @throws FailureError `recipe-unreadable` with the place and the reason
 */
export function refuseBroken(input: CheckInput): void {
  const found = brokenBy(input)
  if (found === undefined) return
  const { message, explanation, line, column } = found
  fail({
    code: 'recipe-unreadable',
    what: {
      en: `The recipe cannot be read: ${message.en}`,
      zh: `无法读取 recipe：${message.zh}`
    },
    where: `${input.path}:${line}:${column}`,
    remedy: explanation
  })
}
