import type { Text } from '../../contract/text'
import { checkRecipe, readReef } from './check'
import { migrateUnversioned } from './migrate-unversioned'
import { migrateVersioned, type Migration } from './migrate-versioned'

/**
 * Brings a Reef recipe to the newest form: an unversioned file to `schema-version: 2`, an older version 2 file to the
 * newest generation. Any other text comes back unchanged. Migrating twice changes nothing.
 */
export function migrateRecipe(input: { path: string; text: string }): Migration {
  const recipe = readReef(input)
  if (recipe === null) return { text: input.text, changes: [] }
  const broken = recipe.source.problems.length > 0
  if (broken) return { text: input.text, changes: [unreadable(input.text)] }
  if (recipe.versioned) return migrateVersioned(input.text)
  const first = migrateUnversioned(recipe)
  const second = migrateVersioned(first.text)
  return { text: second.text, changes: [...first.changes, ...second.changes] }
}

function unreadable(text: string): Text {
  const first = checkRecipe({ path: '', text }).findings.find((one) => one.severity === 'error')
  return {
    en: `Not migrated: ${first?.message.en ?? 'the file is not valid YAML'}`,
    zh: `未迁移：${first?.message.zh ?? '文件不是合法的 YAML'}`
  }
}
