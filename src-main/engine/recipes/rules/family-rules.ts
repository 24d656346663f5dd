import { layoutOf } from '../arithmetic'
import { fixOf, removeField, setFlag, setValue } from '../edit'
import { numberOf } from '../py-scalar'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Hit, type Rule } from '../rule'
import { atValue, type Value } from '../value'
import { at, atFlag, decided } from './place'

const ALGORITHM = 'reef/train/slime_backend/algorithm.py'
const SAO = 'recipes/sao/slime/__init__.py'
const SCORE = 'reef/train/slime_backend/score_centering.py'

const slime = (recipe: ReefRecipe): boolean => recipe.trainer === 'slime'
const isFamily = (recipe: ReefRecipe, ...ids: string[]): boolean =>
  slime(recipe) && recipe.family !== null && ids.includes(recipe.family.id)

/** A written number outside what the family takes; an absent flag is fine here. */
interface FlagRange {
  id: string
  flag: string
  families: readonly string[]
  allowed: (value: number) => boolean
  range: string
  why: { en: string; zh: string }
  source: string
}

function rangeRule(spec: FlagRange): Rule<ReefRecipe> {
  return {
    id: spec.id,
    severity: 'error',
    dialects: REEF,
    message: {
      en: `${spec.flag} must be ${spec.range}, got {value}`,
      zh: `${spec.flag} 须满足 ${spec.range}，实际为 {value}`
    },
    explanation: spec.why,
    source: spec.source,
    *check(recipe) {
      if (!slime(recipe) || (spec.families.length > 0 && !isFamily(recipe, ...spec.families)))
        return
      const value = recipe.flag(spec.flag)
      if (!decided(value)) return
      const number = numberOf(value.text)
      if (number === undefined || !spec.allowed(number))
        yield { at: atValue(value), args: { value: value.text } }
    }
  }
}

