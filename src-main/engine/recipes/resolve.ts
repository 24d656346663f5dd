import { basename } from 'node:path'
import type { Dialect, Generation, Origin, RecipeFacts } from '../../contract/recipes'
import type { CheckInput } from './check'
import { detectDialect, detectGeneration, flavourOf } from './dialect'
import { emptyFacts, reefFacts } from './facts'
import { fieldFact } from './fields'
import { NexrlRecipe, nexrlFacts } from './nexrl'
import { boolOf, numberOf } from './py-scalar'
import { ReefRecipe, type Trainer } from './reef-recipe'
import type { Value } from './value'
import { parseYaml } from './yaml-parse'
import type { YamlSource } from './yaml-tree'

/** One field as the stack will read it. `text` is the real value, secrets included: never show or keep it. */
export interface ResolvedField {
  path: string
  /** References followed; empty for null, a map or a list. */
  text: string
  /** As written. */
  raw: string
  kind: Value['kind']
  origin: Origin
  /** Environment names the value depends on that are unset or blank. */
  missing: readonly string[]
}

/** A recipe as one tree, every value with its origin: overrides, then the file, then the declared defaults. */
export interface ResolvedRecipe {
  dialect: Dialect
  generation: Generation | null
  /** What trains; `none` for NexRL, whose trainer is a field. */
  trainer: Trainer
  facts: RecipeFacts
  /** Problems of the text itself; where there are any, the tree may be empty. */
  unreadable: string | null
  /**
   * A field by its path: of `schema-version: 2` for both layouts of Reef, of the composed file for NexRL. Undefined when
   * neither written nor defaulted; null and empty count as omitted.
   */
  field: (path: string) => ResolvedField | undefined
  text: (path: string) => string | undefined
  number: (path: string) => number | undefined
  bool: (path: string) => boolean | undefined
  /** Every field that is written, in order. */
  fields(): Iterable<ResolvedField>
}

/**
 * Resolves a recipe as its stack does: Reef's two passes over both layouts, Hydra's composition for NexRL. Pure, and
 * never throws on any text.
 */
export function resolveRecipe(input: CheckInput): ResolvedRecipe {
  const { environment = {}, overrides = [] } = input
  const source = parseYaml(input.text, flavourOf(input.text, input.dialect))
  const dialect = input.dialect ?? detectDialect(source)
  if (dialect === 'nexrl') {
    const siblings = input.siblings ?? {}
    const name = basename(input.path)
    const recipe = new NexrlRecipe({ source, name, siblings, environment, overrides })
    return view({
      source,
      dialect,
      generation: null,
      trainer: 'none',
      facts: nexrlFacts(recipe, input.path),
      value: (path) => recipe.given(path),
      defaultOf: () => undefined,
      values: () => recipe.fields()
    })
  }
  if (dialect === 'unknown') {
    return view({
      source,
      dialect,
      generation: null,
      trainer: 'none',
      facts: emptyFacts(input.path),
      value: () => undefined,
      defaultOf: () => undefined,
      values: () => []
    })
  }
  const generation = input.generation ?? detectGeneration(source, dialect) ?? 'C'
  const recipe = new ReefRecipe({ source, dialect, generation, environment, overrides })
  return view({
    source,
    dialect,
    generation,
    trainer: recipe.trainer,
    facts: reefFacts(recipe, input.path),
    value: (path) => recipe.given(path) ?? legacyFlag(recipe, path),
    defaultOf: (path) => legacyDefault(dialect, path) ?? fieldFact(path)?.default ?? undefined,
    values: () => recipe.fields()
  })
}

/** Trainer flags of an unversioned stack stand in commands and folded strings, not in a section. */
function legacyFlag(recipe: ReefRecipe, path: string): Value | undefined {
  const prefix = 'training.options.'
  return recipe.versioned || !path.startsWith(prefix)
    ? undefined
    : recipe.flag(path.slice(prefix.length))
}

/** Defaults of the unversioned layout that version 2 changed (docs/reference/configuration.rst). */
function legacyDefault(dialect: Dialect, path: string): string | undefined {
  if (dialect !== 'reef-unversioned') return undefined
  switch (path) {
    case 'reef.host':
      return '0.0.0.0'
    case 'reef.run-dir':
      return '/tmp/reef-stack'
    case 'reef.ready-timeout':
      return '3600'
    default:
      return undefined
  }
}

interface Parts extends Omit<
  ResolvedRecipe,
  'field' | 'text' | 'number' | 'bool' | 'fields' | 'unreadable'
> {
  source: YamlSource
  value: (path: string) => Value | undefined
  defaultOf: (path: string) => string | undefined
  values: () => Iterable<Value>
}

function view(parts: Parts): ResolvedRecipe {
  const { source, value, defaultOf, values, ...known } = parts
  const field = (path: string): ResolvedField | undefined => {
    const found = value(path)
    if (found !== undefined) return fieldOf(found)
    const fallback = defaultOf(path)
    if (fallback === undefined) return undefined
    const origin: Origin = { kind: 'default' }
    return { path, text: fallback, raw: fallback, kind: 'string', origin, missing: [] }
  }
  const text = (path: string): string | undefined => field(path)?.text
  return {
    ...known,
    unreadable: unreadable(source),
    field,
    text,
    number: (path) => numberOf(text(path) ?? ''),
    bool: (path) => boolOf(text(path) ?? ''),
    *fields() {
      for (const one of values()) yield fieldOf(one)
    }
  }
}

function unreadable(source: YamlSource): string | null {
  const first = source.problems[0]
  if (first !== undefined) {
    const { line, column } = source.positionOf(first.start)
    return `${line}:${column}: ${first.detail === '' ? first.code : first.detail}`
  }
  return source.root?.type === 'map' ? null : 'not a YAML object at the root'
}

function fieldOf({ path, text, raw, kind, origin, missing }: Value): ResolvedField {
  return { path, text, raw, kind, origin, missing }
}
