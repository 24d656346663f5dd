import { posix } from 'node:path'
import { layoutOf } from '../arithmetic'
import { fixOf, setFlag, setValue } from '../edit'
import { numberOf } from '../py-scalar'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Rule } from '../rule'
import { atValue, type Value } from '../value'
import { at, atFlag, decided } from './place'

const PREFLIGHT = 'reef/train/slime_backend/reef_adapters/preflight.py'
const STORAGE = 'reef/train/slime_backend/reef_adapters/training_job/storage.py'
const LORA = 'reef/train/slime_backend/reef_adapters/megatron/lora.py'
const OPERATE = 'docs/user-guide/operate.rst'

const slime = (recipe: ReefRecipe): boolean => recipe.trainer === 'slime'
const isLora = (recipe: ReefRecipe): boolean => (recipe.flagNumber('megatron-lora-rank') ?? 0) > 0

function numberRule(spec: {
  id: string
  flag: string
  allowed: (value: number) => boolean
  message: { en: string; zh: string }
  why: { en: string; zh: string }
  source: string
}): Rule<ReefRecipe> {
  return {
    id: spec.id,
    severity: 'error',
    dialects: REEF,
    message: spec.message,
    explanation: spec.why,
    source: spec.source,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag(spec.flag) : undefined
      if (!decided(value)) return
      const number = numberOf(value.text)
      if (number === undefined || !spec.allowed(number))
        yield { at: atValue(value), args: { value: value.text } }
    }
  }
}

