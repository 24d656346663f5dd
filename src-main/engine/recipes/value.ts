import type { Origin } from '../../contract/recipes'
import { SHORTEST_SECRET } from '../lib'
import type { ScalarKind } from './py-scalar'
import type { Span, YamlNode, YamlSource } from './yaml-tree'

/** A field as the stack will see it, and everything needed to point at it and to change it. */
export interface Value {
  /** Path as written, e.g. `training.options.lr` or `training.slime_flags --lr`. */
  path: string
  /** Resolved text; empty for null. Lists are joined by a blank. */
  text: string
  /** Text before references were followed. */
  raw: string
  kind: ScalarKind | 'list' | 'map'
  origin: Origin
  source: YamlSource
  keySpan: Span
  span: Span
  node: YamlNode | undefined
  /** False where an edit at `span` would change more than this field, or nothing at all. */
  editable: boolean
  /** Environment names the text depends on that are not set, or blank. */
  missing: readonly string[]
  references: readonly string[]
  /** Said by an override alone: no text has it, and the spans point at nothing. */
  unwritten?: true
}

/** Where a finding points: a value, or a bare path when the field is absent. */
export interface Place {
  path: string
  span?: Span
  source?: YamlSource
  /** What counts is not what the text says there, so that no edit of the text mends it. */
  overridden?: boolean
}

export function atValue(value: Value): Place {
  return placeAt(value, value.span)
}

export function atKey(value: Value): Place {
  return placeAt(value, value.keySpan)
}

function placeAt({ path, source, origin, unwritten }: Value, span: Span): Place {
  const overridden = origin.kind === 'override'
  return unwritten === true ? { path, overridden } : { path, span, source, overridden }
}

/** Environment variables whose content is a credential, by the words such names end in. */
export function isSecretVariable(name: string): boolean {
  return /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTHORIZATION|WEBHOOK(?:_URL)?|DATABASE_URL)$/i.test(
    name
  )
}

/** Names of fields whose content is a credential; narrower than a variable's: `prompt_key` is none. */
export function isSecretName(name: string): boolean {
  return (
    /(?:token|tokens|(?:api|access|secret|private|wandb)[-_]?key|secret|password|passwd|passphrase|[-_]pass|credential|credentials|authorization|webhook[-_]url|database[-_]url)$/i.test(
      name
    ) ||
    // An entry of an `env` map is named as its variable.
    (/^[A-Z][A-Z0-9_]*$/.test(name) && isSecretVariable(name))
  )
}

/** Values of an environment whose names say that they are credentials. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST_SECRET && isSecretVariable(name) ? [value] : []
  )
}
