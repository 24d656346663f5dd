import type { ResolvedValue } from '../../contract/recipes'
import { RECIPE_DEFAULTS } from './families'
import { FIELDS } from './fields'
import { lastPart, type ReefRecipe } from './reef-recipe'
import { isSecretName, isSecretVariable, type Value } from './value'

/** Shown in place of a secret: by the name of its variable, or that one is written in the file. */
export function shownValue(path: string, raw: string, text: string): string {
  if (text === '' || !isSecretName(lastPart(path)))
    return raw.includes('${') ? withoutSecrets(raw, text) : text
  return raw.includes('${') ? raw : '‹secret in file›'
}

/** A text built from a variable whose own name says it is secret shows the name, never the value. */
function withoutSecrets(raw: string, text: string): string {
  for (const match of raw.matchAll(/\$\{(?:oc\.env:)?(\w+)[^}]{0,400}\}/g)) {
    if (isSecretVariable(match[1] ?? '')) return raw
  }
  return text
}

/** Every field with its value and where that comes from: as written first, then the defaults that fill the rest. */
export function resolvedTable(recipe: ReefRecipe): ResolvedValue[] {
  const rows: ResolvedValue[] = []
  for (const value of recipe.fields()) {
    if (value.kind === 'map') continue
    rows.push(rowOf(value))
  }
  if (!recipe.versioned) {
    for (const service of recipe.services) {
      for (const flag of service.flags)
        rows.push({ ...rowOf(flag.value), path: `services.${service.name} --${flag.name}` })
    }
    return rows
  }
  rows.push(...defaultRows(recipe))
  return rows
}

function rowOf(value: Value): ResolvedValue {
  const text = value.kind === 'null' ? 'null' : shownValue(value.path, value.raw, value.text)
  return { path: value.path, value: text, origin: value.origin }
}

function* defaultRows(recipe: ReefRecipe): Generator<ResolvedValue> {
  for (const fact of FIELDS) {
    if (
      fact.default === null ||
      fact.type === 'map' ||
      !fact.generations.includes(recipe.generation)
    )
      continue
    const section = fact.path.slice(0, fact.path.indexOf('.'))
    const optional = ['teacher', 'generator', 'evaluation', 'observability'].includes(section)
    if (optional && recipe.fieldValue(section) === undefined) continue
    if (recipe.given(fact.path) === undefined)
      yield { path: fact.path, value: fact.default, origin: { kind: 'default' } }
  }
  const tensor = recipe.numberOrDefault('inference.tensor-parallel-size')
  if (recipe.given('inference.num-gpus') === undefined && tensor !== undefined) {
    yield {
      path: 'inference.num-gpus',
      value: String(tensor),
      origin: { kind: 'derived', from: ['inference.tensor-parallel-size'] }
    }
  }
  const { family } = recipe
  if (family === null) return
  const defaults = Object.entries(RECIPE_DEFAULTS[family.id] ?? {})
  if (family.batch !== null)
    defaults.unshift(['batch-size', String(family.batch[recipe.generation])])
  for (const [name, value] of defaults) {
    const path = `recipe.config.${name}`
    if (recipe.given(path) === undefined) yield { path, value, origin: { kind: 'default' } }
  }
}
