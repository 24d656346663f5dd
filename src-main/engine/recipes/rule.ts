import type { Dialect, Fix, Generation, Severity } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import type { Place } from './value'

/** What a rule says about itself: enough for the documentation and for `explain`. */
export interface RuleInfo {
  /** `group/name`, stable. */
  id: string
  /** error: the stack refuses; warning: it starts but is wrong, stuck or dangerous; hint: worth knowing. */
  severity: Severity
  dialects: readonly Dialect[]
  /** Absent: all generations. */
  generations?: readonly Generation[]
  /** `{name}` stands for an argument of the finding. */
  message: Text
  explanation: Text
  /** Public file or page the rule comes from. */
  source: string
}

/** One place where a rule is broken. */
export interface Hit {
  at: Place
  args?: Readonly<Record<string, string | number>>
  fix?: Fix | null | undefined
  /** Overrides the rule's own, where one rule covers a milder case. */
  severity?: Severity
}

export interface Rule<Subject> extends RuleInfo {
  check(subject: Subject): Iterable<Hit> | null
}

/** Fills `{name}` in both languages. */
export function fillText(template: Text, args: Hit['args']): Text {
  if (args === undefined) return template
  const fill = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) => String(args[name] ?? whole))
  return { en: fill(template.en), zh: fill(template.zh) }
}

export const REEF: readonly Dialect[] = ['reef-unversioned', 'reef-v2']
export const V2: readonly Dialect[] = ['reef-v2']
export const UNVERSIONED: readonly Dialect[] = ['reef-unversioned']
export const NEXRL: readonly Dialect[] = ['nexrl']
