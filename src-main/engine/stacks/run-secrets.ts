import type { Companion, Plan } from '../../contract/launch'
import type { RecipeForPlan } from './recipe-for-plan'

type Ask = (name: string) => Promise<string | null>

/** The token of the run's service; null when it has none or nobody knows it. */
export async function tokenOf({ token }: RecipeForPlan, secret: Ask): Promise<string | null> {
  switch (token.kind) {
    case 'none':
      return null
    case 'literal':
      return token.value
    case 'environment':
      return (await secret(token.name)) || null
  }
}

/** Values that must not be kept or shown: the token, and what the recipe and the companions take from the environment. */
export async function secretsOf(
  recipe: RecipeForPlan,
  companions: readonly Companion[],
  secret: Ask
): Promise<string[]> {
  const names = [...recipe.environment, ...companions.flatMap(({ environment }) => environment)]
  const values = await Promise.all([
    tokenOf(recipe, secret),
    ...[...new Set(names)].map((name) => secret(name))
  ])
  return values.flatMap((value) => value ?? [])
}

/** The secret variables of a plan that have a value, by name. */
export async function planSecrets(
  plan: Plan,
  secret: Ask
): Promise<{ name: string; value: string }[]> {
  const names = plan.environment.flatMap(({ name, value }) => (value === null ? [name] : []))
  const found = await Promise.all(names.map(async (name) => ({ name, value: await secret(name) })))
  return found.flatMap(({ name, value }) =>
    value === null || value === '' ? [] : [{ name, value }]
  )
}
