import type { Fix } from '../../../contract/recipes'
import { flagOr, gridSides, layoutOf, recipeBatch } from '../arithmetic'
import { fixOf, setField, setFlag, setValue } from '../edit'
import { numberOf } from '../py-scalar'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, type Hit, type Rule } from '../rule'
import { atValue, type Value } from '../value'
import { at, atFlag } from './place'

const PREPARATION = 'reef/train/slime_backend/reef_adapters/preparation.py'
const PREFLIGHT = 'reef/train/slime_backend/reef_adapters/preflight.py'
const SLIME = 'slime/utils/arguments.py'
const TTTD = 'recipes/tttd/recipe.py'

export const batchRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'batch/agreement',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: '{path} is {value}, but one training job carries {batch}',
      zh: '{path} 为 {value}，而每个训练任务携带 {batch} 条'
    },
    explanation: {
      en: 'The reports one job carries, the global batch and the rollout batch must be the same number. When the job is no multiple of the global batch, the first step fails ("external rollouts do not form complete global batches"); a larger multiple runs several optimizer steps per release. Nothing says so at start.',
      zh: '每个任务的反馈条数、全局 batch 与 rollout batch 必须相同。任务条数不是全局 batch 的整数倍时，第一步就会失败（"external rollouts do not form complete global batches"）；是更大的倍数时，每个版本会做多步优化。启动时不会有任何提示。'
    },
    source: PREPARATION,
    check: batchAgreement
  },
  {
    id: 'batch/positive',
    severity: 'error',
    dialects: REEF,
    message: { en: 'batch-size must be positive', zh: 'batch-size 必须为正' },
    explanation: { en: 'A batch holds at least one report.', zh: '一个 batch 至少包含一条反馈。' },
    source: 'recipes/sao/recipe.py',
    *check(recipe) {
      const size = recipe.number('recipe.config.batch-size')
      if (size !== undefined && size <= 0) yield { at: at(recipe, 'recipe.config.batch-size') }
    }
  },
  {
    id: 'batch/smoke',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'batch 1 is the smoke setting; the paper trains with 128',
      zh: 'batch 1 是冒烟测试的设置，论文使用 128'
    },
    explanation: {
      en: 'With one report a step every gradient comes from one rollout and explained variance says nothing. Use "scale up batch" to set 128 and everything that must agree.',
      zh: '每步只有一条反馈时，梯度来自单个 rollout，explained variance 没有意义。可用“放大 batch”一次设为 128 及所有须一致之处。'
    },
    source: 'docs/user-guide/recipes/sao.rst',
    *check(recipe) {
      const sao = recipe.family?.id === 'sao' && recipe.trainer === 'slime'
      if (!sao || recipeBatch(recipe)?.size !== 1) return
      yield { at: at(recipe, 'recipe.config.batch-size') }
    }
  },
  {
    id: 'batch/omitted',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'batch-size is omitted; {family} takes {size} in this generation',
      zh: '未写 batch-size；这一代的 {family} 取 {size}'
    },
    explanation: {
      en: 'The default differs between generations (SAO: 1 before, 128 in the newest). Write the number so that an update of the checkout does not change the run.',
      zh: '默认值随代际变化（SAO 以前为 1，最新为 128）。请写明数值，避免更新代码后改变训练。'
    },
    source: 'recipes/sao/recipe.py',
    *check(recipe) {
      const batch = recipeBatch(recipe)
      if (batch?.omitted !== true || recipe.family === null || recipe.family.shape === 'grid')
        return
      if (recipe.trainer !== 'slime') return
      const title = { en: `Write ${batch.size}`, zh: `写明 ${batch.size}` }
      const fix = recipe.versioned
        ? fixOf(title, setField(recipe, 'recipe.config.batch-size', String(batch.size)))
        : undefined
      yield {
        at: at(recipe, 'recipe.implementation'),
        args: { family: recipe.family.label, size: batch.size },
        fix
      }
    }
  },
  {
    id: 'batch/grid-minimum',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'groups-per-step must be positive and rollouts-per-group at least two',
      zh: 'groups-per-step 须为正，rollouts-per-group 至少为 2'
    },
    explanation: {
      en: 'A group is compared with itself, so it needs two rollouts or more.',
      zh: '组内相互比较，因此每组至少需要两个 rollout。'
    },
    source: TTTD,
    *check(recipe) {
      if (recipe.family?.shape !== 'grid') return
      const groups = recipe.number('recipe.config.groups-per-step')
      const rollouts = recipe.number('recipe.config.rollouts-per-group')
      if (groups !== undefined && groups <= 0)
        yield { at: at(recipe, 'recipe.config.groups-per-step') }
      if (rollouts !== undefined && rollouts < 2)
        yield { at: at(recipe, 'recipe.config.rollouts-per-group') }
    }
  },
  {
    id: 'batch/grid-flags',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: '{path} is {value}; the grid wants {wanted}',
      zh: '{path} 为 {value}，网格需要 {wanted}'
    },
    explanation: {
      en: 'rollout-batch-size is the number of groups and n-samples-per-prompt the rollouts of a group.',
      zh: 'rollout-batch-size 为组数，n-samples-per-prompt 为每组的 rollout 数。'
    },
    source: 'recipes/tttd/examples/tttd/serve.yaml',
    *check(recipe) {
      if (recipe.family?.shape !== 'grid' || recipe.trainer !== 'slime') return
      const sides = gridSides(recipe)
      if (sides === undefined) return
      yield* mustBe(recipe, 'rollout-batch-size', sides.groups)
      yield* mustBe(recipe, 'n-samples-per-prompt', sides.rollouts)
    }
  },
  {
    id: 'batch/grid-of-agent',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: "the agent's own grid must equal {groups} × {rollouts}",
      zh: '智能体一侧的网格必须等于 {groups} × {rollouts}'
    },
    explanation: {
      en: 'The client that makes the traffic is configured outside the recipe (GROUPS_PER_STEP and ROLLOUTS_PER_GROUP). Another grid is refused report by report; no file can tell.',
      zh: '产生流量的客户端在 recipe 之外配置（GROUPS_PER_STEP 与 ROLLOUTS_PER_GROUP）。网格不同时反馈会被逐条拒绝，仅凭文件无法判断。'
    },
    source: 'recipes/tttd/README.md',
    *check(recipe) {
      if (recipe.family?.id !== 'tttd' || recipe.trainer !== 'slime') return
      const sides = gridSides(recipe)
      if (sides !== undefined)
        yield { at: at(recipe, 'recipe.config.groups-per-step'), args: sides }
    }
  },
  {
    id: 'batch/groups',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'batch {batch} is no multiple of n-samples-per-prompt {samples}; groups would mix',
      zh: 'batch {batch} 不是 n-samples-per-prompt {samples} 的整数倍，组会混在一起'
    },
    explanation: {
      en: 'Grouped baselines need whole groups in each batch.',
      zh: '以组为基线时，每个 batch 必须由完整的组构成。'
    },
    source: 'recipes/sao/slime/__init__.py',
    *check(recipe) {
      if (recipe.family?.shape !== 'groups') return
      const batch = recipeBatch(recipe)?.size
      const samples =
        recipe.family.id === 'coral' ? undefined : recipe.flagNumber('n-samples-per-prompt')
      if (batch === undefined || samples === undefined || samples <= 0 || batch % samples === 0)
        return
      yield { at: at(recipe, 'recipe.config.batch-size'), args: { batch, samples } }
    }
  },
  {
    id: 'batch/single-sample-group',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'one sample per prompt: the group mean is the sample itself, so every advantage is 0',
      zh: '每个提示只有一个样本：组均值就是它自己，优势恒为 0'
    },
    explanation: {
      en: 'Where the baseline is the mean of the group, a group of one learns nothing and reports no error. Families with another baseline (SAO, OpenClaw-RL, SFT, SDFT, OPD) rightly say 1.',
      zh: '当基线为组均值时，只有一个样本的组学不到任何东西，也不会报错。使用其他基线的方法（SAO、OpenClaw-RL、SFT、SDFT、OPD）写 1 是正确的。'
    },
    source: SLIME,
    *check(recipe) {
      if (recipe.trainer !== 'slime' || recipe.flag('disable-rewards-normalization') !== undefined)
        return
      const estimator = recipe.flagText('advantage-estimator') ?? 'grpo'
      const meanBaseline = ['grpo', 'gspo', 'cispo', 'reinforce_plus_plus_baseline'].includes(
        estimator
      )
      const plain = recipe.family === null && recipe.flagText('loss-type') === 'policy_loss'
      if (!meanBaseline || !(recipe.family?.id === 'sao-grpo-dis' || plain)) return
      if (recipe.flagNumber('n-samples-per-prompt') === 1)
        yield { at: atFlag(recipe, 'n-samples-per-prompt') }
    }
  },
  {
    id: 'batch/coral-grid',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'rollout-batch-size {groups} × group-size {size} is {product}, not the global batch {global}',
      zh: 'rollout-batch-size {groups} × group-size {size} = {product}，不等于全局 batch {global}'
    },
    explanation: {
      en: 'CORAL fills a batch with whole groups of attempts.',
      zh: 'CORAL 以完整的尝试组填满 batch。'
    },
    source: 'recipes/beta/coral/examples/coral_demo/serve.yaml',
    *check(recipe) {
      if (recipe.family?.id !== 'coral') return
      const size =
        recipe.given('recipe.config.group-size') === undefined
          ? 2
          : recipe.number('recipe.config.group-size')
      const groups = recipe.flagNumber('rollout-batch-size')
      const global = recipe.flagNumber('global-batch-size')
      if (
        size === undefined ||
        groups === undefined ||
        global === undefined ||
        size * groups === global
      )
        return
      yield {
        at: atFlag(recipe, 'global-batch-size'),
        args: { groups, size, product: size * groups, global }
      }
    }
  },
  {
    id: 'batch/slime-formula',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'global-batch-size {global} is not rollout-batch-size {rollouts} × n-samples-per-prompt {samples} ÷ num-steps-per-rollout {steps}',
      zh: 'global-batch-size {global} 不等于 rollout-batch-size {rollouts} × n-samples-per-prompt {samples} ÷ num-steps-per-rollout {steps}'
    },
    explanation: {
      en: 'Slime compares the four when both global-batch-size and num-steps-per-rollout are given, and exits.',
      zh: '同时给出 global-batch-size 与 num-steps-per-rollout 时，Slime 会核对这四个数，不符即退出。'
    },
    source: SLIME,
    *check(recipe) {
      if (recipe.trainer !== 'slime') return
      const global = recipe.flagNumber('global-batch-size')
      const steps = recipe.flagNumber('num-steps-per-rollout')
      const rollouts = recipe.flagNumber('rollout-batch-size')
      const samples = flagOr(recipe, 'n-samples-per-prompt', 1)
      if (
        global === undefined ||
        steps === undefined ||
        rollouts === undefined ||
        samples === undefined ||
        steps <= 0
      )
        return
      const wanted = Math.floor((rollouts * samples) / steps)
      if (wanted === global) return
      const fit = (rollouts * samples) / global
      const title = {
        en: `Set num-steps-per-rollout to ${fit}`,
        zh: `将 num-steps-per-rollout 改为 ${fit}`
      }
      yield {
        at: atFlag(recipe, 'global-batch-size'),
        args: { global, rollouts, samples, steps },
        fix: Number.isInteger(fit)
          ? fixOf(title, setFlag(recipe, 'num-steps-per-rollout', String(fit)))
          : undefined
      }
    }
  },
  {
    id: 'batch/steps-remainder',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: '{samples} samples do not divide into {steps} steps; {lost} are lost each rollout',
      zh: '{samples} 个样本无法平分为 {steps} 步，每个 rollout 丢弃 {lost} 个'
    },
    explanation: {
      en: 'With only num-steps-per-rollout given, the batch is rounded down.',
      zh: '仅给出 num-steps-per-rollout 时，batch 会向下取整。'
    },
    source: SLIME,
    *check(recipe) {
      if (recipe.trainer !== 'slime' || recipe.flag('global-batch-size') !== undefined) return
      const steps = recipe.flagNumber('num-steps-per-rollout')
      const rollouts = recipe.flagNumber('rollout-batch-size')
      const each = flagOr(recipe, 'n-samples-per-prompt', 1)
      if (steps === undefined || steps <= 0 || rollouts === undefined || each === undefined) return
      const samples = rollouts * each
      const lost = samples % steps
      if (lost !== 0)
        yield { at: atFlag(recipe, 'num-steps-per-rollout'), args: { samples, steps, lost } }
    }
  },
  {
    id: 'batch/silent-fallback',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'neither global-batch-size nor num-steps-per-rollout: the global batch falls back to {size}',
      zh: '未给出 global-batch-size 与 num-steps-per-rollout：全局 batch 退化为 {size}'
    },
    explanation: {
      en: 'Megatron then takes micro-batch-size × data-parallel size, which makes many tiny steps of one rollout.',
      zh: 'Megatron 会取 micro-batch-size × 数据并行数，使一个 rollout 被切成许多很小的步。'
    },
    source: 'megatron/training/arguments.py',
    *check(recipe) {
      if (recipe.trainer !== 'slime' || recipe.flag('rollout-batch-size') === undefined) return
      if (
        recipe.flag('global-batch-size') !== undefined ||
        recipe.flag('num-steps-per-rollout') !== undefined
      )
        return
      const parallel = layoutOf(recipe).dataParallel
      const micro = flagOr(recipe, 'micro-batch-size', 1)
      const size = parallel === undefined || micro === undefined ? 'micro × DP' : parallel * micro
      const batch = recipeBatch(recipe)
      const title = {
        en: `Set global-batch-size to ${batch?.size ?? ''}`,
        zh: `将 global-batch-size 设为 ${batch?.size ?? ''}`
      }
      const fix =
        batch === undefined
          ? undefined
          : fixOf(title, setFlag(recipe, 'global-batch-size', String(batch.size)))
      yield { at: atFlag(recipe, 'rollout-batch-size'), args: { size }, fix }
    }
  },
  {
    id: 'batch/rollout-required',
    severity: 'error',
    dialects: REEF,
    message: { en: 'rollout-batch-size is required', zh: '必须给出 rollout-batch-size' },
    explanation: {
      en: 'The trainer has no default for it and exits with a usage message.',
      zh: '训练进程没有默认值，会打印用法并退出。'
    },
    source: SLIME,
    *check(recipe) {
      if (recipe.trainer !== 'slime' || recipe.flag('rollout-batch-size') !== undefined) return
      const batch = recipeBatch(recipe)
      const title = { en: `Set to ${batch?.size ?? ''}`, zh: `设为 ${batch?.size ?? ''}` }
      const grid = recipe.family?.shape === 'grid' ? gridSides(recipe)?.groups : batch?.size
      const fix =
        grid === undefined
          ? undefined
          : fixOf(title, setFlag(recipe, 'rollout-batch-size', String(grid)))
      yield { at: { path: 'training.options.rollout-batch-size' }, fix }
    }
  },
  {
    id: 'batch/micro-divides',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'global batch {global} is no multiple of micro-batch-size {micro} × data-parallel size {parallel}',
      zh: '全局 batch {global} 不是 micro-batch-size {micro} × 数据并行数 {parallel} 的整数倍'
    },
    explanation: {
      en: 'Without dynamic batches every rank takes the same number of micro batches. Data-parallel size = trainer GPUs ÷ (tensor × pipeline × context).',
      zh: '不使用动态 batch 时，每个 rank 的 micro batch 数相同。数据并行数 = 训练 GPU ÷（张量 × 流水 × 上下文并行）。'
    },
    source: 'megatron/core/num_microbatches_calculator.py',
    *check(recipe) {
      if (recipe.trainer !== 'slime' || recipe.flag('use-dynamic-batch-size') !== undefined) return
      const parallel = layoutOf(recipe).dataParallel
      const micro = flagOr(recipe, 'micro-batch-size', 1)
      const global = recipe.flagNumber('global-batch-size')
      if (parallel === undefined || micro === undefined || global === undefined || micro <= 0)
        return
      if (global % (micro * parallel) !== 0)
        yield { at: atFlag(recipe, 'global-batch-size'), args: { global, micro, parallel } }
    }
  },
  {
    id: 'batch/num-rollout',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'the Reef bridge requires a positive num-rollout',
      zh: 'Reef 要求 num-rollout 为正'
    },
    explanation: {
      en: 'It is the last rollout of the run. A stream that never ends uses 100000000; a fixed search uses its number of steps.',
      zh: '它是训练的最后一个 rollout 编号。持续不断的流用 100000000，固定搜索用其步数。'
    },
    source: PREFLIGHT,
    *check(recipe) {
      if (recipe.trainer !== 'slime') return
      const value = recipe.flag('num-rollout')
      if (value !== undefined && value.missing.length > 0) return
      const count = value === undefined ? undefined : numberOf(value.text)
      if (count !== undefined && count > 0) return
      const fix =
        value === undefined
          ? fixOf(
              { en: 'Set to 100000000', zh: '设为 100000000' },
              setFlag(recipe, 'num-rollout', '100000000')
            )
          : undefined
      yield { at: atFlag(recipe, 'num-rollout'), fix }
    }
  },
  {
    id: 'batch/run-ends',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'num-rollout {count}: after {count} training jobs the run ends',
      zh: 'num-rollout 为 {count}：完成 {count} 个训练任务后运行结束'
    },
    explanation: {
      en: 'num-rollout is an absolute end: a run resumed at or beyond it trains nothing and exits with success.',
      zh: 'num-rollout 是绝对的终点：从该处或之后恢复的运行不会训练，并以成功退出。'
    },
    source: 'docs/user-guide/recipes/tttd.rst',
    *check(recipe) {
      const count = recipe.trainer === 'slime' ? recipe.flagNumber('num-rollout') : undefined
      if (count !== undefined && count > 0 && count <= 10_000)
        yield { at: atFlag(recipe, 'num-rollout'), args: { count } }
    }
  }
]

