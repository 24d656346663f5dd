import { editDistance } from '../lib'
import catalogue from './data/flags.json'

export type FlagType = 'switch' | 'int' | 'float' | 'text' | 'bool' | 'json'

/** One option of the trainer's command line, named without dashes in front. */
export interface FlagFact {
  name: string
  from: readonly string[]
  type: FlagType | undefined
  default: string | undefined
  choices: readonly string[]
  many: boolean
}

const types = new Map<string, FlagType>([
  ['switch', 'switch'],
  ['int', 'int'],
  ['float', 'float'],
  ['text', 'text'],
  ['bool', 'bool'],
  ['json', 'json']
])

function factOf(
  name: string,
  raw: { from: string[]; type?: string; default?: string; choices?: string[]; many?: boolean }
): FlagFact {
  return {
    name,
    from: raw.from,
    type: raw.type === undefined ? undefined : types.get(raw.type),
    default: raw.default,
    choices: raw.choices ?? [],
    many: raw.many ?? false
  }
}

const known = new Map<string, FlagFact>(
  Object.entries(catalogue.flags).map(([name, raw]) => [name, factOf(name, raw)])
)

/** Prefixes whose every name belongs to a loss family or to another program's options. */
const openPrefixes = ['sglang-', 'router-', 'reef-'] as const
const familyPrefixes = ['sao-', 'tttd-', 'openclawrl-', 'sdft-', 'sdpo-', 'opd-'] as const

export function flagName(written: string): string {
  return written.includes('_') ? written.replaceAll('_', '-') : written
}

export function flagFact(name: string): FlagFact | undefined {
  return known.get(flagName(name))
}

export function allFlags(): Iterable<FlagFact> {
  return known.values()
}

/** True where a list of names cannot be complete: engine options and options a loss family owns. */
export function hasOpenPrefix(name: string): boolean {
  return [...openPrefixes, ...familyPrefixes].some((prefix) => name.startsWith(prefix))
}

const nearest = new Map<string, readonly string[]>()

/** Known flags within two edits of `name`, nearest first; few, because short names resemble many. */
export function similarFlags(name: string): readonly string[] {
  const cached = nearest.get(name)
  if (cached !== undefined) return cached
  const found: { name: string; distance: number }[] = []
  for (const candidate of known.keys()) {
    if (Math.abs(candidate.length - name.length) > 2) continue
    const distance = editDistance(name, candidate, 2)
    if (distance <= 2) found.push({ name: candidate, distance })
  }
  const result = found.sort((a, b) => a.distance - b.distance).map((entry) => entry.name)
  // A long-lived process checks many texts; the memory of answers must not grow with them.
  if (nearest.size > 2_000) nearest.clear()
  nearest.set(name, result)
  return result
}
