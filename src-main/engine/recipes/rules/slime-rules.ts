import { flagOr } from '../arithmetic'
import { fixOf, removeField, setFlag } from '../edit'
import { flagFact } from '../flags'
import { numberOf } from '../py-scalar'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Rule } from '../rule'
import { atValue } from '../value'
import { deltaColocated } from './engine-rules'
import { atFlag, decided } from './place'

const SLIME = 'slime/utils/arguments.py'
const MEGATRON = 'megatron/training/arguments.py'

const slime = (recipe: ReefRecipe): boolean => recipe.trainer === 'slime'

/** Two flags of which the second must be there when the first is, or must not be. */
interface Pairing {
  id: string
  when: string
  kind: 'needs' | 'excludes'
  partner: string
  why: { en: string; zh: string }
  source: string
  /** Value the partner gets when the fix adds it. */
  add?: string
}

function pairing(spec: Pairing): Rule<ReefRecipe> {
  const needs = spec.kind === 'needs'
  return {
    id: spec.id,
    severity: 'error',
    dialects: REEF,
    message: needs
      ? { en: `${spec.when} requires ${spec.partner}`, zh: `${spec.when} 需要 ${spec.partner}` }
      : {
          en: `${spec.when} and ${spec.partner} cannot both be set`,
          zh: `${spec.when} 与 ${spec.partner} 不能同时设置`
        },
    explanation: spec.why,
    source: spec.source,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag(spec.when) : undefined
      const partner = recipe.flag(spec.partner)
      if (value === undefined || needs === (partner !== undefined)) return
      const title = { en: `Add ${spec.partner}`, zh: `添加 ${spec.partner}` }
      const removal =
        recipe.versioned && !needs && partner !== undefined
          ? fixOf(
              { en: `Remove ${spec.partner}`, zh: `删除 ${spec.partner}` },
              removeField(recipe, partner)
            )
          : undefined
      yield {
        at: atValue(value),
        fix:
          spec.add === undefined ? removal : fixOf(title, setFlag(recipe, spec.partner, spec.add))
      }
    }
  }
}

const pairs: readonly Rule<ReefRecipe>[] = [
  pairing({
    id: 'slime/dynamic-tokens',
    when: 'use-dynamic-batch-size',
    kind: 'needs',
    partner: 'max-tokens-per-gpu',
    source: SLIME,
    why: {
      en: 'Dynamic batches are packed up to this many tokens.',
      zh: '动态 batch 按该 token 数打包。'
    }
  }),
  pairing({
    id: 'slime/balance-by-flops',
    when: 'balance-by-flops',
    kind: 'needs',
    partner: 'use-dynamic-batch-size',
    add: 'true',
    source: SLIME,
    why: { en: 'Balancing works on dynamic batches only.', zh: '仅动态 batch 支持按 FLOPs 均衡。' }
  }),
  pairing({
    id: 'slime/logprobs-or-tis',
    when: 'use-rollout-logprobs',
    kind: 'excludes',
    partner: 'use-tis',
    source: SLIME,
    why: {
      en: 'Truncated importance sampling needs the probabilities recomputed by the trainer.',
      zh: '截断重要性采样需要训练端重新计算的概率。'
    }
  }),
  pairing({
    id: 'slime/mismatch-metrics',
    when: 'get-mismatch-metrics',
    kind: 'needs',
    partner: 'custom-tis-function-path',
    source: SLIME,
    why: { en: 'The metrics are computed by that function.', zh: '该指标由此函数计算。' }
  }),
  pairing({
    id: 'slime/mtp',
    when: 'enable-mtp-training',
    kind: 'needs',
    partner: 'mtp-num-layers',
    source: SLIME,
    why: {
      en: 'Multi-token prediction needs to know its number of heads.',
      zh: '多 token 预测需要给出层数。'
    }
  }),
  pairing({
    id: 'slime/param-lists',
    when: 'only-train-params-name-list',
    kind: 'excludes',
    partner: 'freeze-params-name-list',
    source: SLIME,
    why: {
      en: 'Name the trained parameters or the frozen ones.',
      zh: '只能指定要训练的参数或要冻结的参数之一。'
    }
  }),
  pairing({
    id: 'slime/opd-type',
    when: 'use-opd',
    kind: 'needs',
    partner: 'opd-type',
    source: SLIME,
    why: {
      en: 'The teacher is either an SGLang server or a Megatron checkpoint.',
      zh: 'teacher 可以是 SGLang 服务或 Megatron checkpoint。'
    }
  }),
  pairing({
    id: 'slime/opd-load',
    when: 'opd-teacher-load',
    kind: 'needs',
    partner: 'use-opd',
    add: 'true',
    source: SLIME,
    why: {
      en: 'A teacher path without distillation is refused.',
      zh: '未启用蒸馏却给出 teacher 路径会被拒绝。'
    }
  }),
  pairing({
    id: 'slime/warm-up',
    when: 'lr-warmup-fraction',
    kind: 'excludes',
    partner: 'lr-warmup-iters',
    source: MEGATRON,
    why: {
      en: 'Warm-up is given as a share or as a number of steps.',
      zh: '预热只能以比例或步数之一给出。'
    }
  }),
  pairing({
    id: 'slime/save-needs-interval',
    when: 'save',
    kind: 'needs',
    partner: 'save-interval',
    add: '100',
    source: MEGATRON,
    why: {
      en: 'Megatron asserts an interval when a save path is given.',
      zh: '给出保存路径时 Megatron 要求保存间隔。'
    }
  }),
  pairing({
    id: 'slime/disk-transport',
    when: 'update-weight-local-checkpoint-dir',
    kind: 'needs',
    partner: 'update-weight-disk-dir',
    source: SLIME,
    why: {
      en: 'Weights that travel through files need a folder both sides see.',
      zh: '通过文件传递权重需要双方可见的目录。'
    }
  })
]

