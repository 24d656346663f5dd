import { editDistance } from '../../lib'
import { gridSides, recipeBatch } from '../arithmetic'
import { numberOf } from '../py-scalar'
import { lastPart, type ReefRecipe } from '../reef-recipe'
import { V2, type Hit, type Rule } from '../rule'
import { atKey, atValue, type Value } from '../value'
import { at, atFlag, decided } from './place'

const SOURCE = 'docs/practice-stack.md'

type Option =
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'number'; whole: boolean; least?: number; above?: number; most?: number; word?: string }
  | { kind: 'any' }

const choice = (...choices: string[]): Option => ({ kind: 'choice', choices })
const whole = (least?: number, most?: number): Option => ({
  kind: 'number',
  whole: true,
  ...(least === undefined ? {} : { least }),
  ...(most === undefined ? {} : { most })
})
const any: Option = { kind: 'any' }
const least = (bound: number): Option => ({ kind: 'number', whole: false, least: bound })
const above = (bound: number): Option => ({ kind: 'number', whole: false, above: bound })

/** What the practice stack takes below `training.options`; it refuses any other name. */
const OPTIONS: Readonly<Record<string, Option>> = {
  seed: whole(),
  task: choice('modular', 'letters', 'labs'),
  scenarios: any,
  lr: least(0),
  'critic-lr': least(0),
  'lora-rank': whole(1, 64),
  'lora-alpha': above(0),
  'eps-clip': least(0),
  'eps-clip-high': least(0),
  'entropy-coef': { kind: 'number', whole: false },
  'kl-coef': least(0),
  'clip-grad': above(0),
  'critic-steps-per-actor': whole(1),
  'num-critic-only-steps': whole(0),
  'global-batch-size': whole(1),
  'rollout-batch-size': whole(),
  'n-samples-per-prompt': whole(1),
  'num-rollout': whole(1),
  'save-hf': any,
  save: any,
  load: any,
  speed: { kind: 'number', whole: false, above: 0, word: 'max' },
  traffic: choice('on', 'off'),
  rewards: choice('true', 'shuffled'),
  rollback: choice('api', 'redeploy'),
  generation: choice('A', 'B', 'C'),
  evaluation: choice('on', 'off'),
  publish: choice('auto', 'manual'),
  recovery: choice('auto', 'refuse'),
  'nan-step': whole(1),
  'check-for-nan': any,
  'crash-at': any,
  'loss-type': any,
  'use-rollout-logprobs': any,
  'use-critic': any,
  'advantage-estimator': any,
  'rollout-max-response-len': any,
  'rollout-max-context-len': any,
  optimizer: any,
  'actor-num-nodes': any,
  'actor-num-gpus-per-node': any,
  'num-gpus-per-node': any,
  'hf-checkpoint': any,
  'ref-load': any
}

const IMPLEMENTATIONS = ['recipes.sao.recipe:SAORecipe', 'recipes.tttd.recipe:TTTDRecipe']

function practiceRule(rule: Omit<Rule<ReefRecipe>, 'dialects' | 'source'>): Rule<ReefRecipe> {
  const { check, ...info } = rule
  return {
    ...info,
    dialects: V2,
    source: SOURCE,
    check: (recipe) => (recipe.practice ? check(recipe) : null)
  }
}

