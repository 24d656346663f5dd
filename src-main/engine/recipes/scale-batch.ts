import type { TextEdit } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import { fail } from '../lib'
import { gridSides } from './arithmetic'
import { readReef, type CheckInput } from './check'
import { addEdits, applyEdits, setField, setFlag } from './edit'
import type { ReefRecipe } from './reef-recipe'

export interface ScaledBatch {
  text: string
  edits: TextEdit[]
  changes: Text[]
}

/**
 * Sets the reports of one training job to `size`, and everything that must agree with it. Throws FailureError when the
 * recipe has no batch, or when its grid cannot have that size.
 */
export function scaleBatch(input: CheckInput, size: number): ScaledBatch {
  const recipe = readReef(input)
  if (recipe === null || recipe.family === null || recipe.trainer === 'none')
    return noBatch(input.path)
  if (!Number.isInteger(size) || size < 1) {
    fail({
      code: 'bad-batch',
      what: { en: `${size} is no batch size`, zh: `${size} 不是有效的 batch 大小` },
      where: input.path,
      remedy: { en: 'Give a whole number of 1 or more.', zh: '请给出不小于 1 的整数。' }
    })
  }
  const edits: TextEdit[] = []
  const changes: Text[] = []
  const set = (path: string, text: string, made: TextEdit[] | null): void => {
    if (made === null) return
    addEdits(edits, made)
    changes.push({ en: `${path}: ${text}`, zh: `${path}：${text}` })
  }
  if (recipe.family.shape === 'grid') scaleGrid(recipe, size, set)
  else scaleStream(recipe, size, set)
  return { text: applyEdits(input.text, edits), edits, changes }
}

type Set = (path: string, text: string, made: TextEdit[] | null) => void

function scaleStream(recipe: ReefRecipe, size: number, set: Set): void {
  const text = String(size)
  const home = recipe.versioned ? 'recipe.config.batch-size' : 'reef.batch_size'
  set(home, text, setField(recipe, home, text))
  if (recipe.trainer !== 'slime') return
  const variable = recipe.value('training.config.global_batch_size')
  if (variable !== undefined) set(variable.path, text, setField(recipe, variable.path, text))
  set('global-batch-size', text, setFlag(recipe, 'global-batch-size', text))
  const samples =
    recipe.family?.shape === 'groups' ? (recipe.flagNumber('n-samples-per-prompt') ?? 1) : 1
  if (recipe.flag('rollout-batch-size') !== undefined) {
    const rollouts = String(Math.max(1, Math.floor(size / samples)))
    set('rollout-batch-size', rollouts, setFlag(recipe, 'rollout-batch-size', rollouts))
  }
}

function scaleGrid(recipe: ReefRecipe, size: number, set: Set): void {
  const rollouts = gridSides(recipe)?.rollouts ?? 64
  if (size % rollouts !== 0) {
    fail({
      code: 'bad-batch',
      what: {
        en: `${size} is no multiple of ${rollouts} rollouts per group`,
        zh: `${size} 不是每组 ${rollouts} 个 rollout 的整数倍`
      },
      where: 'recipe.config.rollouts-per-group'
    })
  }
  const groups = String(size / rollouts)
  set('groups-per-step', groups, setField(recipe, 'recipe.config.groups-per-step', groups))
  if (recipe.trainer !== 'slime') return
  set('global-batch-size', String(size), setFlag(recipe, 'global-batch-size', String(size)))
  if (recipe.flag('rollout-batch-size') !== undefined) {
    set('rollout-batch-size', groups, setFlag(recipe, 'rollout-batch-size', groups))
  }
}

function noBatch(path: string): never {
  return fail({
    code: 'no-batch',
    what: {
      en: 'this recipe trains nothing, so it has no batch',
      zh: '该 recipe 不做训练，没有 batch'
    },
    where: path
  })
}
