import { basename } from 'node:path'
import type { RecipeFacts } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import { flagOr, gridSides, layoutOf, recipeBatch } from './arithmetic'
import { billionsByName } from './models'
import { portsOf } from './ports'
import type { ReefRecipe } from './reef-recipe'

/** Name shown for a recipe file: its file name without the ending. */
export function recipeName(path: string): string {
  return basename(path).replace(/\.ya?ml$/i, '')
}

export function emptyFacts(path: string): RecipeFacts {
  return {
    name: recipeName(path),
    family: null,
    implementation: null,
    practice: false,
    model: null,
    sentences: [],
    batch: null,
    stepsPerRollout: null,
    gpus: [],
    ports: [],
    rollback: 'none'
  }
}

/** What a Reef recipe will do, in numbers computed from its resolved fields. */
export function reefFacts(recipe: ReefRecipe, path: string): RecipeFacts {
  const batch = batchOf(recipe)
  const facts: RecipeFacts = {
    name: recipeName(path),
    family: recipe.family?.id ?? null,
    implementation: recipe.text('recipe.implementation') ?? null,
    practice: recipe.practice,
    model: recipe.text('inference.model-path') ?? null,
    sentences: [],
    batch,
    stepsPerRollout: stepsPerRollout(recipe, batch),
    gpus: gpuRoles(recipe),
    ports: portsOf(recipe).map(({ port, what }) => ({ port, what, label: partLabel(what) })),
    ...checkpointOf(recipe),
    rollback: rollbackOf(recipe)
  }
  facts.sentences = [...sentencesOf(recipe, facts)]
  return facts
}

const BYTES_OF_BF16 = 2

/**
 * How many times the model's bytes one checkpoint reserves: full weights need the export, the model, fp32 master weights
 * and two Adam moments, twice that with a critic; an adapter a little more than the export.
 * Source: Reef `reef_adapters/training_job/storage.py`.
 */
export function checkpointTimes({ lora, critic }: { lora: boolean; critic: boolean }): number {
  if (lora) return 1.2
  return critic ? 16 : 8
}

function checkpointOf(recipe: ReefRecipe): Pick<RecipeFacts, 'checkpoint'> {
  const billions = billionsByName(recipe.text('inference.model-path') ?? '')
  if (recipe.trainer !== 'slime' || billions === null) return {}
  const lora = (recipe.flagNumber('megatron-lora-rank') ?? 0) > 0
  const times = checkpointTimes({ lora, critic: recipe.flag('use-critic') !== undefined })
  return { checkpoint: { bytes: billions * 1e9 * BYTES_OF_BF16 * times, times } }
}

function batchOf(recipe: ReefRecipe): number | null {
  if (recipe.trainer === 'none') return null
  const size = recipeBatch(recipe)?.size ?? recipe.flagNumber('global-batch-size')
  return size === undefined || !Number.isInteger(size) ? null : size
}

function stepsPerRollout(recipe: ReefRecipe, batch: number | null): number | null {
  if (batch === null) return null
  const global = flagOr(recipe, 'global-batch-size', batch)
  return global === undefined || global <= 0 ? null : Math.max(batch / global, 0)
}

function gpuRoles(recipe: ReefRecipe): RecipeFacts['gpus'] {
  const roles: RecipeFacts['gpus'] = []
  const { actorGpus, inferenceGpus, colocated } = layoutOf(recipe)
  const whole = (value: number | undefined): number =>
    value !== undefined && Number.isInteger(value) ? value : 0
  if (recipe.trainer === 'slime') {
    if (colocated)
      roles.push({
        role: 'trainer and inference, shared',
        gpus: Math.max(whole(actorGpus), whole(inferenceGpus))
      })
    else
      roles.push(
        {
          role: recipe.flag('use-critic') === undefined ? 'trainer' : 'trainer and value model',
          gpus: whole(actorGpus)
        },
        { role: 'inference', gpus: whole(inferenceGpus) }
      )
  } else if (
    recipe.trainer === 'none' &&
    recipe.versioned &&
    recipe.given('inference.model-path') !== undefined
  ) {
    roles.push({ role: 'inference', gpus: whole(inferenceGpus) })
  }
  if (recipe.versioned && recipe.given('teacher.model-path') !== undefined) {
    roles.push({ role: 'teacher', gpus: whole(recipe.numberOrDefault('teacher.num-gpus')) })
  }
  for (const service of recipe.services) {
    const listed = service.cuda?.split(',').filter((part) => /^\d+$/.test(part.trim())).length ?? 0
    const gpus = service.gpus ?? (service.role === 'engine' ? listed : 0)
    if (service.role !== 'driver' && Number.isInteger(gpus) && gpus > 0)
      roles.push({ role: service.name, gpus })
  }
  return roles
    .filter((role) => role.gpus > 0)
    .map((role) => ({ ...role, label: partLabel(role.role) }))
}

const partNames: Readonly<Record<string, string>> = {
  trainer: '训练',
  'trainer and inference, shared': '训练与推理共用',
  'trainer and value model': '训练与价值模型',
  inference: '推理',
  teacher: 'teacher',
  actor: 'actor',
  'Reef HTTP': 'Reef 服务',
  'SGLang router': 'SGLang 路由',
  'teacher engine': 'teacher 引擎',
  'task generator': '任务生成器'
}

