import type { Text } from '../../contract/text'
import { readNexrl, readReef, type Environment } from './check'
import { describeNexrl } from './complete-nexrl'
import { describeUnversioned } from './complete-unversioned'
import type { PositionInput } from './complete'
import { fieldDetail, flagDetail } from './completion-items'
import { cursorAt } from './cursor'
import { canonical, declaringField, fieldFact } from './fields'
import { flagFact } from './flags'
import { flagNote, recipeFieldNote } from './notes'
import type { ReefRecipe } from './reef-recipe'
import { shownValue } from './resolved-table'
import type { Value } from './value'

/** Public page the declared fields come from. */
const FIELDS_SOURCE = 'docs/reference/configuration.rst'

/** What a field does, its type and default, and the value it resolves to; null where there is nothing to say. */
export function hoverRecipe(
  input: PositionInput & { environment?: Environment }
): { markdown: Text } | null {
  const cursor = cursorAt(input.text, input.line, input.column)
  const path = [...cursor.parents, cursor.key].join('.')
  const { said, value } = at(input, path)
  if (said === null && value === undefined) return null
  const lines = { en: [`**${path}**`], zh: [`**${path}**`] }
  for (const part of said ?? []) {
    if (part.en === '') continue
    lines.en.push(part.en)
    lines.zh.push(part.zh)
  }
  if (value !== undefined && value.kind !== 'map') {
    const resolved = resolvedLine(value)
    lines.en.push(resolved.en)
    lines.zh.push(resolved.zh)
  }
  return { markdown: { en: lines.en.join('\n\n'), zh: lines.zh.join('\n\n') } }
}

function at(
  input: PositionInput & { environment?: Environment },
  path: string
): { said: Text[] | null; value: Value | undefined } {
  const recipe = readReef(input)
  if (recipe !== null) return { said: describe(recipe, path), value: recipe.fieldValue(path) }
  const nexrl = readNexrl(input)
  return nexrl === null
    ? { said: null, value: undefined }
    : { said: describeNexrl(path), value: nexrl.value(path) }
}

function describe(recipe: ReefRecipe, path: string): Text[] | null {
  const name = canonical(path.slice(path.lastIndexOf('.') + 1))
  const dashed = canonical(path)
  if (!recipe.versioned) {
    const own = describeUnversioned(path)
    if (own !== null) return own
  }
  if (dashed.startsWith('training.options.')) {
    const fact = flagFact(name)
    if (fact === undefined) return null
    const from = fact.from.join(', ')
    return [
      flagNote(name) ?? { en: '', zh: '' },
      flagDetail(name),
      { en: `Option of ${from}.`, zh: `来自 ${from} 的选项。` }
    ]
  }
  if (dashed.startsWith('recipe.config.') || (!recipe.versioned && dashed.startsWith('reef.'))) {
    const note = recipeFieldNote(name)
    if (note !== undefined) return [note]
  }
  const fact = recipe.versioned ? declaringField(path) : fieldFact(path)
  if (fact === undefined) return null
  return [
    fact.note,
    fieldDetail(fact.path),
    { en: `Source: ${FIELDS_SOURCE}`, zh: `来源：${FIELDS_SOURCE}` }
  ]
}

function resolvedLine(value: Value): Text {
  const shown = shownValue(value.path, value.raw, value.text)
  const code = `\`${shown.replaceAll('`', "'").slice(0, 400)}\``
  switch (value.origin.kind) {
    case 'derived':
      return {
        en: `= ${code}, from ${value.origin.from.join(', ')}`,
        zh: `= ${code}，来自 ${value.origin.from.join('、')}`
      }
    case 'environment': {
      const { name, set } = value.origin
      const zh = { set: '已设置', empty: '为空', missing: '未设置' }
      return {
        en: `= ${code}, from the environment: ${name} is ${set}`,
        zh: `= ${code}，来自环境变量 ${name}（${zh[set]}）`
      }
    }
    case 'override':
      return { en: `= ${code}, overridden for this launch`, zh: `= ${code}，本次启动时被覆盖` }
    case 'default':
    case 'file':
      return { en: `= ${code}`, zh: `= ${code}` }
  }
}
