import type { Text } from '../../../contract/text'
import type { FieldFact, FieldType } from '../fields'
import { boolOf, numberOf } from '../py-scalar'
import type { Value } from '../value'

/** What a declared field wants when something of another kind is written; null: the kind is right. */
export function kindFault(type: FieldType, value: Value): Text | null {
  const single = value.kind !== 'map' && value.kind !== 'list'
  switch (type) {
    case 'int':
    case 'float': {
      const number = single ? numberOf(value.text) : undefined
      if (type === 'float') return number === undefined ? { en: 'a number', zh: '数字' } : null
      return Number.isInteger(number) ? null : { en: 'an integer', zh: '整数' }
    }
    case 'bool':
      return boolOf(value.text) === undefined ? { en: 'true or false', zh: ' true 或 false' } : null
    case 'list':
      return value.kind === 'list' ? null : { en: 'a list of strings', zh: '字符串列表' }
    case 'map':
      return value.kind === 'map' ? null : { en: 'an object', zh: '对象' }
    case 'text':
      return single ? null : { en: 'text', zh: '文本' }
    case 'any':
      return null
  }
}

/** What a declared field wants when its kind is right but not what it says: out of range, or none of the choices. */
export function rangeFault(fact: FieldFact, value: Value): Text | null {
  const number = fact.type === 'int' || fact.type === 'float' ? numberOf(value.text) : undefined
  if (number !== undefined) return boundFault(fact, number)
  if (fact.type !== 'text' || fact.choices === undefined || fact.choices.includes(value.text))
    return null
  const list = fact.choices.join(', ')
  return { en: `one of ${list}`, zh: `以下之一：${list}` }
}

function boundFault({ min, max, above }: FieldFact, number: number): Text | null {
  if (min !== undefined && above === true && number <= min)
    return { en: `above ${min}`, zh: `大于 ${min} 的数` }
  if (min !== undefined && number < min) return { en: `at least ${min}`, zh: `不小于 ${min} 的数` }
  if (max !== undefined && number > max) return { en: `at most ${max}`, zh: `不大于 ${max} 的数` }
  return null
}
