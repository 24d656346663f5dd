import { isColocated } from '../arithmetic'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Hit, type Rule } from '../rule'
import { atValue, type Value } from '../value'
import { atFlag, decided } from './place'

const SLIME = 'slime/utils/arguments.py'

const slime = (recipe: ReefRecipe): boolean => recipe.trainer === 'slime'

/** SGLang's own spelling and its short form name one option. */
function engineFlag(recipe: ReefRecipe, ...names: string[]): Value | undefined {
  for (const name of names) {
    const value = recipe.flag(name)
    if (value !== undefined) return value
  }
  return undefined
}

/** How the trainer starts engines and hands weights to them. */
export const engineRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'slime/engine-pipeline',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{engine} GPUs per engine do not divide by the engine pipeline size {pipeline}',
      zh: '每个引擎 {engine} 块 GPU 无法被引擎流水并行 {pipeline} 整除'
    },
    explanation: {
      en: 'Slime gives an engine rollout-num-gpus-per-engine ÷ pipeline size GPUs for tensor parallelism and asserts that it divides.',
      zh: 'Slime 以 rollout-num-gpus-per-engine ÷ 流水并行数作为引擎的张量并行数，并要求整除。'
    },
    source: 'slime/backends/sglang_utils/arguments.py',
    *check(recipe) {
      const value = engineFlag(recipe, 'sglang-pipeline-parallel-size', 'sglang-pp-size')
      if (!slime(recipe) || !decided(value)) return
      const pipeline = Number(value.text)
      const engine = recipe.numberOrDefault('inference.tensor-parallel-size')
      if (engine === undefined || !(pipeline > 0) || engine % pipeline === 0) return
      yield { at: atValue(value), args: { engine, pipeline } }
    }
  },
  {
    id: 'slime/dp-attention',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'sglang-dp-size {value} needs sglang-enable-dp-attention',
      zh: 'sglang-dp-size 为 {value} 时需要 sglang-enable-dp-attention'
    },
    explanation: {
      en: 'Slime stops with an assertion that carries no text.',
      zh: 'Slime 会以不带说明的断言终止。'
    },
    source: 'slime/backends/sglang_utils/arguments.py',
    *check(recipe) {
      const value = engineFlag(recipe, 'sglang-dp-size', 'sglang-data-parallel-size')
      if (!slime(recipe) || !decided(value) || !(Number(value.text) > 1)) return
      if (recipe.flag('sglang-enable-dp-attention') === undefined)
        yield { at: atValue(value), args: { value: value.text } }
    }
  },
  {
    id: 'slime/engine-exclusive',
    severity: 'error',
    dialects: REEF,
    message: { en: '{a} cannot be set with {b}', zh: '{a} 不能与 {b} 同时设置' },
    explanation: {
      en: 'Engines are described in one way only: external addresses, a config file with server groups, or a number of prefill servers.',
      zh: '引擎只能用一种方式描述：外部地址、含 server_groups 的配置文件，或 prefill 服务数量。'
    },
    source: SLIME,
    *check(recipe) {
      if (!slime(recipe)) return
      const ways = ['rollout-external-engine-addrs', 'sglang-config', 'prefill-num-servers']
      const given = ways.filter((name) => recipe.flag(name) !== undefined)
      const [a, b] = given
      if (a !== undefined && b !== undefined) yield { at: atFlag(recipe, b), args: { a: b, b: a } }
    }
  },
  {
    id: 'slime/release-train',
    severity: 'error',
    dialects: REEF,
    message: { en: 'release-train {what}', zh: 'release-train {whatZh}' },
    explanation: {
      en: 'The trainer frees its memory between steps, so weights must travel whole through files, and nothing else may hold a copy.',
      zh: '训练端在两步之间释放显存，因此权重必须以完整文件传递，且不能有其他副本。'
    },
    source: SLIME,
    check: releaseTrain
  },
  {
    id: 'slime/stateless-adam',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'use-stateless-adam needs optimizer adam and no-save-optim',
      zh: 'use-stateless-adam 需要 optimizer 为 adam 并设置 no-save-optim'
    },
    explanation: {
      en: 'There is no optimizer state that could be saved.',
      zh: '不存在可保存的优化器状态。'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('use-stateless-adam') : undefined
      if (value === undefined) return
      const optimizer = recipe.flagText('optimizer') ?? 'adam'
      if (optimizer !== 'adam' || recipe.flag('no-save-optim') === undefined)
        yield { at: atValue(value) }
    }
  }
]

function* releaseTrain(recipe: ReefRecipe): Generator<Hit> {
  const value = slime(recipe) ? recipe.flag('release-train') : undefined
  if (value === undefined) return
  const mode = recipe.flagText('update-weight-mode') ?? 'full'
  const wrong: [boolean, string, string][] = [
    [recipe.flag('use-critic') !== undefined, 'excludes use-critic', '不能与 use-critic 同用'],
    [
      recipe.flag('keep-old-actor') !== undefined,
      'excludes keep-old-actor',
      '不能与 keep-old-actor 同用'
    ],
    [recipe.flag('save') === undefined, 'requires save', '需要 save'],
    [
      mode !== 'full' || recipe.flagText('update-weight-transport') !== 'disk',
      'requires update-weight-mode full and update-weight-transport disk',
      '需要 update-weight-mode 为 full 且 update-weight-transport 为 disk'
    ]
  ]
  for (const [broken, what, whatZh] of wrong)
    if (broken) yield { at: atValue(value), args: { what, whatZh } }
}

/** Delta updates reach engines that keep the weights of the step before, which colocated ones do not. */
export function deltaColocated(recipe: ReefRecipe): boolean {
  return recipe.flagText('update-weight-mode') === 'delta' && isColocated(recipe)
}