export const checkpointRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'checkpoint/template',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'save-hf must end in a part with {rollout_id}, got {value}',
      zh: 'save-hf 的最后一段必须包含 {rollout_id}，实际为 {value}'
    },
    explanation: {
      en: 'Each release is exported into its own folder, named by the rollout. Without the template the bridge does not start; it must stand in the last part of the path.',
      zh: '每个版本导出到以 rollout 命名的独立目录。缺少该模板无法启动，且它必须出现在路径的最后一段。'
    },
    source: PREFLIGHT,
    *check(recipe) {
      if (!slime(recipe)) return
      const value = recipe.flag('save-hf')
      if (value !== undefined && posix.basename(value.text).includes('{rollout_id}')) return
      const fix =
        value === undefined || value.raw.includes('{rollout_id}')
          ? undefined
          : fixOf(
              { en: 'Append /{rollout_id}', zh: '在末尾加上 /{rollout_id}' },
              appendTemplate(recipe, value)
            )
      yield { at: atFlag(recipe, 'save-hf'), args: { value: value?.text ?? '—' }, fix }
    }
  },
  {
    id: 'checkpoint/save',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'the Reef bridge requires save for Megatron recovery checkpoints',
      zh: 'Reef 要求 save，用于 Megatron 恢复 checkpoint'
    },
    explanation: { en: 'A restart continues from this folder.', zh: '重启时从该目录恢复。' },
    source: PREFLIGHT,
    *check(recipe) {
      if (!slime(recipe) || recipe.flag('save') !== undefined) return
      const load = recipe.flag('load')
      const fix =
        load === undefined
          ? undefined
          : fixOf(
              { en: 'Use the load path', zh: '使用 load 的路径' },
              setFlag(recipe, 'save', load.raw)
            )
      yield { at: atFlag(recipe, 'save'), fix }
    }
  },
  {
    id: 'checkpoint/siblings',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'HF exports ({hf}) and Megatron checkpoints ({megatron}) must be different folders under one checkpoint root',
      zh: 'HF 导出（{hf}）与 Megatron checkpoint（{megatron}）必须是同一根目录下的不同目录'
    },
    explanation: {
      en: 'The parent of save-hf and save are kept as a pair and cleaned together.',
      zh: 'save-hf 的上级目录与 save 成对保存、一同清理。'
    },
    source: STORAGE,
    *check(recipe) {
      const pair = pairOf(recipe)
      if (pair === null) return
      if (pair.hf !== pair.megatron && posix.dirname(pair.hf) === posix.dirname(pair.megatron))
        return
      yield { at: atFlag(recipe, 'save-hf'), args: { hf: pair.hf, megatron: pair.megatron } }
    }
  },
  {
    id: 'checkpoint/critic-sibling',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'critic-save {critic} must be its own folder under the same checkpoint root',
      zh: 'critic-save {critic} 必须是同一根目录下的独立目录'
    },
    explanation: {
      en: 'The default is the save path with -critic behind it.',
      zh: '默认值为 save 路径后加 -critic。'
    },
    source: STORAGE,
    *check(recipe) {
      const pair = pairOf(recipe)
      const value = recipe.flag('critic-save')
      if (pair === null || !decided(value)) return
      const critic = posix.normalize(value.text).replace(/\/$/, '')
      const apart = critic !== pair.hf && critic !== pair.megatron
      if (apart && posix.dirname(critic) === posix.dirname(pair.megatron)) return
      yield { at: atValue(value), args: { critic } }
    }
  },
  {
    id: 'checkpoint/first-start',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'bridge mode needs ref-load or hf-checkpoint on the first start',
      zh: 'bridge 模式首次启动需要 ref-load 或 hf-checkpoint'
    },
    explanation: {
      en: 'As long as load holds no checkpoint the weights come from ref-load or hf-checkpoint. Version 2 fills hf-checkpoint from inference.model-path.',
      zh: '当 load 中还没有 checkpoint 时，权重来自 ref-load 或 hf-checkpoint。version 2 会用 inference.model-path 填充 hf-checkpoint。'
    },
    source: PREFLIGHT,
    *check(recipe) {
      if (!slime(recipe) || recipe.flagText('megatron-to-hf-mode') !== 'bridge') return
      // There it comes from the model's path, whose absence is said once, by its own rule.
      if (recipe.versioned) return
      if (recipe.flag('ref-load') === undefined && recipe.flag('hf-checkpoint') === undefined)
        yield { at: atFlag(recipe, 'megatron-to-hf-mode') }
    }
  },
  {
    id: 'checkpoint/load-save',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'load {load} is not save {save}: a restart does not continue where it stopped',
      zh: 'load {load} 与 save {save} 不同：重启不会从停止处继续'
    },
    explanation: {
      en: 'The recovery guide assumes one folder for both.',
      zh: '恢复说明假定两者为同一目录。'
    },
    source: 'docs/user-guide/troubleshooting.rst',
    *check(recipe) {
      const load = slime(recipe) ? recipe.flag('load') : undefined
      const save = recipe.flag('save')
      if (!decided(load) || !decided(save) || load.text === save.text) return
      yield { at: atValue(load), args: { load: load.text, save: save.text } }
    }
  },
  {
    id: 'checkpoint/save-interval',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'save-interval must be above 0 and needs save',
      zh: 'save-interval 必须大于 0，且需要 save'
    },
    explanation: {
      en: 'Megatron asserts a positive interval when a save path is given, and a path when an interval is.',
      zh: '给出保存路径时间隔须为正；给出间隔时须有路径。'
    },
    source: 'slime/utils/arguments.py',
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('save-interval') : undefined
      if (!decided(value)) return
      const number = numberOf(value.text)
      if (number !== undefined && number > 0 && recipe.flag('save') !== undefined) return
      yield { at: atValue(value) }
    }
  },
  numberRule({
    id: 'checkpoint/critic-save-interval',
    flag: 'critic-save-interval',
    allowed: (v) => v >= 1,
    message: {
      en: 'critic-save-interval must be positive, got {value}',
      zh: 'critic-save-interval 必须为正，实际为 {value}'
    },
    why: { en: 'Saves of the value model count in whole steps.', zh: '价值模型按整步保存。' },
    source: PREFLIGHT
  }),
  {
    id: 'checkpoint/policy',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'checkpoint retention policy must be latest or best_reward, got {value}',
      zh: 'checkpoint 保留策略须为 latest 或 best_reward，实际为 {value}'
    },
    explanation: {
      en: 'Besides the protected pairs, the newest or the best rewarded ones are kept.',
      zh: '除受保护的以外，保留最新或奖励最高的 checkpoint。'
    },
    source: STORAGE,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('reef-checkpoint-policy') : undefined
      if (!decided(value) || ['latest', 'best_reward'].includes(value.text)) return
      yield {
        at: atValue(value),
        args: { value: value.text },
        fix: fixOf({ en: 'Set to latest', zh: '改为 latest' }, setValue(recipe, value, 'latest'))
      }
    }
  },
  {
    id: 'checkpoint/fractions',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'checkpoint storage fractions are out of range (max {max}, free {free})',
      zh: 'checkpoint 存储比例超出范围（上限 {max}，空闲 {free}）'
    },
    explanation: {
      en: 'The storage fraction lies above 0 and at most 1, the free-space fraction from 0 to below 1, and together they may not exceed 1 unless byte sizes are given.',
      zh: '存储比例须在 (0, 1]，空闲比例须在 [0, 1)；未给出字节数时两者之和不得超过 1。'
    },
    source: STORAGE,
    *check(recipe) {
      if (!slime(recipe)) return
      const maxFlag = recipe.flag('reef-checkpoint-max-storage-fraction')
      const freeFlag = recipe.flag('reef-checkpoint-min-free-space-fraction')
      const max = maxFlag === undefined ? 0.8 : numberOf(maxFlag.text)
      const free = freeFlag === undefined ? 0.1 : numberOf(freeFlag.text)
      if (max === undefined || free === undefined) return
      const bytes =
        recipe.flag('reef-checkpoint-max-storage') ?? recipe.flag('reef-checkpoint-min-free-space')
      const together = bytes === undefined && max + free > 1
      if (max > 0 && max <= 1 && free >= 0 && free < 1 && !together) return
      yield {
        at: atFlag(
          recipe,
          maxFlag === undefined
            ? 'reef-checkpoint-min-free-space-fraction'
            : 'reef-checkpoint-max-storage-fraction'
        ),
        args: { max, free }
      }
    }
  },
  {
    id: 'checkpoint/size-unit',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{value}: size must include a unit such as GB or GiB',
      zh: '{value}：大小必须带单位，如 GB 或 GiB'
    },
    explanation: { en: 'A bare number would be ambiguous.', zh: '没有单位的数字含义不明。' },
    source: STORAGE,
    *check(recipe) {
      if (!slime(recipe)) return
      for (const flag of ['reef-checkpoint-max-storage', 'reef-checkpoint-min-free-space']) {
        const value = recipe.flag(flag)
        if (decided(value) && !/^\s*[0-9.]+\s*[kKMGTP]i?B\s*$/.test(value.text))
          yield { at: atValue(value), args: { value: value.text } }
      }
    }
  },
  {
    id: 'checkpoint/adapter-only',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'reef-checkpoint-adapter-only needs LoRA training',
      zh: 'reef-checkpoint-adapter-only 需要 LoRA 训练'
    },
    explanation: {
      en: 'It keeps only the adapter of each step; a run that trains full weights would keep nothing usable.',
      zh: '它只保留每步的适配器；全量训练将没有可用的 checkpoint。'
    },
    source: STORAGE,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('reef-checkpoint-adapter-only') : undefined
      if (value !== undefined && !isLora(recipe)) yield { at: atValue(value) }
    }
  },
  {
    id: 'checkpoint/cadence',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'cadence {count}: a restart loses up to {lost} versions in between',
      zh: '每 {count} 个版本保存一次：重启最多丢失其间 {lost} 个版本'
    },
    explanation: {
      en: 'Only every checkpoint-every-n-versions-th release is durable; the ones between live in memory.',
      zh: '每 checkpoint-every-n-versions 个版本才持久保存一次，其间的只存在于内存。'
    },
    source: OPERATE,
    *check(recipe) {
      const count = recipe.number('recipe.config.checkpoint-every-n-versions')
      if (slime(recipe) && count !== undefined && count > 1)
        yield {
          at: at(recipe, 'recipe.config.checkpoint-every-n-versions'),
          args: { count, lost: count - 1 }
        }
    }
  },
  {
    id: 'checkpoint/cadence-positive',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'checkpoint-every-n-versions must be at least 1, got {value}',
      zh: 'checkpoint-every-n-versions 至少为 1，实际为 {value}'
    },
    explanation: { en: '1 makes every version durable.', zh: '1 表示每个版本都持久保存。' },
    source: OPERATE,
    *check(recipe) {
      const value = recipe.given('recipe.config.checkpoint-every-n-versions')
      if (!decided(value)) return
      const number = numberOf(value.text)
      if (number === undefined || number < 1 || !Number.isInteger(number))
        yield { at: atValue(value), args: { value: value.text } }
    }
  },
  numberRule({
    id: 'lora/rank',
    flag: 'megatron-lora-rank',
    allowed: (v) => v >= 0,
    message: {
      en: 'megatron-lora-rank must be non-negative, got {value}',
      zh: 'megatron-lora-rank 不能为负，实际为 {value}'
    },
    why: { en: '0 trains full weights.', zh: '0 表示全量训练。' },
    source: LORA
  }),
  numberRule({
    id: 'lora/dropout',
    flag: 'megatron-lora-dropout',
    allowed: (v) => v >= 0 && v < 1,
    message: {
      en: 'megatron-lora-dropout must be in [0, 1), got {value}',
      zh: 'megatron-lora-dropout 须在 [0, 1)，实际为 {value}'
    },
    why: { en: 'A share of the adapter input that is dropped.', zh: '适配器输入被丢弃的比例。' },
    source: LORA
  }),
  numberRule({
    id: 'lora/alpha',
    flag: 'megatron-lora-alpha',
    allowed: (v) => v > 0,
    message: {
      en: 'megatron-lora-alpha must be positive, got {value}',
      zh: 'megatron-lora-alpha 必须为正，实际为 {value}'
    },
    why: { en: 'Omitted, it equals the rank.', zh: '省略时等于 rank。' },
    source: LORA
  }),
  numberRule({
    id: 'lora/slots',
    flag: 'max-loaded-loras',
    allowed: (v) => v >= 1,
    message: {
      en: 'max-loaded-loras must be at least 1, got {value}',
      zh: 'max-loaded-loras 至少为 1，实际为 {value}'
    },
    why: {
      en: 'Use the number of scenarios plus one: a new adapter is loaded beside the old.',
      zh: '建议取场景数加一：加载新适配器时旧的仍在。'
    },
    source: LORA
  }),
  numberRule({
    id: 'lora/verify-interval',
    flag: 'verify-lora-base-weights-interval',
    allowed: (v) => v >= 1,
    message: {
      en: 'verify-lora-base-weights-interval must be at least 1, got {value}',
      zh: 'verify-lora-base-weights-interval 至少为 1，实际为 {value}'
    },
    why: {
      en: 'How many syncs lie between two comparisons of the frozen base.',
      zh: '两次核对冻结基座之间的同步次数。'
    },
    source: LORA
  }),
  {
    id: 'lora/needs-rank',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{flag} needs megatron-lora-rank above 0',
      zh: '{flag} 需要 megatron-lora-rank 大于 0'
    },
    explanation: {
      en: 'Without a rank full weights are trained and the LoRA setting has no meaning.',
      zh: '没有 rank 时为全量训练，该 LoRA 设置没有意义。'
    },
    source: LORA,
    *check(recipe) {
      if (!slime(recipe) || isLora(recipe)) return
      for (const flag of [
        'megatron-lora-alpha',
        'megatron-lora-target-modules',
        'keep-lora-base-resident'
      ]) {
        const value = recipe.flag(flag)
        if (value !== undefined) yield { at: atValue(value), args: { flag } }
      }
    }
  },
  {
    id: 'lora/bridge-mode',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'megatron-lora-rank requires megatron-to-hf-mode bridge',
      zh: 'megatron-lora-rank 要求 megatron-to-hf-mode 为 bridge'
    },
    explanation: {
      en: 'Adapters are attached and exported through Megatron Bridge.',
      zh: '适配器通过 Megatron Bridge 附加与导出。'
    },
    source: LORA,
    *check(recipe) {
      if (!slime(recipe) || !isLora(recipe) || recipe.flagText('megatron-to-hf-mode') === 'bridge')
        return
      yield {
        at: atFlag(recipe, 'megatron-lora-rank'),
        fix: fixOf(
          { en: 'Set the mode to bridge', zh: '将模式设为 bridge' },
          setFlag(recipe, 'megatron-to-hf-mode', 'bridge')
        )
      }
    }
  },
  {
    id: 'lora/param-lists',
    severity: 'error',
    dialects: REEF,
    message: { en: '{flag} cannot be used with LoRA', zh: 'LoRA 不能与 {flag} 同用' },
    explanation: { en: 'LoRA itself decides what is trained.', zh: 'LoRA 自行决定训练哪些参数。' },
    source: LORA,
    *check(recipe) {
      if (!slime(recipe) || !isLora(recipe)) return
      for (const flag of ['only-train-params-name-list', 'freeze-params-name-list']) {
        const value = recipe.flag(flag)
        if (value !== undefined) yield { at: atValue(value), args: { flag } }
      }
    }
  },
  {
    id: 'lora/colocated-engine',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'colocated LoRA with {engine} GPUs per engine is refused by many versions',
      zh: '共用 GPU 的 LoRA 在每引擎 {engine} 块 GPU 时会被许多版本拒绝'
    },
    explanation: {
      en: 'Colocated adapter sync was written for one GPU per engine; whether more work depends on the version of the checkout.',
      zh: '共用 GPU 的适配器同步按每引擎一块 GPU 编写，更多是否可行取决于代码版本。'
    },
    source: 'Human-Agent-Society/reef#36',
    *check(recipe) {
      const { colocated, engineGpus: engine } = layoutOf(recipe)
      if (slime(recipe) && colocated && isLora(recipe) && engine !== undefined && engine > 1)
        yield { at: at(recipe, 'inference.tensor-parallel-size'), args: { engine } }
    }
  },
  {
    id: 'lora/base-resident',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'keep-lora-base-resident applies to colocated training only',
      zh: 'keep-lora-base-resident 仅适用于共用 GPU 的训练'
    },
    explanation: {
      en: 'Without colocation nothing is released, so there is nothing to keep.',
      zh: '不共用 GPU 时不会释放任何东西，也就无需保留。'
    },
    source: LORA,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('keep-lora-base-resident') : undefined
      if (value !== undefined && isLora(recipe) && !layoutOf(recipe).colocated)
        yield { at: atValue(value) }
    }
  },
  {
    id: 'lora/learning-rate',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'lr {value} is {side} for {kind} training',
      zh: 'lr {value} 对{kindZh}训练来说{sideZh}'
    },
    explanation: {
      en: 'Adapters are trained with about ten times the rate of full weights (1e-5 to 5e-5 against about 1e-6).',
      zh: '适配器的学习率约为全量训练的十倍（1e-5 到 5e-5，对比约 1e-6）。'
    },
    source: 'docs/user-guide/recipes/tttd.rst',
    *check(recipe) {
      const lr = slime(recipe) ? recipe.flagNumber('lr') : undefined
      if (lr === undefined) return
      const lora = isLora(recipe)
      if (lora ? lr >= 2e-6 : lr <= 5e-5) return
      const args = lora
        ? { side: 'low', sideZh: '偏低', kind: 'LoRA', kindZh: ' LoRA ' }
        : { side: 'high', sideZh: '偏高', kind: 'full-weight', kindZh: '全量' }
      yield { at: atFlag(recipe, 'lr'), args: { value: lr, ...args } }
    }
  }
]

function appendTemplate(recipe: ReefRecipe, value: Value): ReturnType<typeof setValue> {
  if (!value.editable || value.source !== recipe.source) return null
  const written = recipe.source.text.slice(value.span.start, value.span.end)
  const at = /["']$/.test(written) ? value.span.end - 1 : value.span.end
  return [{ start: at, end: at, text: '/{rollout_id}' }]
}

function pairOf(recipe: ReefRecipe): { hf: string; megatron: string } | null {
  const hf = slime(recipe) ? recipe.flag('save-hf') : undefined
  const save = recipe.flag('save')
  if (!decided(hf) || !decided(save) || !hf.text.includes('{rollout_id}')) return null
  return {
    hf: posix.dirname(posix.normalize(hf.text)),
    megatron: posix.normalize(save.text).replace(/\/$/, '')
  }
}
