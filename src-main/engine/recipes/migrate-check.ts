import type { Text } from '../../contract/text'
import { canonical } from './fields'
import { resolveRecipe, type ResolvedField } from './resolve'

/** Fields a change of layout writes anew: the layout's mark, and names that only changed their spelling. */
const RENAMED = /^(?:schema-version|inference\.(?:handler|backend)-factory|recipe\.implementation)$/

/**
 * Holds a migrated text against the one it came from. `touched` names the fields that were to change.
 * @returns why the result must not be handed out; null when it says the same
 */
export function migrationFault(
  before: string,
  after: string,
  touched: ReadonlySet<string>
): Text | null {
  const now = resolveRecipe({ path: '', text: after })
  if (now.unreadable !== null) {
    return {
      en: `Not migrated: the result would not be valid YAML (${now.unreadable})`,
      zh: `未迁移：结果将不是合法的 YAML（${now.unreadable}）`
    }
  }
  const old = resolveRecipe({ path: '', text: before })
  const changed =
    old.dialect === 'reef-unversioned'
      ? saidOtherwise(old.field, now.fields())
      : lostOrOther(fieldsByPath(old.fields()), fieldsByPath(now.fields()), touched)
  if (changed === undefined) return null
  return {
    en: `Not migrated: ${changed} would get another value. Move what it depends on by hand first`,
    zh: `未迁移：${changed} 的值会改变。请先手动调整它所依赖的字段`
  }
}

/** A field of the new layout that the old one gives another value. */
function saidOtherwise(
  old: (path: string) => ResolvedField | undefined,
  now: Iterable<ResolvedField>
): string | undefined {
  for (const { path, kind, text } of now) {
    if (kind === 'map' || RENAMED.test(path)) continue
    const said = old(path)
    if (said === undefined) continue
    // What is written as nothing is omitted in either layout, and an empty list is what its default is.
    if (text.trim() === '' && (said.origin.kind === 'default' || said.text === '[]')) continue
    if (said.text !== text) return path
  }
  return undefined
}

function fieldsByPath(fields: Iterable<ResolvedField>): Map<string, ResolvedField> {
  return new Map([...fields].map((field) => [canonical(field.path), field]))
}

function lostOrOther(
  old: ReadonlyMap<string, ResolvedField>,
  now: ReadonlyMap<string, ResolvedField>,
  touched: ReadonlySet<string>
): string | undefined {
  for (const [key, { path, kind, text }] of old) {
    if (kind === 'map' || within(key, touched)) continue
    if (now.get(key)?.text !== text) return path
  }
  return undefined
}

function within(key: string, touched: ReadonlySet<string>): boolean {
  for (const one of touched) if (key === one || key.startsWith(`${one}.`)) return true
  return false
}
