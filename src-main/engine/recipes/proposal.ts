import type { Text } from '../../contract/text'

export type Improve =
  'reasoning' | 'one-problem' | 'conversation' | 'demonstrated-skill' | 'smaller-model' | 'harness'
export type Signal =
  'score' | 'score-grid' | 'next-state' | 'demonstrations' | 'teacher' | 'requests' | 'none'

/** The three questions of a new recipe. `gpus` is how many there are; 0 for none. */
export interface ProposalRequest {
  improve: Improve
  signal: Signal
  gpus: number
}

export interface Proposal {
  /** Family id, e.g. `sao`. */
  family: string
  /** File name of the template in the app's `recipes` folder. */
  template: string
  reason: Text
  /** GPUs the example of this family uses. */
  gpus: number
  /** False when fewer GPUs are there than the example needs. */
  fits: boolean
}

interface Row {
  family: string
  template: string
  improve: readonly Improve[]
  signal: readonly Signal[]
  gpus: number
  reason: Text
}

/** From the table of bundled recipes (recipes/README.md): what each learns from and what its example needs. */
const table: readonly Row[] = [
  {
    family: 'sao',
    template: 'sao.yaml',
    improve: ['reasoning', 'demonstrated-skill'],
    signal: ['score'],
    gpus: 2,
    reason: {
      en: 'One score for each single attempt is all it needs; a value model stands in for the group.',
      zh: '只需每次尝试的一个得分，由价值模型代替组内比较。'
    }
  },
  {
    family: 'sdpo',
    template: 'sdpo.yaml',
    improve: ['reasoning'],
    signal: ['score-grid'],
    gpus: 4,
    reason: {
      en: 'Several scored attempts at each question: the good ones teach the others.',
      zh: '每道题有多次带得分的尝试，由较好的尝试指导其余的。'
    }
  },
  {
    family: 'tttd',
    template: 'tttd.yaml',
    improve: ['one-problem'],
    signal: ['score', 'score-grid'],
    gpus: 2,
    reason: {
      en: 'One hard problem, searched by a grid of rollouts while a LoRA adapter learns from them.',
      zh: '针对一个难题，以网格 rollout 搜索，同时训练 LoRA 适配器。'
    }
  },
  {
    family: 'openclawrl',
    template: 'openclawrl.yaml',
    improve: ['conversation'],
    signal: ['next-state', 'none'],
    gpus: 6,
    reason: {
      en: 'Multi-turn traffic without reports: a judge model reads the next state and scores the turn.',
      zh: '没有反馈的多轮流量：由评判模型读取下一状态为该轮打分。'
    }
  },
  {
    family: 'sdft',
    template: 'sdft.yaml',
    improve: ['demonstrated-skill', 'conversation'],
    signal: ['demonstrations'],
    gpus: 4,
    reason: {
      en: 'Demonstrations teach a skill while the model keeps speaking in its own distribution.',
      zh: '通过示范学习技能，同时保持模型自身的分布。'
    }
  },
  {
    family: 'sft',
    template: 'sft.yaml',
    improve: ['demonstrated-skill'],
    signal: ['demonstrations'],
    gpus: 4,
    reason: {
      en: 'Plain supervised learning from demonstrations: the control to compare SDFT with.',
      zh: '直接用示范做监督学习，作为与 SDFT 比较的对照。'
    }
  },
  {
    family: 'opd',
    template: 'opd.yaml',
    improve: ['smaller-model', 'reasoning'],
    signal: ['teacher'],
    gpus: 4,
    reason: {
      en: 'A frozen teacher judges the student on its own samples.',
      zh: '由冻结的 teacher 评判 student 自己的样本。'
    }
  },
  {
    family: 'harness_evolve',
    template: 'harness-evolve.yaml',
    improve: ['harness'],
    signal: ['score', 'none'],
    gpus: 0,
    reason: {
      en: 'Prompts, skills and tools evolve from scored traffic; no weights are trained.',
      zh: '提示、技能与工具随带得分的流量演化，不训练权重。'
    }
  },
  {
    family: 'gepa',
    template: 'gepa.yaml',
    improve: ['harness'],
    signal: ['score', 'score-grid'],
    gpus: 0,
    reason: {
      en: 'Rules and skills are searched on a stream of scored tasks, with a bounded number of trials.',
      zh: '在带得分的任务流上搜索规则与技能，试验次数有上限。'
    }
  },
  {
    family: 'reefine',
    template: 'reefine.yaml',
    improve: ['harness'],
    signal: ['requests'],
    gpus: 0,
    reason: {
      en: 'People say in plain words what should change.',
      zh: '用自然语言说明要改进什么。'
    }
  },
  {
    family: 'sao',
    template: 'practice-sao.yaml',
    improve: ['reasoning', 'demonstrated-skill', 'smaller-model'],
    signal: ['score', 'none'],
    gpus: 0,
    reason: {
      en: 'No GPU here: the practice stack runs the same loop on the CPU.',
      zh: '没有 GPU：练习栈在 CPU 上运行同样的流程。'
    }
  },
  {
    family: 'tttd',
    template: 'practice-tttd.yaml',
    improve: ['one-problem'],
    signal: ['score', 'score-grid', 'none'],
    gpus: 0,
    reason: {
      en: 'No GPU here: the practice stack runs the same search on the CPU.',
      zh: '没有 GPU：练习栈在 CPU 上运行同样的搜索。'
    }
  }
]

/** Recipes that fit the answers, best first: those for which both answers match, and among them those the GPUs suffice for. */
export function newRecipeProposal(request: ProposalRequest): Proposal[] {
  const scored = table.map((row) => {
    const matches =
      Number(row.improve.includes(request.improve)) + Number(row.signal.includes(request.signal))
    return { row, matches, fits: row.gpus <= request.gpus }
  })
  return scored
    .filter(
      (one) => one.matches === 2 || (one.matches === 1 && one.row.improve.includes(request.improve))
    )
    .sort(
      (a, b) => Number(b.fits) - Number(a.fits) || b.matches - a.matches || b.row.gpus - a.row.gpus
    )
    .map(({ row, fits }) => ({
      family: row.family,
      template: row.template,
      reason: row.reason,
      gpus: row.gpus,
      fits
    }))
}