/** What the practice stack refuses, and what would teach a wrong habit for the real one. */
export const practiceRules: readonly Rule<ReefRecipe>[] = [
  practiceRule({
    id: 'practice/option',
    severity: 'error',
    message: {
      en: 'the practice stack has no option {name}{meant}',
      zh: '练习栈没有选项 {name}{meantZh}'
    },
    explanation: {
      en: 'It knows its own options and some names of the real trainer, and refuses any other one.',
      zh: '它只认识自己的选项以及真实训练端的部分名称，其余一律拒绝。'
    },
    *check(recipe) {
      for (const option of recipe.children('training.options')) {
        const name = optionName(option)
        if (OPTIONS[name] !== undefined) continue
        const near = Object.keys(OPTIONS).find((known) => editDistance(name, known, 2) <= 2)
        const meant = near === undefined ? '' : `; did you mean ${near}?`
        const meantZh = near === undefined ? '' : `；是否指 ${near}？`
        yield {
          at: atKey(option),
          args: { name, meant, meantZh }
        }
      }
    }
  }),
  practiceRule({
    id: 'practice/value',
    severity: 'error',
    message: {
      en: '{name} must be {wanted}, got {value}',
      zh: '{name} 必须{wantedZh}，实际为 {value}'
    },
    explanation: {
      en: 'The practice stack checks its options as strictly as the real launcher does.',
      zh: '练习栈对选项的检查与真实启动器同样严格。'
    },
    *check(recipe) {
      for (const option of recipe.children('training.options')) {
        const known = OPTIONS[optionName(option)]
        if (known === undefined || option.kind === 'null' || !decided(option)) continue
        const wrong = mismatch(known, option)
        if (wrong !== null)
          yield {
            at: atValue(option),
            args: { name: optionName(option), value: option.text, ...wrong }
          }
      }
    }
  }),
  practiceRule({
    id: 'practice/batch',
    severity: 'error',
    message: {
      en: 'the batch {batch} is no multiple of global-batch-size {global}',
      zh: 'batch {batch} 不是 global-batch-size {global} 的整数倍'
    },
    explanation: {
      en: 'The driver takes whole optimizer steps only: the first job fails, as it does under Slime. Equal numbers are right.',
      zh: '训练驱动只做完整的优化步：第一个任务就会失败，与 Slime 相同。两者相等即可。'
    },
    *check(recipe) {
      const global = recipe.flagNumber('global-batch-size')
      const sides = recipe.family?.shape === 'grid' ? gridSides(recipe) : undefined
      const batch = sides === undefined ? recipeBatch(recipe)?.size : sides.groups * sides.rollouts
      if (global === undefined || batch === undefined || global <= 0 || batch <= 0) return
      if (batch % global !== 0)
        yield { at: atFlag(recipe, 'global-batch-size'), args: { batch, global } }
    }
  }),
  practiceRule({
    id: 'practice/loss',
    severity: 'warning',
    message: {
      en: 'loss-type {value} changes nothing here; {family} trains with {wanted}',
      zh: 'loss-type {value} 在此不起作用；{family} 使用 {wanted}'
    },
    explanation: {
      en: 'The practice stack takes the loss of the family, whatever is written. Slime would refuse this recipe.',
      zh: '无论写什么，练习栈都使用该方法自身的 loss；而 Slime 会拒绝这样的 recipe。'
    },
    *check(recipe) {
      const value = recipe.flag('loss-type')
      const wanted = recipe.family?.lossType
      if (!decided(value) || wanted === null || wanted === undefined || value.text === wanted)
        return
      const family = recipe.family?.label ?? ''
      yield { at: atValue(value), args: { value: value.text, wanted, family } }
    }
  }),
  practiceRule({
    id: 'practice/recipe',
    severity: 'error',
    message: {
      en: 'the practice stack has SAO and TTT-Discover only, not {name}',
      zh: '练习栈只有 SAO 与 TTT-Discover，没有 {name}'
    },
    explanation: {
      en: `Name one of ${IMPLEMENTATIONS.join(', ')}.`,
      zh: `请使用 ${IMPLEMENTATIONS.join(' 或 ')}。`
    },
    *check(recipe) {
      const value = recipe.value('recipe.implementation')
      if (decided(value) && !IMPLEMENTATIONS.includes(value.text))
        yield { at: atValue(value), args: { name: value.text === '' ? 'null' : value.text } }
    }
  }),
  practiceRule({
    id: 'practice/cadence',
    severity: 'error',
    message: {
      en: 'the practice stack saves every version: checkpoint-every-n-versions must be 1',
      zh: '练习栈会保存每个版本：checkpoint-every-n-versions 必须为 1'
    },
    explanation: {
      en: 'It refuses any other number instead of ignoring it.',
      zh: '其他数值会被拒绝而不是忽略。'
    },
    *check(recipe) {
      const every = recipe.number('recipe.config.checkpoint-every-n-versions')
      if (every !== undefined && every !== 1)
        yield { at: at(recipe, 'recipe.config.checkpoint-every-n-versions') }
    }
  })
]

function optionName(option: Value): string {
  return lastPart(option.path).replaceAll('_', '-')
}

/** What the option wants instead, in both languages; null when it is right. */
function mismatch(option: Option, value: Value): Hit['args'] | null {
  switch (option.kind) {
    case 'any':
      return null
    case 'choice': {
      // YAML 1.1 reads a bare on as true; the practice stack takes either.
      const fits = option.choices.includes(value.text) || value.kind === 'bool'
      const list = option.choices.join(', ')
      return fits ? null : { wanted: `one of ${list}`, wantedZh: `是 ${list} 之一` }
    }
    case 'number': {
      if (option.word === value.text) return null
      const number =
        value.kind === 'list' || value.kind === 'map' ? undefined : numberOf(value.text)
      const kind = option.whole ? 'a whole number' : 'a number'
      const kindZh = option.whole ? '是整数' : '是数字'
      const bounds = [
        option.least === undefined ? '' : ` ≥ ${option.least}`,
        option.above === undefined ? '' : ` > ${option.above}`,
        option.most === undefined ? '' : ` ≤ ${option.most}`
      ].join('')
      const fits =
        number !== undefined &&
        (!option.whole || Number.isInteger(number)) &&
        number >= (option.least ?? -Infinity) &&
        number > (option.above ?? -Infinity) &&
        number <= (option.most ?? Infinity)
      if (fits) return null
      const or = option.word === undefined ? '' : ` or ${option.word}`
      const orZh = option.word === undefined ? '' : `或 ${option.word}`
      return { wanted: kind + bounds + or, wantedZh: kindZh + bounds + orZh }
    }
  }
}
