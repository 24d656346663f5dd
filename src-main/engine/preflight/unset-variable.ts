import type { RecipeCheck, ResolvedValue } from '../../contract/recipes'

/**
 * The environment variable a resolved value of a NexRL recipe is made of although it is empty, or not set and without a
 * default; null when there is none. References to other fields are followed.
 */
export function unsetVariable(
  recipe: Pick<RecipeCheck, 'resolved' | 'findings'>,
  value: ResolvedValue,
  seen: ReadonlySet<string> = new Set()
): string | null {
  const { origin, path } = value
  if (origin.kind === 'environment') {
    if (origin.set === 'set') return null
    // With a default a missing variable does no harm, and the checker has nothing to say of it.
    const stops = (rule: string, at: string): boolean =>
      rule === 'nexrl/missing-variable' && at === path
    const harmless =
      origin.set === 'missing' && !recipe.findings.some((one) => stops(one.rule, one.path))
    return harmless ? null : origin.name
  }
  if (origin.kind !== 'derived' || seen.has(path)) return null
  const from = recipe.resolved.filter((one) => origin.from.includes(one.path))
  for (const one of from) {
    const name = unsetVariable(recipe, one, new Set([...seen, path]))
    if (name !== null) return name
  }
  return null
}
