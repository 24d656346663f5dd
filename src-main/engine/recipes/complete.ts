import type { Completion, Generation } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import { readReef } from './check'
import { cursorAt, type Cursor } from './cursor'
import { FAMILIES } from './families'
import { canonical, fieldFact, FIELDS, SECTIONS } from './fields'
import { allFlags, flagFact } from './flags'
import { ENGINE_OPTIONS, flagNote, recipeFieldNote } from './notes'
import type { ReefRecipe } from './reef-recipe'

export interface PositionInput {
  path: string
  text: string
  line: number
  column: number
  generation?: Generation | undefined
}

const NONE: Text = { en: '', zh: '' }

/** What could be written at a place of a `schema-version: 2` recipe. Names already there are left out. */
export function completeRecipe(input: PositionInput): Completion[] {
  const recipe = readReef(input)
  const cursor = cursorAt(input.text, input.line, input.column)
  if (recipe === null || !recipe.versioned) return []
  const offered = cursor.inValue ? [...values(recipe, cursor)] : [...keys(recipe, cursor)]
  const typed = canonical(cursor.typed).toLowerCase()
  return offered.filter((one) => typed === '' || canonical(one.label).toLowerCase().includes(typed))
}

function* keys(recipe: ReefRecipe, cursor: Cursor): Generator<Completion> {
  const parent = cursor.parents.map(canonical).join('.')
  const free = (name: string): boolean =>
    ![...cursor.siblings].some((one) => canonical(one) === canonical(name))
  if (parent === '') {
    for (const section of SECTIONS) {
      if (section.generations.includes(recipe.generation) && free(section.name))
        yield keyItem(section.name, NONE, NONE)
    }
  } else if (parent === 'training.options') {
    for (const flag of allFlags())
      if (free(flag.name))
        yield keyItem(flag.name, flagDetail(flag.name), flagNote(flag.name) ?? NONE)
  } else if (parent === 'inference.options') {
    for (const option of ENGINE_OPTIONS)
      if (free(option.name)) yield keyItem(option.name, { en: 'SGLang', zh: 'SGLang' }, option.note)
  } else if (parent === 'recipe.config') {
    for (const name of recipe.family?.fields ?? [])
      if (free(name)) yield keyItem(name, NONE, recipeFieldNote(name) ?? NONE)
  } else {
    yield* fieldKeys(recipe, parent, free)
  }
}

function* fieldKeys(
  recipe: ReefRecipe,
  parent: string,
  free: (name: string) => boolean
): Generator<Completion> {
  const seen = new Set<string>()
  for (const fact of FIELDS) {
    if (!fact.path.startsWith(`${parent}.`) || !fact.generations.includes(recipe.generation))
      continue
    const rest = fact.path.slice(parent.length + 1)
    const name = rest.split('.')[0] ?? rest
    if (seen.has(name) || !free(name)) continue
    seen.add(name)
    const exact = rest === name
    yield keyItem(name, exact ? fieldDetail(fact.path) : NONE, exact ? fact.note : NONE)
  }
}

function* values(recipe: ReefRecipe, cursor: Cursor): Generator<Completion> {
  const path = [...cursor.parents, cursor.key].map(canonical).join('.')
  if (path === 'recipe.implementation') {
    for (const family of FAMILIES) {
      const name = family.classes[0] ?? ''
      if (name.includes(':'))
        yield valueItem(`recipes.${name.replace(/^recipes\./, '')}`, {
          en: family.label,
          zh: family.label
        })
    }
  }
  const flag = path.startsWith('training.options.') ? flagFact(cursor.key) : undefined
  const fact = fieldFact(path)
  for (const choice of flag?.choices ?? fact?.choices ?? []) yield valueItem(choice, NONE)
  if (flag?.type === 'switch' || fact?.type === 'bool') {
    yield valueItem('true', NONE)
    yield valueItem('false', NONE)
  }
  for (const value of recipe.fields()) {
    const usable =
      /^(?:training\.config|inference|recipe\.config)\./.test(value.path) &&
      value.kind !== 'map' &&
      value.kind !== 'list'
    if (usable && canonical(value.path) !== path)
      yield valueItem(`"\${${value.path}}"`, { en: value.text, zh: value.text })
  }
}

function keyItem(name: string, detail: Text, documentation: Text): Completion {
  return { label: name, insert: `${name}: `, detail, documentation }
}

function valueItem(text: string, detail: Text): Completion {
  return { label: text.replaceAll('"', ''), insert: text, detail, documentation: NONE }
}

/** Type, default, unit and choices of a declared field, in one line. */
export function fieldDetail(path: string): Text {
  const fact = fieldFact(path)
  if (fact === undefined) return NONE
  return detail(fact.type, fact.default, fact.choices ?? [], fact.unit)
}

export function flagDetail(name: string): Text {
  const fact = flagFact(name)
  return fact === undefined
    ? NONE
    : detail(fact.type ?? 'text', fact.default ?? null, fact.choices, undefined)
}

const typeNames: Readonly<Record<string, Text>> = {
  text: { en: 'text', zh: '文本' },
  int: { en: 'integer', zh: '整数' },
  float: { en: 'number', zh: '数字' },
  bool: { en: 'true or false', zh: '布尔' },
  switch: { en: 'switch', zh: '开关' },
  json: { en: 'JSON', zh: 'JSON' },
  list: { en: 'list', zh: '列表' },
  map: { en: 'object', zh: '对象' },
  any: { en: 'name or object', zh: '名称或对象' }
}

function detail(
  type: string,
  fallback: string | null,
  choices: readonly string[],
  unit: string | undefined
): Text {
  const name = typeNames[type] ?? { en: type, zh: type }
  const tail = unit === undefined ? '' : ` ${unit}`
  const en = [name.en, fallback === null ? '' : `default ${fallback}${tail}`, choices.join(' | ')]
  const zh = [name.zh, fallback === null ? '' : `默认 ${fallback}${tail}`, choices.join(' | ')]
  return {
    en: en.filter((part) => part !== '').join(', '),
    zh: zh.filter((part) => part !== '').join('，')
  }
}
