import type { Generation } from '../../contract/recipes'
import { editDistance } from '../lib'
import { canonical, FIELDS, SECTIONS } from './fields'
import type { YamlNode } from './yaml-tree'

/** Letters that may be wrong, missing or too many; a short name resembles many others. */
function mostWrong(name: string): number {
  return name.length < 5 ? 1 : 2
}

/** The one name of these that was surely meant; undefined where none is near, or two are equally so. */
function nearestName(written: string, names: readonly string[]): string | undefined {
  const typed = canonical(written).toLowerCase()
  const limit = mostWrong(typed)
  const scored = names
    .map((name) => ({ name, distance: editDistance(typed, name, limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
  const [first, second] = scored
  return first === undefined || first.distance === second?.distance ? undefined : first.name
}

/** Sections whose name is written wrong, by the name as written: what was meant is not there itself. */
export function misspeltSections(
  root: YamlNode | null,
  generation: Generation
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  if (root?.type !== 'map') return found
  const written = new Set(root.entries.map(({ key }) => canonical(key)))
  const absent = SECTIONS.flatMap(({ name, generations }) =>
    generations.includes(generation) && !written.has(name) ? [name] : []
  )
  const known = new Set([
    ...SECTIONS.map(({ name }) => name),
    ...['schema-version', 'service', 'services']
  ])
  for (const { key, value } of root.entries) {
    if (value.type !== 'map' || known.has(canonical(key))) continue
    const meant = nearestName(key, absent)
    if (meant !== undefined && ![...found.values()].includes(meant)) found.set(key, meant)
  }
  return found
}

/** The field of the same section that was meant by a name nobody declares: its last part. */
export function nearestField(path: string, generation: Generation): string | undefined {
  const dot = path.lastIndexOf('.')
  const start = canonical(path.slice(0, dot + 1))
  const names = FIELDS.flatMap((fact) => {
    const rest = fact.path.startsWith(start) ? fact.path.slice(start.length) : ''
    const own = rest !== '' && !rest.includes('.') && fact.generations.includes(generation)
    return own ? [rest] : []
  })
  return nearestName(path.slice(dot + 1), names)
}
