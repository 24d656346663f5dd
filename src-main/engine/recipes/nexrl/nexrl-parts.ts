import type { NexrlRecipe } from './nexrl-recipe'

/** Keys that belong to a service itself; a `train_service` holding them directly is the older, flat form. */
const SERVICE_KEYS: ReadonlySet<string> = new Set([
  'identifier',
  'model_tag',
  'role',
  'backend',
  'url',
  'resource',
  'config',
  'actor',
  'base_url',
  'api_key'
])

export function isFlatTrainService(recipe: NexrlRecipe): boolean {
  return (
    recipe.value('service.train_service.backend') !== undefined ||
    recipe.value('service.train_service.config') !== undefined
  )
}

/** Paths of the train services, the flat form included. */
export function trainServices(recipe: NexrlRecipe): string[] {
  if (isFlatTrainService(recipe)) return ['service.train_service']
  return recipe
    .childNames('service.train_service')
    .filter((name) => !SERVICE_KEYS.has(name))
    .map((name) => `service.train_service.${name}`)
}

export function actorServices(recipe: NexrlRecipe): string[] {
  const all = trainServices(recipe)
  // A single service without a role becomes the actor (nexrl config migration).
  if (all.length === 1 && recipe.given(`${all[0] ?? ''}.role`) === undefined) return all
  return all.filter((path) => recipe.text(`${path}.role`) === 'actor')
}

export function identifierOf(recipe: NexrlRecipe, path: string): string | undefined {
  return recipe.text(`${path}.identifier`) ?? recipe.text(`${path}.model_tag`)
}

/** The remote service named anywhere: as a train backend, the inference backend or the way weights travel. */
export function remoteBackend(recipe: NexrlRecipe): 'weaver' | 'tinker' | null {
  const named = [
    ...trainServices(recipe).map((path) => recipe.text(`${path}.backend`)),
    recipe.text('service.inference_service.backend'),
    recipe.text('weight.sync_method')
  ]
  if (named.includes('weaver')) return 'weaver'
  return named.includes('tinker') ? 'tinker' : null
}

export function usesWeaver(recipe: NexrlRecipe): boolean {
  return remoteBackend(recipe) === 'weaver'
}

export function trainingMode(recipe: NexrlRecipe): string {
  return recipe.text('service.weaver_service.training_mode') ?? 'lora'
}
