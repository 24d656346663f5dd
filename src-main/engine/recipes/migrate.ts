import type { Text } from '../../contract/text'
import { brokenBy } from './broken'
import { readReef } from './check'
import { migrationFault } from './migrate-check'
import { migrateUnversioned } from './migrate-unversioned'
import { migrateVersioned, type Migration } from './migrate-versioned'

/**
 * Brings a Reef recipe to the newest form: an unversioned file to `schema-version: 2`, an older version 2 file to the
 * newest generation. Any other text comes back unchanged, and so does one whose result would be broken or mean something
 * else: `refused` says why then. The file keeps its line break. Migrating twice changes nothing.
 */
export function migrateRecipe(input: { path: string; text: string }): Migration {
  const text = input.text.replaceAll('\r\n', '\n')
  const result = migrateLines(input.path, text)
  if (result.text === text) return { ...result, text: input.text }
  return mostlyCrlf(input.text) ? { ...result, text: result.text.replaceAll('\n', '\r\n') } : result
}

function mostlyCrlf(text: string): boolean {
  const all = text.split('\n').length - 1
  return (text.split('\r\n').length - 1) * 2 > all
}

function migrateLines(path: string, text: string): Migration {
  const broken = brokenBy({ path, text })
  if (broken !== undefined) {
    const { line, column, message } = broken
    return refused(text, {
      en: `Not migrated: ${line}:${column}: ${message.en}`,
      zh: `未迁移：${line}:${column}：${message.zh}`
    })
  }
  const recipe = readReef({ path, text })
  if (recipe === null) return { text, changes: [] }
  const first = recipe.versioned ? { text, changes: [] } : migrateUnversioned(recipe)
  const second = migrateVersioned(first.text)
  if (second.text === text) return { text, changes: second.changes }
  const fault = migrationFault(text, second.text, second.touched)
  if (fault !== null) return refused(text, fault)
  return { text: second.text, changes: [...first.changes, ...second.changes] }
}

function refused(text: string, why: Text): Migration {
  return { text, changes: [why], refused: why }
}
