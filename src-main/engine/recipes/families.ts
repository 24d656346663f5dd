import type { Generation } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import type { FieldType } from './fields'

/** How a recipe class learns. Figures from the recipes' own pages (docs/user-guide/recipes/*.rst, recipes/*). */
export interface Family {
  id: string
  /** Parts of `recipe.implementation` that name the class. */
  classes: readonly string[]
  label: string
  trains: 'weights' | 'lora' | 'harness' | 'nothing'
  lossType: 'policy_loss' | 'custom_loss' | 'sft_loss' | null
  rolloutLogprobs: boolean
  /** What Slime's own advantage pass must be. */
  advantages: 'disabled' | 'kept' | 'any'
  shape: 'stream' | 'grid' | 'groups' | 'none'
  batch: Readonly<Record<Generation, number>> | null
  /** Declared fields of `recipe.config`; null: not known completely, so none is called unknown. */
  fields: readonly string[] | null
  required: readonly string[]
  signal: Text
}

const one = { A: 1, B: 1, C: 1 }
const common = ['checkpoint-every-n-versions', 'max-staleness'] as const

export const FAMILIES: readonly Family[] = [
  {
    id: 'sao',
    classes: ['sao.recipe:SAORecipe', '=sao'],
    label: 'SAO',
    trains: 'weights',
    lossType: 'policy_loss',
    rolloutLogprobs: true,
    advantages: 'any',
    shape: 'stream',
    batch: { A: 1, B: 1, C: 128 },
    fields: ['batch-size', ...common],
    required: [],
    signal: {
      en: 'one score for each single rollout, with a value model as baseline',
      zh: '每个单独 rollout 的一个得分，以价值模型为基线'
    }
  },
  {
    id: 'sao-grpo-dis',
    classes: ['SAOGrpoControlRecipe', '=sao-grpo-dis'],
    label: 'SAO control (GRPO)',
    trains: 'weights',
    lossType: 'policy_loss',
    rolloutLogprobs: true,
    advantages: 'any',
    shape: 'groups',
    batch: { A: 1, B: 1, C: 128 },
    fields: ['batch-size', ...common],
    required: [],
    signal: {
      en: 'scores of several rollouts of one prompt; their mean is the baseline',
      zh: '同一提示的多个 rollout 得分，以组内均值为基线'
    }
  },
  {
    id: 'tttd',
    classes: ['tttd.recipe:TTTDRecipe', '=tttd'],
    label: 'TTT-Discover',
    trains: 'lora',
    lossType: 'custom_loss',
    rolloutLogprobs: true,
    advantages: 'kept',
    shape: 'grid',
    batch: null,
    fields: ['groups-per-step', 'rollouts-per-group', ...common],
    required: [],
    signal: {
      en: 'a score and a place in a grid of groups × rollouts on one problem',
      zh: '单一问题上“组 × rollout”网格中的得分与位置'
    }
  },
  {
    id: 'coral',
    classes: ['coral.recipe:CoralRecipe'],
    label: 'CORAL',
    trains: 'lora',
    lossType: 'custom_loss',
    rolloutLogprobs: true,
    advantages: 'kept',
    shape: 'groups',
    batch: null,
    fields: null,
    required: [],
    signal: {
      en: 'grader scores of groups of attempts by several agents',
      zh: '多个智能体成组尝试的评分'
    }
  },
  {
    id: 'openclawrl',
    classes: ['openclawrl.recipe:OpenClawRLRecipe'],
    label: 'OpenClaw-RL',
    trains: 'weights',
    lossType: 'custom_loss',
    rolloutLogprobs: false,
    advantages: 'any',
    shape: 'stream',
    batch: { A: 16, B: 16, C: 16 },
    fields: [
      'batch-size',
      'session-ttl-s',
      'prm-url',
      'prm-tokenizer-path',
      'prm-m',
      'prm-temperature',
      'prm-max-tokens',
      'prm-timeout-s',
      'prm-concurrency',
      'prm-max-hint-candidates',
      'prm-record-file',
      ...common
    ],
    required: [],
    signal: {
      en: 'a judge model that reads the next state of the conversation; no reports',
      zh: '评判模型读取对话的下一状态打分，无需反馈'
    }
  },
  {
    id: 'sdft',
    classes: ['recipes.sdft', '=sdft'],
    label: 'SDFT',
    trains: 'weights',
    lossType: 'custom_loss',
    rolloutLogprobs: true,
    advantages: 'disabled',
    shape: 'stream',
    batch: one,
    fields: ['batch-size', 'tokenizer-path', 'max-teacher-tokens', 'context-template', ...common],
    required: ['tokenizer-path'],
    signal: {
      en: 'demonstrations sent as metadata.teacher_context',
      zh: '随 metadata.teacher_context 送来的示范'
    }
  },
  {
    id: 'sdpo',
    classes: ['recipes.sdpo', '=sdpo'],
    label: 'SDPO',
    trains: 'weights',
    lossType: 'custom_loss',
    rolloutLogprobs: true,
    advantages: 'disabled',
    shape: 'grid',
    batch: null,
    fields: [
      'groups-per-step',
      'rollouts-per-group',
      'tokenizer-path',
      'max-teacher-tokens',
      'max-teacher-prompt-tokens',
      'success-reward-threshold',
      ...common
    ],
    required: ['tokenizer-path'],
    signal: { en: 'scores of a grid of attempts for each question', zh: '每道题一组网格尝试的得分' }
  },
  {
    id: 'opd',
    classes: ['opd.recipe:OPDRecipe', '=opd'],
    label: 'On-policy distillation',
    trains: 'weights',
    lossType: 'custom_loss',
    rolloutLogprobs: true,
    advantages: 'disabled',
    shape: 'stream',
    batch: one,
    fields: ['batch-size', 'max-teacher-tokens', 'accept-multi-turn-policy-samples', ...common],
    required: [],
    signal: {
      en: "what a frozen teacher would have said to the student's own samples",
      zh: '冻结的 teacher 对 student 自身样本的判断'
    }
  },
  {
    id: 'sft',
    classes: ['recipes.sft', '=sft'],
    label: 'SFT',
    trains: 'weights',
    lossType: 'sft_loss',
    rolloutLogprobs: false,
    advantages: 'disabled',
    shape: 'stream',
    batch: one,
    fields: ['batch-size', 'tokenizer-path', ...common],
    required: ['tokenizer-path'],
    signal: { en: 'demonstrations sent as metadata.context', zh: '随 metadata.context 送来的示范' }
  },
  harness(
    'harness_evolve',
    ['cordis:CordisRecipe', 'cordis_backend'],
    'Harness evolution',
    'scored reports of agent traffic',
    '智能体流量的评分反馈'
  ),
  harness(
    'reefine',
    ['reefine:ReefineRecipe', '=reefine'],
    'Reefine',
    'requests in plain words',
    '自然语言的改进请求'
  ),
  harness(
    'skillclaw',
    ['recipes.skillclaw', '=skillclaw'],
    'SkillClaw',
    'traffic, judged nightly',
    '每晚评估的流量'
  ),
  harness(
    'meta_harness',
    ['recipes.meta_harness'],
    'Meta-Harness',
    'scores of a terminal benchmark',
    '终端基准的得分'
  ),
  harness(
    'gepa',
    ['gepa.recipe:GEPARecipe', '=gepa'],
    'GEPA',
    'scores of a stream of tasks',
    '任务流的得分'
  ),
  {
    ...harness(
      'basic',
      ['=recipe'],
      'Records only',
      'nothing: traffic is only recorded',
      '无：只记录流量'
    ),
    trains: 'nothing'
  }
]