/** The stable name of a part of the stack as a person reads it; a name of the recipe's own stays as it is. */
export function partLabel(name: string): Text {
  return { en: name, zh: partNames[name] ?? name }
}

function rollbackOf(recipe: ReefRecipe): RecipeFacts['rollback'] {
  switch (recipe.trainer) {
    case 'practice':
      return recipe.text('training.options.rollback') === 'redeploy' ? 'redeploy' : 'api'
    case 'slime':
      return 'redeploy'
    case 'tinker':
      return 'api'
    case 'other':
      return 'none'
    case 'none':
      return recipe.family?.trains === 'harness' ? 'api' : 'none'
  }
}

function* sentencesOf(recipe: ReefRecipe, facts: RecipeFacts): Generator<Text> {
  const { family } = recipe
  if (family?.id === 'basic') {
    yield { en: 'Records traffic; nothing is trained.', zh: '只记录流量，不做训练。' }
  } else if (family !== null) {
    yield {
      en: `${family.label} learns from ${family.signal.en}.`,
      zh: `${family.label} 的学习信号：${family.signal.zh}。`
    }
  }
  if (recipe.practice) {
    yield {
      en: 'Runs on the CPU as the practice stack: the protocol of a Reef stack, not Slime.',
      zh: '作为练习栈在 CPU 上运行：使用 Reef 的协议，但不是 Slime。'
    }
  }
  yield* learningSentences(recipe, facts)
  yield* durabilitySentences(recipe)
  const total = facts.gpus.reduce((sum, role) => sum + role.gpus, 0)
  if (total > 0) {
    const list = (language: keyof Text): string =>
      facts.gpus
        .map(({ role, label, gpus }) => `${label?.[language] ?? role} ${gpus}`)
        .join(language === 'en' ? ', ' : '、')
    yield {
      en: `Uses ${total} GPU${total === 1 ? '' : 's'}: ${list('en')}.`,
      zh: `使用 ${total} 块 GPU：${list('zh')}。`
    }
  }
  yield rollbackSentence(facts)
}

function* learningSentences(recipe: ReefRecipe, facts: RecipeFacts): Generator<Text> {
  const { batch, stepsPerRollout: steps } = facts
  const sides = recipe.family?.shape === 'grid' ? gridSides(recipe) : undefined
  if (sides !== undefined) {
    yield {
      en: `One job trains on ${sides.groups} groups × ${sides.rollouts} rollouts = ${sides.groups * sides.rollouts} samples.`,
      zh: `每个任务训练 ${sides.groups} 组 × ${sides.rollouts} 个 rollout = ${sides.groups * sides.rollouts} 个样本。`
    }
  } else if (batch !== null) {
    yield {
      en: `One job trains on ${batch} report${batch === 1 ? '' : 's'}.`,
      zh: `每个任务训练 ${batch} 条反馈。`
    }
  }
  if (batch !== null && steps !== null && recipe.trainer === 'slime') {
    if (Number.isInteger(steps) && steps >= 1)
      yield {
        en: `${steps} optimizer step${steps === 1 ? '' : 's'} per release.`,
        zh: `每个版本做 ${steps} 步优化。`
      }
    else
      yield {
        en: 'The batch does not divide into whole optimizer steps: the first step will fail.',
        zh: 'batch 无法分成完整的优化步：第一步就会失败。'
      }
  }
  const warmUp =
    recipe.trainer === 'slime' && recipe.family?.id === 'sao'
      ? recipe.flagNumber('num-critic-only-steps')
      : undefined
  if (warmUp !== undefined && warmUp > 0) {
    yield {
      en: `The policy first moves at step ${warmUp + 1}; before that only the value model is trained.`,
      zh: `策略从第 ${warmUp + 1} 步开始变化，此前只训练价值模型。`
    }
  }
  const rank =
    recipe.flagNumber('megatron-lora-rank') ??
    (recipe.practice ? recipe.flagNumber('lora-rank') : undefined)
  if (rank !== undefined && rank > 0)
    yield {
      en: `Trains a LoRA adapter of rank ${rank}; the base stays frozen.`,
      zh: `训练 rank ${rank} 的 LoRA 适配器，基座保持冻结。`
    }
  else if (recipe.trainer === 'slime') yield { en: 'Trains all weights.', zh: '全量训练权重。' }
}

function* durabilitySentences(recipe: ReefRecipe): Generator<Text> {
  if (recipe.trainer === 'none') return
  const every = recipe.number('recipe.config.checkpoint-every-n-versions')
  if (every === undefined) return
  if (every === 1) yield { en: 'Every release is saved.', zh: '每个版本都会保存。' }
  else
    yield {
      en: `One release in ${every} is saved; a restart loses up to ${every - 1}.`,
      zh: `每 ${every} 个版本保存一次，重启最多丢失 ${every - 1} 个。`
    }
}

function rollbackSentence(facts: RecipeFacts): Text {
  switch (facts.rollback) {
    case 'api':
      return {
        en: 'Going back to an earlier release works while the stack serves.',
        zh: '无需停止服务即可回滚到较早的版本。'
      }
    case 'redeploy':
      return {
        en: 'Going back to an earlier release is a redeploy from its checkpoint.',
        zh: '回滚到较早的版本 需要从其 checkpoint 重新部署。'
      }
    case 'none':
      return { en: 'There are no releases to go back to.', zh: '没有可回滚的版本。' }
  }
}
