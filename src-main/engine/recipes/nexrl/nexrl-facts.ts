import type { RecipeFacts, ResolvedValue } from '../../../contract/recipes'
import type { Text } from '../../../contract/text'
import { partLabel, recipeName } from '../facts'
import { shownValue } from '../resolved-table'
import { trainingMode, trainServices, usesWeaver } from './nexrl-parts'
import type { NexrlRecipe } from './nexrl-recipe'

/** What a NexRL recipe will do, in numbers computed from its composed fields. */
export function nexrlFacts(recipe: NexrlRecipe, path: string): RecipeFacts {
  const prompts = recipe.number('data.batch_size') ?? 32
  const repeats = recipe.number('data.rollout_repeat_n') ?? 1
  const batch = prompts * repeats
  const trainer = recipe.text('trainer.type') ?? null
  return {
    name: recipeName(path),
    family: trainer,
    implementation: trainer,
    practice: false,
    model: recipe.text('service.inference_service.model') ?? null,
    sentences: [...sentences(recipe, { prompts, repeats })],
    batch: Number.isInteger(batch) ? batch : null,
    stepsPerRollout: 1,
    gpus: selfHostedGpus(recipe),
    ports: [],
    rollback: 'none'
  }
}

function* sentences(
  recipe: NexrlRecipe,
  counts: { prompts: number; repeats: number }
): Generator<Text> {
  const { prompts, repeats } = counts
  yield {
    en: `Each step takes ${prompts} prompts × ${repeats} samples = ${prompts * repeats} trajectories.`,
    zh: `每步取 ${prompts} 个提示 × ${repeats} 个样本 = ${prompts * repeats} 条轨迹。`
  }
  const steps = recipe.number('trainer.total_train_steps')
  if (steps !== undefined)
    yield {
      en: `Ends after ${steps} steps, or earlier when the data is used up.`,
      zh: `${steps} 步后结束；数据用尽时提前结束。`
    }
  if (!usesWeaver(recipe)) return
  const rank = recipe.number('service.weaver_service.lora_rank') ?? 32
  yield trainingMode(recipe) === 'full_ft'
    ? {
        en: 'Weaver trains all weights of a model of its own; this machine needs no GPU.',
        zh: '由 Weaver 全量训练专属模型，本机无需 GPU。'
      }
    : {
        en: `Weaver trains a LoRA adapter of rank ${rank}; this machine needs no GPU.`,
        zh: `由 Weaver 训练 rank ${rank} 的 LoRA 适配器，本机无需 GPU。`
      }
  yield {
    en: 'Nothing durable is saved: sampler weights of each step expire after an hour.',
    zh: '没有持久保存：每步的采样权重一小时后失效。'
  }
}

function selfHostedGpus(recipe: NexrlRecipe): RecipeFacts['gpus'] {
  const roles: RecipeFacts['gpus'] = []
  for (const service of trainServices(recipe)) {
    const gpus = recipe.number(`${service}.resource.world_size`)
    if (gpus !== undefined && Number.isInteger(gpus))
      roles.push({ role: service.slice(service.lastIndexOf('.') + 1), gpus })
  }
  const replicas = recipe.number('service.inference_service.resource.replicas')
  const each = recipe.number('service.inference_service.resource.gpus_per_replica')
  if (replicas !== undefined && each !== undefined && Number.isInteger(replicas * each))
    roles.push({ role: 'inference', gpus: replicas * each })
  return roles.map((role) => ({ ...role, label: partLabel(role.role) }))
}

export function nexrlResolved(recipe: NexrlRecipe): ResolvedValue[] {
  const rows: ResolvedValue[] = []
  for (const value of recipe.fields()) {
    if (value.kind === 'map' || value.kind === 'list') continue
    const text = value.kind === 'null' ? 'null' : shownValue(value.path, value.raw, value.text)
    rows.push({ path: value.path, value: text, origin: value.origin })
  }
  return rows
}
