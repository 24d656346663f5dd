import type { Completion } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import { fieldFact } from './fields'
import { flagFact } from './flags'

export const NONE: Text = { en: '', zh: '' }

export function keyItem(name: string, described: Text, documentation: Text): Completion {
  return { label: name, insert: `${name}: `, detail: described, documentation }
}

export function valueItem(text: string, described: Text): Completion {
  return { label: text.replaceAll('"', ''), insert: text, detail: described, documentation: NONE }
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

/** Type, default, unit and choices of a field, in one line. */
export function detail(
  type: string,
  fallback: string | null,
  choices: readonly string[],
  unit: string | undefined
): Text {
  const name = typeNames[type] ?? { en: type, zh: type }
  const tail = unit === undefined ? '' : ` ${unit}`
  const bare = fallback === null || fallback === ''
  const measured = unit === undefined || !bare ? '' : ` (${unit})`
  const en = [name.en + measured, bare ? '' : `default ${fallback}${tail}`, choices.join(' | ')]
  const zh = [name.zh + measured, bare ? '' : `默认 ${fallback}${tail}`, choices.join(' | ')]
  return {
    en: en.filter((part) => part !== '').join(', '),
    zh: zh.filter((part) => part !== '').join('，')
  }
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
