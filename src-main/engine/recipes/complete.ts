import type { Completion, Generation } from '../../contract/recipes'
import { dialectOf, readReef } from './check'
import { nexrlCompletions } from './complete-nexrl'
import { unversionedCompletions } from './complete-unversioned'
import { fieldDetail, flagDetail, keyItem, NONE, valueItem } from './completion-items'
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

/** What could be written at a place of a recipe, whatever its layout. Names already there are left out. */
export function completeRecipe(input: PositionInput): Completion[] {
  const recipe = readReef(input)
  const cursor = cursorAt(input.text, input.line, input.column)
  const offered = [...offers(input, recipe, cursor)]
  const typed = canonical(cursor.typed).toLowerCase()
  return offered.filter((one) => typed === '' || canonical(one.label).toLowerCase().includes(typed))
}

function* offers(
  input: PositionInput,
  recipe: ReefRecipe | null,
  cursor: Cursor
): Generator<Completion> {
  if (recipe === null) {
    if (dialectOf(input.text) === 'nexrl') yield* nexrlCompletions(cursor)
  } else if (!recipe.versioned) yield* unversionedCompletions(recipe, cursor)
  else if (cursor.inValue) yield* values(recipe, cursor)
  else yield* keys(recipe, cursor)
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
