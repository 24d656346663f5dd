import type { Completion } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import type { Cursor } from './cursor'
import { detail, keyItem, NONE, valueItem } from './completion-items'
import { nexrlField, nexrlNames, NEXRL_FIELDS_SOURCE, type NexrlField } from './nexrl'

/** What could be written at a place of a NexRL recipe. */
export function* nexrlCompletions(cursor: Cursor): Generator<Completion> {
  const parent = cursor.parents.join('.')
  if (!cursor.inValue) {
    for (const [name, field] of nexrlNames(parent)) {
      if (cursor.siblings.has(name)) continue
      yield field === null
        ? keyItem(name, NONE, NONE)
        : keyItem(name, nexrlDetail(field), field.note)
    }
    return
  }
  const field = nexrlField(parent === '' ? cursor.key : `${parent}.${cursor.key}`)
  if (field === undefined) return
  for (const choice of field.choices) yield valueItem(choice, NONE)
  if (field.type === 'bool') {
    yield valueItem('true', NONE)
    yield valueItem('false', NONE)
  }
}

function nexrlDetail(field: NexrlField): Text {
  return detail(field.type, field.default, field.choices, field.unit)
}

/** What a NexRL field does, in the parts a hover shows; null for a field of the person's own. */
export function describeNexrl(path: string): Text[] | null {
  const field = nexrlField(path)
  if (field === undefined) return null
  return [
    field.note,
    nexrlDetail(field),
    { en: `Source: ${NEXRL_FIELDS_SOURCE}`, zh: `来源：${NEXRL_FIELDS_SOURCE}` }
  ]
}
