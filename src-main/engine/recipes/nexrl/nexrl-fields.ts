import { z } from 'zod'
import { Text } from '../../../contract/text'
import catalogue from '../data/nexrl-fields.json'

/** Public file the fields are read in. */
export const NEXRL_FIELDS_SOURCE = 'nexrl/utils/config_utils.py, recipe/*/common.yaml'

const Field = z.object({
  path: z.string(),
  type: z.enum(['text', 'int', 'float', 'bool', 'list']),
  default: z.string().nullable(),
  choices: z.array(z.string()).default([]),
  unit: z.string().optional(),
  note: Text
})

/** One declared field of a NexRL recipe. `*` stands for a name of the person's own. */
export type NexrlField = z.infer<typeof Field>

const NEXRL_FIELDS: readonly NexrlField[] = z.array(Field).parse(catalogue.fields)

/** The declared field at a path of a composed recipe. */
export function nexrlField(path: string): NexrlField | undefined {
  return NEXRL_FIELDS.find((field) => matches(field.path, path))
}

function matches(declared: string, path: string): boolean {
  const wanted = declared.split('.')
  const parts = path.split('.')
  return (
    wanted.length === parts.length &&
    wanted.every((part, index) => part === '*' || part === parts[index])
  )
}

/** Names that may stand directly below a path, each with its field where it is one and not a section. */
export function nexrlNames(parent: string): Map<string, NexrlField | null> {
  const above = parent === '' ? [] : parent.split('.')
  const found = new Map<string, NexrlField | null>()
  for (const field of NEXRL_FIELDS) {
    const parts = field.path.split('.')
    const name = parts[above.length]
    const below = above.every((part, index) => parts[index] === '*' || parts[index] === part)
    if (name === undefined || name === '*' || !below) continue
    const leaf = parts.length === above.length + 1
    if (leaf || !found.has(name)) found.set(name, leaf ? field : null)
  }
  return found
}
