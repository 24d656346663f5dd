import type { Text } from '../../contract/text'

const WORDS = {
  made: { en: 'Made by Slipway', zh: '由 Slipway 生成' },
  baseline: { en: 'baseline', zh: '基线' },
  numbers: { en: 'Numbers', zh: '数值' },
  numbersNote: {
    en: 'Mean over the releases up to each, of a run without releases over its newest values; under it the difference from the baseline with its 95 % interval.',
    zh: '截至各版本的若干版本均值，没有版本的运行取其最新数值的均值；下方为与基线之差及其 95 % 区间。'
  },
  curves: { en: 'Curves', zh: '曲线' },
  curvesNote: {
    en: 'Each side along the releases it came through; samples faint, their course over them.',
    zh: '各方沿其经过的版本；淡色为样本，深色为走势。'
  },
  'by-step': { en: 'optimizer steps', zh: '优化器步数' },
  'by-tokens': { en: 'tokens trained on', zh: '训练 token 数' },
  'by-time': { en: 'seconds of training', zh: '训练秒数' },
  'by-fork': { en: 'optimizer steps from the fork', zh: '自分叉起的优化器步数' },
  metric: { en: 'Metric', zh: '指标' },
  results: { en: 'Results', zh: '评测结果' },
  task: { en: 'Task', zh: '任务' },
  settings: { en: 'Settings that differ by meaning', zh: '含义不同的配置' },
  setting: { en: 'Setting', zh: '配置项' },
  follows: { en: '(follows)', zh: '（随之变化）' },
  equal: { en: 'The settings mean the same.', zh: '配置含义相同。' },
  weights: { en: 'Weights against the baseline', zh: '相对基线的权重' },
  infinite: { en: 'infinite', zh: '无穷大' },
  relative: { en: 'relative change', zh: '相对变化' },
  cosine: { en: 'cosine', zh: '余弦' },
  changed: { en: 'changed', zh: '变化的元素' },
  tensors: { en: 'tensors', zh: '个张量' },
  moved: { en: 'What moved most', zh: '变化最大' },
  files: { en: 'Files that differ', zh: '有差异的文件' },
  behaviour: { en: 'Behaviour', zh: '行为' },
  prompt: { en: 'Prompt', zh: 'Prompt' },
  verdict: { en: 'Better', zh: '更好' },
  tie: { en: 'as good', zh: '相当' },
  unjudged: { en: 'not judged', zh: '未评判' },
  better: { en: 'better', zh: '更好' },
  worse: { en: 'worse', zh: '更差' },
  same: { en: 'same', zh: '相同' },
  notProven: { en: 'not proven', zh: '未获证实' },
  wins: { en: 'won', zh: '胜' },
  ties: { en: 'tied', zh: '平' },
  losses: { en: 'lost', zh: '负' },
  bestAlone: { en: 'Best alone', zh: '唯一最佳' },
  bestTogether: { en: 'Best with others', zh: '并列最佳' },
  against: { en: 'Against', zh: '对比' },
  best: { en: 'best', zh: '最佳' },
  noneGood: { en: 'none is any good', zh: '均不可取' },
  ofDecided: { en: 'of the decided', zh: '（不计平局）' }
} as const satisfies Record<string, Text>

/** Words of an exported page in one language. */
export function wordsIn(language: 'en' | 'zh'): (name: keyof typeof WORDS) => string {
  return (name) => WORDS[name][language]
}