function* batchAgreement(recipe: ReefRecipe): Generator<Hit> {
  const batch = recipeBatch(recipe)
  if (
    batch === undefined ||
    recipe.trainer !== 'slime' ||
    (recipe.family?.shape === 'groups' && recipe.family.id === 'coral')
  )
    return
  const grid = recipe.family?.shape === 'grid'
  const parties: (Value | undefined)[] = [
    recipe.value('training.config.global_batch_size'),
    recipe.flag('global-batch-size')
  ]
  if (!grid && recipe.family?.shape === 'stream') parties.push(recipe.flag('rollout-batch-size'))
  const wrong: Value[] = []
  for (const party of parties) {
    const size = party === undefined ? undefined : numberOf(party.text)
    if (party !== undefined && size !== undefined && size !== batch.size) wrong.push(party)
  }
  if (wrong.length === 0) return
  const fix = agreementFix(recipe, batch.size, wrong)
  for (const party of wrong) {
    yield {
      at: atValue(party),
      args: { path: party.path, value: party.text, batch: batch.size },
      fix
    }
  }
  const home = recipe.value(batch.paths[0] ?? '')
  if (home !== undefined) {
    const first = wrong[0]
    const args = {
      path: home.path,
      value: home.text,
      batch: first === undefined ? '' : `${first.path} = ${first.text}`
    }
    yield { at: atValue(home), args, fix: grid ? fix : (adoptFix(recipe, home, wrong) ?? fix) }
  }
}