function harness(
  id: string,
  classes: readonly string[],
  label: string,
  en: string,
  zh: string
): Family {
  return {
    id,
    classes,
    label,
    trains: 'harness',
    lossType: null,
    rolloutLogprobs: false,
    advantages: 'any',
    shape: 'none',
    batch: null,
    fields: null,
    required: [],
    signal: { en, zh }
  }
}

/** The family a `recipe.implementation` belongs to; null for a class we do not know. */
export function familyOf(implementation: string): Family | null {
  const name = implementation.trim()
  for (const family of FAMILIES) {
    const hit = family.classes.some((part) =>
      part.startsWith('=') ? name === part.slice(1) : name.includes(part)
    )
    if (hit) return family
  }
  return null
}

export function familyById(id: string): Family | undefined {
  return FAMILIES.find((family) => family.id === id)
}

const FIELD_TYPES: Readonly<Record<string, FieldType>> = {
  'batch-size': 'int',
  'max-staleness': 'int',
  'checkpoint-every-n-versions': 'int',
  'groups-per-step': 'int',
  'rollouts-per-group': 'int',
  'max-teacher-tokens': 'int',
  'max-teacher-prompt-tokens': 'int',
  'prm-m': 'int',
  'prm-max-tokens': 'int',
  'prm-concurrency': 'int',
  'prm-max-hint-candidates': 'int',
  'session-ttl-s': 'float',
  'prm-temperature': 'float',
  'prm-timeout-s': 'float',
  'success-reward-threshold': 'float',
  'accept-multi-turn-policy-samples': 'bool'
}

/** The type of a declared field of `recipe.config`, dashed: the same whichever family declares it. */
export function recipeFieldType(name: string): FieldType {
  return FIELD_TYPES[name] ?? 'text'
}

/** Defaults of `recipe.config` fields that do not depend on the generation. */
export const RECIPE_DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sao: { 'max-staleness': '0' },
  tttd: { 'groups-per-step': '8', 'rollouts-per-group': '64', 'max-staleness': '0' },
  openclawrl: {
    'session-ttl-s': '900',
    'prm-m': '3',
    'prm-temperature': '0.6',
    'prm-max-tokens': '8192',
    'prm-timeout-s': '120',
    'prm-concurrency': '8',
    'prm-max-hint-candidates': '3'
  },
  sdft: { 'max-teacher-tokens': '0' },
  sdpo: {
    'groups-per-step': '32',
    'rollouts-per-group': '8',
    'max-teacher-tokens': '18432',
    'max-teacher-prompt-tokens': '10240',
    'success-reward-threshold': '0.5'
  },
  opd: { 'max-teacher-tokens': '0', 'accept-multi-turn-policy-samples': 'false' }
}