export const familyRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'family/loss-type',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{family} requires loss-type {wanted}, got {value}',
      zh: '{family} 要求 loss-type 为 {wanted}，实际为 {value}'
    },
    explanation: {
      en: 'The loss of a recipe is fixed by its family; the driver compares the flag and stops. Omitted, the trainer takes policy_loss.',
      zh: 'loss 由 recipe 所属方法决定，驱动进程会核对该参数，不符即停止。省略时训练进程取 policy_loss。'
    },
    source: ALGORITHM,
    *check(recipe) {
      const wanted = recipe.family?.lossType
      if (!slime(recipe) || wanted === null || wanted === undefined) return
      const flag = recipe.flag('loss-type')
      const value = flag?.text ?? 'policy_loss'
      if (value === wanted || (flag?.missing.length ?? 0) > 0) return
      const fix = fixOf(
        { en: `Set to ${wanted}`, zh: `改为 ${wanted}` },
        setFlag(recipe, 'loss-type', wanted)
      )
      yield {
        at: atFlag(recipe, 'loss-type'),
        args: { family: recipe.family?.label ?? '', wanted, value },
        fix
      }
    }
  },
  {
    id: 'family/rollout-logprobs',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{family} requires use-rollout-logprobs',
      zh: '{family} 要求 use-rollout-logprobs'
    },
    explanation: {
      en: 'The probabilities recorded while serving are used as those of the old policy; without the flag the driver refuses.',
      zh: '服务时记录的概率被当作旧策略的概率；没有该参数驱动进程会拒绝启动。'
    },
    source: ALGORITHM,
    *check(recipe) {
      if (
        !slime(recipe) ||
        recipe.family?.rolloutLogprobs !== true ||
        recipe.flag('use-rollout-logprobs') !== undefined
      )
        return
      const fix = fixOf(
        { en: 'Add use-rollout-logprobs', zh: '添加 use-rollout-logprobs' },
        setFlag(recipe, 'use-rollout-logprobs', 'true')
      )
      yield {
        at: atFlag(recipe, 'use-rollout-logprobs'),
        args: { family: recipe.family.label },
        fix
      }
    }
  },
  {
    id: 'family/advantages-off',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{family} requires disable-compute-advantages-and-returns',
      zh: '{family} 要求 disable-compute-advantages-and-returns'
    },
    explanation: {
      en: 'The training signal comes from outside, so the own advantage pass must be off.',
      zh: '训练信号来自外部，因此必须关闭自带的优势计算。'
    },
    source: 'reef/train/slime_backend/reef_adapters/preflight.py',
    *check(recipe) {
      const flag = 'disable-compute-advantages-and-returns'
      if (
        !slime(recipe) ||
        recipe.family?.advantages !== 'disabled' ||
        recipe.flag(flag) !== undefined
      )
        return
      yield {
        at: atFlag(recipe, flag),
        args: { family: recipe.family.label },
        fix: fixOf({ en: 'Add it', zh: '添加该参数' }, setFlag(recipe, flag, 'true'))
      }
    }
  },
  {
    id: 'family/advantages-kept',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{family} requires Slime advantage computation',
      zh: '{family} 需要 Slime 的优势计算'
    },
    explanation: {
      en: 'The KL to the frozen base is computed in that pass. Remove disable-compute-advantages-and-returns.',
      zh: '与冻结基座的 KL 在此计算，请删除 disable-compute-advantages-and-returns。'
    },
    source: 'recipes/tttd/slime/__init__.py',
    *check(recipe) {
      const value = recipe.flag('disable-compute-advantages-and-returns')
      if (!slime(recipe) || recipe.family?.advantages !== 'kept' || value === undefined) return
      yield {
        at: atValue(value),
        args: { family: recipe.family.label },
        fix: recipe.versioned
          ? fixOf({ en: 'Remove it', zh: '删除该项' }, removeField(recipe, value))
          : undefined
      }
    }
  },
  {
    id: 'tttd/kl-coef',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'TTT-Discover requires a positive finite kl-coef (paper: 0.1), got {value}',
      zh: 'TTT-Discover 要求 kl-coef 为正的有限值（论文 0.1），实际为 {value}'
    },
    explanation: {
      en: 'The adapter is held near the frozen base by this term.',
      zh: '该项使适配器不偏离冻结的基座太远。'
    },
    source: 'recipes/tttd/slime/__init__.py',
    *check(recipe) {
      if (!isFamily(recipe, 'tttd', 'coral')) return
      const value = recipe.flag('kl-coef')
      if (value !== undefined && value.missing.length > 0) return
      const number = value === undefined ? 0 : numberOf(value.text)
      if (number !== undefined && number > 0) return
      yield {
        at: atFlag(recipe, 'kl-coef'),
        args: { value: value?.text ?? '0' },
        fix: fixOf({ en: 'Set to 0.1', zh: '设为 0.1' }, setFlag(recipe, 'kl-coef', '0.1'))
      }
    }
  },
  {
    id: 'sao/critic',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'SAO requires a value model: add use-critic',
      zh: 'SAO 需要价值模型：请添加 use-critic'
    },
    explanation: {
      en: 'Single rollouts have no group to compare with; the baseline is a value model trained beside the policy.',
      zh: '单个 rollout 没有组可比，其基线是与策略一同训练的价值模型。'
    },
    source: SAO,
    *check(recipe) {
      if (isFamily(recipe, 'sao') && recipe.flag('use-critic') === undefined) {
        yield {
          at: atFlag(recipe, 'use-critic'),
          fix: fixOf(
            { en: 'Add use-critic', zh: '添加 use-critic' },
            setFlag(recipe, 'use-critic', 'true')
          )
        }
      }
    }
  },
  {
    id: 'sao/eps-clip-high-set',
    severity: 'error',
    dialects: REEF,
    message: { en: 'SAO requires an explicit eps-clip-high', zh: 'SAO 要求明确给出 eps-clip-high' },
    explanation: {
      en: 'Unset, the trainer clips symmetrically, which SAO refuses. The paper uses 0.3/5.0 for reasoning and 0.8/3.0 for coding.',
      zh: '不设置时为对称裁剪，SAO 会拒绝。论文中推理任务用 0.3/5.0，代码任务用 0.8/3.0。'
    },
    source: SAO,
    *check(recipe) {
      if (!isFamily(recipe, 'sao') || recipe.flag('eps-clip-high') !== undefined) return
      yield {
        at: atFlag(recipe, 'eps-clip-high'),
        fix: fixOf({ en: 'Set to 5.0', zh: '设为 5.0' }, setFlag(recipe, 'eps-clip-high', '5.0'))
      }
    }
  },
  rangeRule({
    id: 'sao/eps-clip',
    flag: 'eps-clip',
    families: ['sao'],
    allowed: (v) => v >= 0 && v < 1,
    range: '[0, 1)',
    source: SAO,
    why: {
      en: 'The lower clip bound is 1 − eps-clip and must stay positive.',
      zh: '裁剪下界为 1 − eps-clip，须保持为正。'
    }
  }),
  rangeRule({
    id: 'sao/eps-clip-high',
    flag: 'eps-clip-high',
    families: ['sao'],
    allowed: (v) => v >= 0,
    range: '≥ 0',
    source: SAO,
    why: { en: 'The upper clip bound is 1 + eps-clip-high.', zh: '裁剪上界为 1 + eps-clip-high。' }
  }),
  rangeRule({
    id: 'sao/critic-steps',
    flag: 'critic-steps-per-actor',
    families: ['sao'],
    allowed: (v) => v >= 1,
    range: '≥ 1',
    source: SAO,
    why: {
      en: 'The value model is updated this often for each policy step (2 in the paper).',
      zh: '每个策略步对应的价值模型更新次数（论文为 2）。'
    }
  }),
  rangeRule({
    id: 'sao/critic-only',
    flag: 'num-critic-only-steps',
    families: ['sao'],
    allowed: (v) => v >= 0,
    range: '≥ 0',
    source: SAO,
    why: {
      en: 'Number of first steps that train only the value model.',
      zh: '最初仅训练价值模型的步数。'
    }
  }),
  rangeRule({
    id: 'sao/critic-lambda',
    flag: 'sao-critic-lambda',
    families: ['sao'],
    allowed: (v) => v >= 0 && v <= 1,
    range: '[0, 1]',
    source: SAO,
    why: { en: 'Lambda of the value targets (default 1.0).', zh: '价值目标的 lambda（默认 1.0）。' }
  }),
  rangeRule({
    id: 'sao/lambda-alpha',
    flag: 'sao-lambda-alpha',
    families: ['sao'],
    allowed: (v) => v > 0,
    range: '> 0',
    source: SAO,
    why: {
      en: 'Scale of the length-adaptive lambda (1.5 in the example).',
      zh: '随长度自适应的 lambda 的尺度（示例为 1.5）。'
    }
  }),
  {
    id: 'sao/critic-warm-up',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'the first {count} releases leave the policy unchanged; weights first move at step {next}',
      zh: '前 {count} 个版本不改变策略，权重从第 {next} 步开始变化'
    },
    explanation: {
      en: 'During critic warm-up (num-critic-only-steps) every step commits and publishes a release whose policy is the old one.',
      zh: '在 critic 预热期间（num-critic-only-steps），每步仍会提交并发布版本，但策略未变。'
    },
    source: SAO,
    *check(recipe) {
      const count = isFamily(recipe, 'sao') ? recipe.flagNumber('num-critic-only-steps') : undefined
      if (count !== undefined && count > 0)
        yield { at: atFlag(recipe, 'num-critic-only-steps'), args: { count, next: count + 1 } }
    }
  },
  {
    id: 'grpo/estimator',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'the GRPO control arm wants advantage-estimator grpo, got {value}',
      zh: 'GRPO 对照组应使用 advantage-estimator grpo，实际为 {value}'
    },
    explanation: {
      en: 'The control compares SAO with group-mean baselines; another estimator is another experiment.',
      zh: '对照组以组均值为基线与 SAO 比较，换用其他估计器就是另一个实验。'
    },
    source: 'recipes/sao/examples/imo_answerbench/README.md',
    *check(recipe) {
      if (!isFamily(recipe, 'sao-grpo-dis')) return
      const value = recipe.flag('advantage-estimator')
      if (decided(value) && value.text !== 'grpo')
        yield {
          at: atValue(value),
          args: { value: value.text },
          fix: fixOf({ en: 'Set to grpo', zh: '改为 grpo' }, setValue(recipe, value, 'grpo'))
        }
    }
  },
  {
    id: 'grpo/no-critic',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'the GRPO control arm has no value model; use-critic is left over',
      zh: 'GRPO 对照组没有价值模型，use-critic 是多余的'
    },
    explanation: {
      en: 'A second model would be loaded and trained for nothing.',
      zh: '会白白加载并训练第二个模型。'
    },
    source: 'recipes/sao/examples/imo_answerbench/README.md',
    *check(recipe) {
      const value = recipe.flag('use-critic')
      if (isFamily(recipe, 'sao-grpo-dis') && value !== undefined)
        yield {
          at: atValue(value),
          fix: recipe.versioned
            ? fixOf({ en: 'Remove it', zh: '删除该项' }, removeField(recipe, value))
            : undefined
        }
    }
  },
  {
    id: 'opd/teacher',
    severity: 'error',
    dialects: REEF,
    message: { en: '{flag} is required for on-policy distillation', zh: '在线蒸馏需要 {flag}' },
    explanation: {
      en: 'opd-teacher: separate and opd-teacher-checkpoint name the frozen teacher. Teacher and student must share architecture, parallel layout and token ids.',
      zh: 'opd-teacher: separate 与 opd-teacher-checkpoint 指定冻结的 teacher；teacher 与 student 的结构、并行布局与 token id 必须一致。'
    },
    source: 'recipes/opd/examples/math/serve.yaml',
    *check(recipe) {
      if (!isFamily(recipe, 'opd')) return
      const teacher = recipe.flag('opd-teacher')
      if (teacher === undefined)
        yield {
          at: atFlag(recipe, 'opd-teacher'),
          args: { flag: 'opd-teacher' },
          fix: fixOf(
            { en: 'Set to separate', zh: '设为 separate' },
            setFlag(recipe, 'opd-teacher', 'separate')
          )
        }
      if (recipe.flag('opd-teacher-checkpoint') === undefined)
        yield {
          at: atFlag(recipe, 'opd-teacher-checkpoint'),
          args: { flag: 'opd-teacher-checkpoint' }
        }
    }
  },
  {
    id: 'openclawrl/judge-tokenizer',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'prm-tokenizer-path is required with prm-url',
      zh: '设置 prm-url 时必须给出 prm-tokenizer-path'
    },
    explanation: {
      en: 'The judge prompt is built with the tokenizer of the judge model.',
      zh: '评判提示需要评判模型的 tokenizer 来构造。'
    },
    source: 'recipes/openclawrl/recipe.py',
    *check(recipe) {
      if (recipe.family?.id !== 'openclawrl' || recipe.given('recipe.config.prm-url') === undefined)
        return
      if (recipe.given('recipe.config.prm-tokenizer-path') === undefined)
        yield { at: at(recipe, 'recipe.config.prm-url') }
    }
  },
  {
    id: 'openclawrl/no-judge',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'no prm-url: no judge scores the traffic',
      zh: '未设置 prm-url：没有评判模型为流量打分'
    },
    explanation: {
      en: 'OpenClaw-RL learns from a judge that reads the next state; without one there is no signal.',
      zh: 'OpenClaw-RL 依靠评判模型读取下一状态，没有它就没有训练信号。'
    },
    source: 'docs/user-guide/recipes/openclawrl.rst',
    *check(recipe) {
      if (isFamily(recipe, 'openclawrl') && recipe.given('recipe.config.prm-url') === undefined)
        yield { at: at(recipe, 'recipe.implementation') }
    }
  },
  {
    id: 'sdft/teacher-moves',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'sdft-teacher-update-rate {value}: the teacher moves with the student',
      zh: 'sdft-teacher-update-rate 为 {value}：teacher 会随 student 移动'
    },
    explanation: {
      en: 'The default is 0.01. The bundled example freezes it at 0 because a moving teacher collapsed there.',
      zh: '默认 0.01。自带示例将其固定为 0，因为移动的 teacher 在那里发生了坍缩。'
    },
    source: 'recipes/sdft/examples/skill_stream/README.md',
    *check(recipe) {
      if (!isFamily(recipe, 'sdft')) return
      const value = recipe.flag('sdft-teacher-update-rate')
      const number = value === undefined ? 0.01 : numberOf(value.text)
      if (number !== undefined && number > 0)
        yield {
          at: atFlag(recipe, 'sdft-teacher-update-rate'),
          args: { value: number },
          fix: fixOf(
            { en: 'Set to 0', zh: '设为 0' },
            setFlag(recipe, 'sdft-teacher-update-rate', '0')
          )
        }
    }
  },
  {
    id: 'sdpo/dropout',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'SDPO compares the tokens the student would pick: {flag} must be 0, got {value}',
      zh: 'SDPO 比较 student 会选的 token：{flag} 必须为 0，实际为 {value}'
    },
    explanation: {
      en: 'The top tokens are picked in one pass and trained in another. Dropout makes the two differ.',
      zh: '候选 token 在一次前向中选出、在另一次中训练；dropout 会使两次不一致。'
    },
    source: 'docs/user-guide/recipes/sdpo.rst',
    *check(recipe) {
      if (!isFamily(recipe, 'sdpo') || !slime(recipe)) return
      for (const flag of ['attention-dropout', 'hidden-dropout']) {
        const value = recipe.flagNumber(flag)
        if (value !== undefined && value > 0)
          yield { at: atFlag(recipe, flag), args: { flag, value } }
      }
    }
  },
  {
    id: 'score-centering/refused',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'score centering cannot be combined with {flag}',
      zh: 'score centering 不能与 {flag} 同用'
    },
    explanation: {
      en: 'It needs the plain loss and the whole sequence on one rank.',
      zh: '它需要普通的 loss，且整个序列位于同一 rank。'
    },
    source: SCORE,
    check: scoreCentering
  },
  {
    id: 'score-centering/top-k',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'capture_topk {captured} is below score-centering-top-k {wanted}',
      zh: 'capture_topk {captured} 小于 score-centering-top-k {wanted}'
    },
    explanation: {
      en: 'The served alternatives must be recorded for as many tokens as score centering reads (128 by default).',
      zh: '服务时记录的候选数不能少于 score centering 读取的数量（默认 128）。'
    },
    source: SCORE,
    *check(recipe) {
      if (!slime(recipe) || recipe.flag('score-centering') === undefined) return
      const wanted =
        recipe.flag('score-centering-top-k') === undefined
          ? 128
          : recipe.flagNumber('score-centering-top-k')
      const value =
        recipe.given('inference.handler-config.capture_topk') ??
        recipe.given('inference.backend-config.capture_topk')
      const captured = value === undefined ? 0 : numberOf(value.text)
      if (wanted === undefined || captured === undefined || captured >= wanted) return
      yield {
        at: value === undefined ? atFlag(recipe, 'score-centering') : atValue(value),
        args: { captured, wanted }
      }
    }
  }
]

function* scoreCentering(recipe: ReefRecipe): Generator<Hit> {
  const asked = recipe.flag('score-centering')
  if (!slime(recipe) || asked === undefined) return
  if (
    recipe.family !== null &&
    !['sao', 'sao-grpo-dis', 'sdft', 'sdpo', 'opd'].includes(recipe.family.id)
  ) {
    yield { at: atValue(asked), args: { flag: recipe.family.label } }
  }
  const clashing: (Value | undefined)[] = [
    'use-tis',
    'get-mismatch-metrics',
    'use-opsm',
    'custom-pg-loss-reducer-function-path'
  ].map((flag) => recipe.flag(flag))
  for (const value of clashing) {
    if (value !== undefined) yield { at: atValue(value), args: { flag: value.path } }
  }
  const { context } = layoutOf(recipe)
  if (context !== undefined && context > 1)
    yield {
      at: atFlag(recipe, 'context-parallel-size'),
      args: { flag: 'context-parallel-size > 1' }
    }
}
