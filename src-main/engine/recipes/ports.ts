import type { ReefRecipe } from './reef-recipe'
import type { Value } from './value'
import { numberOf } from './py-scalar'

/** One port the stack will listen on. */
export interface ListenedPort {
  port: number
  what: string
  /** Where the recipe says so; undefined for a default. */
  value: Value | undefined
}

/** Ports named by the recipe or taken by default, companions of an unversioned stack included. */
export function portsOf(recipe: ReefRecipe): ListenedPort[] {
  const found: ListenedPort[] = []
  const add = (path: string, what: string, fallback: number | null): void => {
    const value = recipe.given(path)
    const port = value === undefined ? fallback : (numberOf(value.text) ?? null)
    if (port !== null) found.push({ port, what, value })
  }
  add('reef.port', 'Reef HTTP', 8900)
  if (recipe.practice) return found
  add('inference.options.router-port', 'SGLang router', null)
  if (recipe.fieldValue('teacher')?.kind === 'map' && recipe.versioned)
    add('teacher.port', 'teacher engine', 30001)
  if (recipe.fieldValue('generator')?.kind === 'map' && recipe.versioned)
    add('generator.port', 'task generator', 8910)
  for (const service of recipe.services) {
    if (service.role === 'driver' || service.role === 'reef') continue
    const flag = service.flags.find((one) => one.name === 'port')
    const port = flag === undefined ? undefined : numberOf(flag.value.text)
    if (port !== undefined) found.push({ port, what: service.name, value: flag?.value })
  }
  return found
}