function agreementFix(recipe: ReefRecipe, size: number, wrong: readonly Value[]): Fix | undefined {
  const title = { en: `Set all to ${size}`, zh: `全部设为 ${size}` }
  return fixOf(title, ...wrong.map((value) => setValue(recipe, value, String(size))))
}

/** From the recipe's own line the other way round is as likely meant: take the batch the trainer was given. */
function adoptFix(recipe: ReefRecipe, home: Value, wrong: readonly Value[]): Fix | undefined {
  const sizes = new Set(wrong.map((value) => value.text))
  const only = wrong[0]?.text
  if (sizes.size !== 1 || only === undefined) return undefined
  const others = wrong.map((value) => setValue(recipe, value, only))
  return fixOf(
    { en: `Set to ${only}`, zh: `改为 ${only}` },
    setValue(recipe, home, only),
    ...others
  )
}

function* mustBe(recipe: ReefRecipe, flag: string, wanted: number): Generator<Hit> {
  const value = recipe.flag(flag)
  const number = recipe.flagNumber(flag)
  if (value === undefined || number === undefined || number === wanted) return
  const title = { en: `Set to ${wanted}`, zh: `改为 ${wanted}` }
  yield {
    at: atValue(value),
    args: { path: value.path, value: number, wanted },
    fix: fixOf(title, setValue(recipe, value, String(wanted)))
  }
}