export const slimeRules: readonly Rule<ReefRecipe>[] = [
  ...pairs,
  {
    id: 'slime/choice',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{flag}: {value} is none of {choices}',
      zh: '{flag}：{value} 不在可选值 {choices} 中'
    },
    explanation: {
      en: 'The trainer takes only these values and exits with a usage message otherwise.',
      zh: '训练进程只接受这些取值，否则打印用法并退出。'
    },
    source: 'slime/utils/arguments.py, megatron/training/arguments.py',
    *check(recipe) {
      if (!slime(recipe)) return
      for (const [name, value] of recipe.flags()) {
        const choices = flagFact(name)?.choices ?? []
        if (
          choices.length === 0 ||
          !decided(value) ||
          value.kind === 'list' ||
          choices.includes(value.text)
        )
          continue
        yield {
          at: atValue(value),
          args: { flag: name, value: value.text, choices: choices.join(', ') }
        }
      }
    }
  },
  {
    id: 'slime/number',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{flag} must be {wanted}, got {value}',
      zh: '{flag} 应为{wantedZh}，实际为 {value}'
    },
    explanation: {
      en: 'The trainer parses the flag as a number and exits with a usage message otherwise.',
      zh: '训练进程按数字解析该参数，否则打印用法并退出。'
    },
    source: 'slime/utils/arguments.py, megatron/training/arguments.py',
    *check(recipe) {
      if (!slime(recipe)) return
      for (const [name, value] of recipe.flags()) {
        const type = flagFact(name)?.type
        if (
          (type !== 'int' && type !== 'float') ||
          flagFact(name)?.many === true ||
          !decided(value) ||
          value.text === ''
        )
          continue
        if (value.raw.includes('${') && value.text.includes('${')) continue
        const number = value.kind === 'list' ? undefined : numberOf(value.text)
        if (number !== undefined && (type === 'float' || /^[-+]?[0-9_]+$/.test(value.text.trim())))
          continue
        const wanted =
          type === 'int'
            ? { wanted: 'an integer', wantedZh: '整数' }
            : { wanted: 'a number', wantedZh: '数字' }
        yield { at: atValue(value), args: { flag: name, value: value.text, ...wanted } }
      }
    }
  },
  {
    id: 'slime/json',
    severity: 'error',
    dialects: REEF,
    message: { en: '{flag} must be valid JSON', zh: '{flag} 必须是合法的 JSON' },
    explanation: {
      en: 'The text is parsed when the trainer starts.',
      zh: '训练启动时会解析该文本。'
    },
    source: SLIME,
    *check(recipe) {
      if (!slime(recipe)) return
      for (const [name, value] of recipe.flags()) {
        if (
          flagFact(name)?.type !== 'json' ||
          !decided(value) ||
          value.kind !== 'string' ||
          isJson(value.text)
        )
          continue
        yield { at: atValue(value), args: { flag: name } }
      }
    }
  },
  {
    id: 'slime/tokens-without-dynamic',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'max-tokens-per-gpu has no effect without use-dynamic-batch-size',
      zh: '没有 use-dynamic-batch-size 时 max-tokens-per-gpu 不起作用'
    },
    explanation: {
      en: 'Static batches are counted in samples, not tokens, and may run out of memory.',
      zh: '静态 batch 按样本而非 token 计数，可能显存不足。'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('max-tokens-per-gpu') : undefined
      if (value !== undefined && recipe.flag('use-dynamic-batch-size') === undefined)
        yield {
          at: atValue(value),
          fix: fixOf(
            { en: 'Add use-dynamic-batch-size', zh: '添加 use-dynamic-batch-size' },
            setFlag(recipe, 'use-dynamic-batch-size', 'true')
          )
        }
    }
  },
  {
    id: 'slime/one-kl',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'only one of kl-coef and kl-loss-coef can be set',
      zh: 'kl-coef 与 kl-loss-coef 只能设置一个'
    },
    explanation: {
      en: 'The KL is part of the reward or part of the loss.',
      zh: 'KL 要么计入奖励，要么计入 loss。'
    },
    source: SLIME,
    *check(recipe) {
      if (
        slime(recipe) &&
        (recipe.flagNumber('kl-coef') ?? 0) !== 0 &&
        (recipe.flagNumber('kl-loss-coef') ?? 0) !== 0
      )
        yield { at: atFlag(recipe, 'kl-loss-coef') }
    }
  },
  {
    id: 'slime/kl-without-loss',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'kl-loss-coef {value} without use-kl-loss: there is no KL at all',
      zh: 'kl-loss-coef 为 {value} 但没有 use-kl-loss：实际没有 KL'
    },
    explanation: {
      en: 'The coefficient is read only when the KL loss is switched on.',
      zh: '只有启用 KL loss 时才读取该系数。'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flagNumber('kl-loss-coef') : undefined
      if (value === undefined || value === 0 || recipe.flag('use-kl-loss') !== undefined) return
      yield {
        at: atFlag(recipe, 'kl-loss-coef'),
        args: { value },
        fix: fixOf(
          { en: 'Add use-kl-loss', zh: '添加 use-kl-loss' },
          setFlag(recipe, 'use-kl-loss', 'true')
        )
      }
    }
  },
  {
    id: 'slime/kl-only-watched',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'use-kl-loss with coefficient 0: the KL is only watched',
      zh: 'use-kl-loss 的系数为 0：KL 仅被监测'
    },
    explanation: {
      en: 'That costs a forward pass of the reference model on every step.',
      zh: '每步会多一次参考模型的前向计算。'
    },
    source: SLIME,
    *check(recipe) {
      if (
        slime(recipe) &&
        recipe.flag('use-kl-loss') !== undefined &&
        flagOr(recipe, 'kl-loss-coef', 0) === 0
      )
        yield { at: atFlag(recipe, 'use-kl-loss') }
    }
  },
  {
    id: 'slime/kl-reference',
    severity: 'error',
    dialects: REEF,
    message: { en: 'a KL term needs ref-load', zh: '使用 KL 需要 ref-load' },
    explanation: {
      en: 'The reference policy is loaded from there; without it the trainer fails on a missing path.',
      zh: '参考策略由此加载，缺少时训练会因路径为空而失败。'
    },
    source: SLIME,
    *check(recipe) {
      if (!slime(recipe) || recipe.flag('ref-load') !== undefined) return
      const kl =
        (recipe.flagNumber('kl-coef') ?? 0) !== 0
          ? 'kl-coef'
          : recipe.flag('use-kl-loss') === undefined
            ? null
            : 'use-kl-loss'
      if (kl === null) return
      const fix = recipe.versioned
        ? fixOf(
            { en: 'Set to the served model', zh: '设为所服务的模型' },
            setFlag(recipe, 'ref-load', '${inference.model-path}')
          )
        : undefined
      yield { at: atFlag(recipe, kl), fix }
    }
  },
  {
    id: 'slime/normalize-advantages',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'advantage-estimator {value} requires normalize-advantages',
      zh: 'advantage-estimator {value} 需要 normalize-advantages'
    },
    explanation: {
      en: 'REINFORCE++ is defined with normalised advantages.',
      zh: 'REINFORCE++ 的定义包含优势归一化。'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flagText('advantage-estimator') : undefined
      if (
        value?.startsWith('reinforce_plus_plus') !== true ||
        recipe.flag('normalize-advantages') !== undefined
      )
        return
      yield {
        at: atFlag(recipe, 'advantage-estimator'),
        args: { value },
        fix: fixOf(
          { en: 'Add normalize-advantages', zh: '添加 normalize-advantages' },
          setFlag(recipe, 'normalize-advantages', 'true')
        )
      }
    }
  },
  {
    id: 'slime/cispo-clip',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'cispo with eps-clip {value} keeps the lower clip bound active',
      zh: 'cispo 的 eps-clip 为 {value}，下界裁剪仍然生效'
    },
    explanation: {
      en: 'CISPO is one-sided by definition; eps-clip 1 or more switches the lower bound off.',
      zh: 'CISPO 本为单侧裁剪，eps-clip 不小于 1 时下界失效。'
    },
    source: SLIME,
    *check(recipe) {
      if (!slime(recipe) || recipe.flagText('advantage-estimator') !== 'cispo') return
      const value = flagOr(recipe, 'eps-clip', 0.2)
      if (value !== undefined && value < 1)
        yield { at: atFlag(recipe, 'eps-clip'), args: { value } }
    }
  },
  {
    id: 'slime/temperature',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'rollout-temperature must be above 0, got {value}',
      zh: 'rollout-temperature 必须大于 0，实际为 {value}'
    },
    explanation: {
      en: 'Temperature 0 is greedy decoding, which is no policy to learn from.',
      zh: '温度 0 为贪心解码，不是可学习的策略。'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flagNumber('rollout-temperature') : undefined
      if (value !== undefined && value <= 0)
        yield { at: atFlag(recipe, 'rollout-temperature'), args: { value } }
    }
  },
  {
    id: 'slime/prompt-length',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'rollout-max-prompt-len {prompt} must be smaller than rollout-max-context-len {context}',
      zh: 'rollout-max-prompt-len {prompt} 必须小于 rollout-max-context-len {context}'
    },
    explanation: {
      en: 'At least one token must be left for the answer.',
      zh: '至少要为回答留出一个 token。'
    },
    source: SLIME,
    *check(recipe) {
      const prompt = slime(recipe) ? recipe.flagNumber('rollout-max-prompt-len') : undefined
      const context = recipe.flagNumber('rollout-max-context-len')
      if (prompt !== undefined && context !== undefined && prompt > context - 1)
        yield { at: atFlag(recipe, 'rollout-max-prompt-len'), args: { prompt, context } }
    }
  },
  {
    id: 'slime/over-sampling',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'over-sampling-batch-size {over} is below rollout-batch-size {rollouts}',
      zh: 'over-sampling-batch-size {over} 小于 rollout-batch-size {rollouts}'
    },
    explanation: {
      en: 'It is the number of prompts in flight and cannot be smaller than what a rollout needs.',
      zh: '它是同时生成的提示数，不能少于一个 rollout 所需。'
    },
    source: SLIME,
    *check(recipe) {
      const over = slime(recipe) ? recipe.flagNumber('over-sampling-batch-size') : undefined
      const rollouts = recipe.flagNumber('rollout-batch-size')
      if (over !== undefined && rollouts !== undefined && over < rollouts)
        yield { at: atFlag(recipe, 'over-sampling-batch-size'), args: { over, rollouts } }
    }
  },
  {
    id: 'slime/recompute',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'recompute-granularity {value}: {what}',
      zh: 'recompute-granularity 为 {value}：{whatZh}'
    },
    explanation: {
      en: 'full needs recompute-method and recompute-num-layers; selective forbids them and names modules instead.',
      zh: 'full 需要 recompute-method 与 recompute-num-layers；selective 不允许二者，而是指定模块。'
    },
    source: MEGATRON,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flagText('recompute-granularity') : undefined
      const method = recipe.flag('recompute-method')
      const layers = recipe.flag('recompute-num-layers')
      if (value === 'full' && (method === undefined || layers === undefined)) {
        yield {
          at: atFlag(recipe, 'recompute-granularity'),
          args: {
            value,
            what: 'recompute-method and recompute-num-layers are required',
            whatZh: '需要 recompute-method 与 recompute-num-layers'
          }
        }
      }
      const extra = method ?? layers
      if (value === 'selective' && extra !== undefined)
        yield {
          at: atValue(extra),
          args: {
            value,
            what: 'recompute-method and recompute-num-layers are not allowed',
            whatZh: '不能设置 recompute-method 与 recompute-num-layers'
          }
        }
    }
  },
  {
    id: 'slime/min-lr',
    severity: 'error',
    dialects: REEF,
    message: { en: 'min-lr {min} is above lr {lr}', zh: 'min-lr {min} 大于 lr {lr}' },
    explanation: { en: 'Decay ends at min-lr.', zh: '学习率衰减到 min-lr 为止。' },
    source: MEGATRON,
    *check(recipe) {
      const min = slime(recipe) ? recipe.flagNumber('min-lr') : undefined
      const lr = flagOr(recipe, 'lr', 1e-6)
      if (min !== undefined && lr !== undefined && min > lr)
        yield { at: atFlag(recipe, 'min-lr'), args: { min, lr } }
    }
  },
  {
    id: 'slime/custom-config',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'custom-config-path overwrites flags after they were checked',
      zh: 'custom-config-path 会在检查之后覆盖参数'
    },
    explanation: {
      en: 'The YAML file named here wins over everything above, unseen by most checks, and 1e-6 in it is text (write 1.0e-6).',
      zh: '此处的 YAML 会覆盖以上所有参数且绕过大部分检查；其中的 1e-6 会被当作文本（请写 1.0e-6）。'
    },
    source: SLIME,
    *check(recipe) {
      const value = slime(recipe) ? recipe.flag('custom-config-path') : undefined
      if (value !== undefined) yield { at: atValue(value) }
    }
  },
  {
    id: 'slime/health-first-wait',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'use-fault-tolerance with first wait 0 may kill engines that still compile',
      zh: 'use-fault-tolerance 的首次等待为 0，可能杀掉仍在编译的引擎'
    },
    explanation: {
      en: 'Set rollout-health-check-first-wait to a few minutes; its default is 0 s.',
      zh: '请将 rollout-health-check-first-wait 设为数分钟，默认是 0 秒。'
    },
    source: 'slime/utils/health_monitor.py',
    *check(recipe) {
      if (!slime(recipe) || recipe.flag('use-fault-tolerance') === undefined) return
      if (flagOr(recipe, 'rollout-health-check-first-wait', 0) === 0)
        yield {
          at: atFlag(recipe, 'use-fault-tolerance'),
          fix: fixOf(
            { en: 'Wait 300 s first', zh: '首次等待 300 秒' },
            setFlag(recipe, 'rollout-health-check-first-wait', '300')
          )
        }
    }
  },
  {
    id: 'slime/update-weight',
    severity: 'error',
    dialects: REEF,
    message: { en: 'update-weight-{what}', zh: 'update-weight-{whatZh}' },
    explanation: {
      en: 'Transport disk needs a folder both sides see; delta updates need transport disk, no colocation and a local checkpoint folder.',
      zh: 'disk 传输需要双方可见的目录；delta 更新需要 disk 传输、不共用 GPU，并有本地 checkpoint 目录。'
    },
    source: SLIME,
    *check(recipe) {
      if (!slime(recipe)) return
      const transport = recipe.flagText('update-weight-transport')
      if (transport === 'disk' && recipe.flag('update-weight-disk-dir') === undefined) {
        yield {
          at: atFlag(recipe, 'update-weight-transport'),
          args: {
            what: 'transport disk needs update-weight-disk-dir',
            whatZh: 'transport 为 disk 时需要 update-weight-disk-dir'
          }
        }
      }
      if (recipe.flagText('update-weight-mode') !== 'delta') return
      if (deltaColocated(recipe)) {
        yield {
          at: atFlag(recipe, 'update-weight-mode'),
          args: {
            what: 'mode delta cannot be used with colocation',
            whatZh: 'mode 为 delta 时不能共用 GPU'
          }
        }
      }
      if (transport !== 'disk' || recipe.flag('update-weight-local-checkpoint-dir') === undefined) {
        yield {
          at: atFlag(recipe, 'update-weight-mode'),
          args: {
            what: 'mode delta needs transport disk and update-weight-local-checkpoint-dir',
            whatZh: 'mode 为 delta 时需要 disk 传输与 update-weight-local-checkpoint-dir'
          }
        }
      }
    }
  },
  {
    id: 'slime/opd-teacher',
    severity: 'error',
    dialects: REEF,
    message: { en: 'opd-type {value}: {what}', zh: 'opd-type 为 {value}：{whatZh}' },
    explanation: {
      en: 'A Megatron teacher is loaded from opd-teacher-load; an SGLang teacher is asked over HTTP and takes no path.',
      zh: 'megatron teacher 由 opd-teacher-load 加载；sglang teacher 通过 HTTP 访问，不能给路径。'
    },
    source: SLIME,
    *check(recipe) {
      const value =
        slime(recipe) && recipe.flag('use-opd') !== undefined
          ? recipe.flagText('opd-type')
          : undefined
      const path = recipe.flag('opd-teacher-load')
      if (value === 'megatron' && path === undefined)
        yield {
          at: atFlag(recipe, 'opd-type'),
          args: { value, what: 'opd-teacher-load is required', whatZh: '需要 opd-teacher-load' }
        }
      if (value === 'sglang' && path !== undefined)
        yield {
          at: atValue(path),
          args: {
            value,
            what: 'opd-teacher-load must not be set',
            whatZh: '不能设置 opd-teacher-load'
          }
        }
    }
  }
]

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Not JSON: that is the answer, not a fault.
    return false
  }
}
