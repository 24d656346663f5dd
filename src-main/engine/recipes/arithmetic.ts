import type { ReefRecipe } from './reef-recipe'

/** Counts a stack is built from; undefined where the recipe's text does not give a number. */
export interface Layout {
  /** GPUs of the trainer: nodes × GPUs per node. */
  actorGpus: number | undefined
  /** GPUs for generation. */
  inferenceGpus: number | undefined
  /** GPUs one engine spans. */
  engineGpus: number | undefined
  tensor: number | undefined
  pipeline: number | undefined
  context: number | undefined
  expert: number | undefined
  expertTensor: number | undefined
  colocated: boolean
  /** Data-parallel size: trainer GPUs ÷ (tensor × pipeline × context); undefined when that is no whole number. */
  dataParallel: number | undefined
}

const layouts = new WeakMap<ReefRecipe, Layout>()

export function layoutOf(recipe: ReefRecipe): Layout {
  const known = layouts.get(recipe)
  if (known !== undefined) return known
  const made = makeLayout(recipe)
  layouts.set(recipe, made)
  return made
}

function makeLayout(recipe: ReefRecipe): Layout {
  const nodes = flagOr(recipe, 'actor-num-nodes', 1)
  const perNode = flagOr(recipe, 'actor-num-gpus-per-node', 8)
  const actorGpus = nodes === undefined || perNode === undefined ? undefined : nodes * perNode
  const engineGpus = recipe.numberOrDefault('inference.tensor-parallel-size')
  const inferenceGpus =
    recipe.given('inference.num-gpus') === undefined
      ? engineGpus
      : recipe.number('inference.num-gpus')
  const tensor = flagOr(recipe, 'tensor-model-parallel-size', 1)
  const pipeline = flagOr(recipe, 'pipeline-model-parallel-size', 1)
  const context = flagOr(recipe, 'context-parallel-size', 1)
  const expertTensor =
    recipe.flag('expert-tensor-parallel-size') === undefined
      ? tensor
      : recipe.flagNumber('expert-tensor-parallel-size')
  return {
    actorGpus,
    inferenceGpus,
    engineGpus,
    tensor,
    pipeline,
    context,
    expert: flagOr(recipe, 'expert-model-parallel-size', 1),
    expertTensor,
    colocated: isColocated(recipe),
    dataParallel: wholeQuotient(actorGpus, product(tensor, pipeline, context))
  }
}

export function isColocated(recipe: ReefRecipe): boolean {
  return recipe.bool('training.colocate') === true || recipe.flag('colocate') !== undefined
}

/** The flag's number, `fallback` when it is absent, undefined when it is written but is no number. */
export function flagOr(recipe: ReefRecipe, name: string, fallback: number): number | undefined {
  return recipe.flag(name) === undefined ? fallback : recipe.flagNumber(name)
}

export function product(...factors: (number | undefined)[]): number | undefined {
  let result = 1
  for (const factor of factors) {
    if (factor === undefined) return undefined
    result *= factor
  }
  return result
}

function wholeQuotient(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined || b <= 0 || a % b !== 0) return undefined
  return a / b
}

/** Samples a recipe hands to one training job, with where the number comes from. */
export interface BatchSize {
  size: number
  paths: readonly string[]
  /** True when nothing in the file says it and the recipe's own default holds. */
  omitted: boolean
}

export function recipeBatch(recipe: ReefRecipe): BatchSize | undefined {
  const family = recipe.family
  if (family === null) return undefined
  if (family.shape === 'grid') return gridBatch(recipe, family.id)
  if (family.batch === null) return undefined
  const written = recipe.given('recipe.config.batch-size')
  const variable = recipe.environment['REEF_SAO_BATCH_SIZE']
  if (written === undefined && family.id === 'sao' && variable !== undefined && variable !== '') {
    const size = Number(variable)
    return Number.isInteger(size)
      ? { size, paths: ['REEF_SAO_BATCH_SIZE'], omitted: false }
      : undefined
  }
  if (written === undefined) {
    const paths = ['recipe.config.batch-size']
    return { size: family.batch[recipe.generation], paths, omitted: true }
  }
  const size = recipe.number('recipe.config.batch-size')
  return size === undefined ? undefined : { size, paths: [written.path], omitted: false }
}

function gridBatch(recipe: ReefRecipe, family: string): BatchSize | undefined {
  const defaults = family === 'sdpo' ? { groups: 32, rollouts: 8 } : { groups: 8, rollouts: 64 }
  const groups = gridSide(recipe, 'recipe.config.groups-per-step', defaults.groups)
  const rollouts = gridSide(recipe, 'recipe.config.rollouts-per-group', defaults.rollouts)
  const size = product(groups, rollouts)
  if (size === undefined) return undefined
  const paths = ['recipe.config.groups-per-step', 'recipe.config.rollouts-per-group']
  return { size, paths, omitted: paths.every((path) => recipe.given(path) === undefined) }
}

function gridSide(recipe: ReefRecipe, path: string, fallback: number): number | undefined {
  return recipe.given(path) === undefined ? fallback : recipe.number(path)
}

export function gridSides(recipe: ReefRecipe): { groups: number; rollouts: number } | undefined {
  const defaults = recipe.family?.id === 'sdpo' ? [32, 8] : [8, 64]
  const groups = gridSide(recipe, 'recipe.config.groups-per-step', defaults[0] ?? 8)
  const rollouts = gridSide(recipe, 'recipe.config.rollouts-per-group', defaults[1] ?? 64)
  return groups === undefined || rollouts === undefined ? undefined : { groups, rollouts }
}

/** GPUs the stack reserves in Ray, without companions. */
export function reservedGpus(layout: Layout): number | undefined {
  const { actorGpus, inferenceGpus } = layout
  if (actorGpus === undefined || inferenceGpus === undefined) return undefined
  return layout.colocated ? Math.max(actorGpus, inferenceGpus) : actorGpus + inferenceGpus
}
