import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MetricDifference, type Release } from '../../../../src-main/contract/releases'
import {
  attachResults,
  compareReleases,
  meanDifference,
  metricDifference,
  parseResults,
  proportionDifference,
  readResults,
  wilson,
  windowOf
} from '../../../../src-main/engine/compare'
import { parseDelimited } from '../../../../src-main/engine/compare/result-table'
import { studentPoint } from '../../../../src-main/engine/compare/statistics'
import { buildChain, type ChainRow } from '../../../../src-main/engine/releases'

const near = (pair: [number, number] | null, low: number, high: number, digits = 3): void => {
  expect(pair?.[0]).toBeCloseTo(low, digits)
  expect(pair?.[1]).toBeCloseTo(high, digits)
}

describe('intervals', () => {
  it('of proportions are those of the published examples', () => {
    near(wilson(81, 263), 0.2553, 0.3662, 4)
    near(wilson(0, 20), 0, 0.1611, 4)
    near(wilson(20, 20), 0.8389, 1, 4)
    expect(wilson(0, 0)).toBeNull()
    // Newcombe 1998, method 10: 56/70 against 48/80 gives 0.0524 to 0.3339.
    near(proportionDifference({ correct: 48, n: 80 }, { correct: 56, n: 70 }), 0.0524, 0.3339, 4)
  })
  it.each([
    [1, 12.7062],
    [2, 4.3027],
    [5, 2.5706],
    [10, 2.2281],
    [30, 2.0423],
    [1000, 1.9623]
  ])('of means use Student’s t with %d degrees', (degrees, point) => {
    expect(studentPoint(degrees)).toBeCloseTo(point, 3)
  })
  it('of means allow for unequal spread', () => {
    // Equal variances and sizes: degrees of freedom 8, standard error 1.
    near(meanDifference([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]), 1 - 2.306, 1 + 2.306)
    expect(meanDifference([1], [2, 3])).toBeNull()
  })
  it('contain the difference and turn around with the sides', () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
      minLength: 2,
      maxLength: 9
    })
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [there, back] = [meanDifference(a, b), meanDifference(b, a)]
        expect(there?.[0]).toBeLessThanOrEqual(there?.[1] ?? NaN)
        expect(there?.[0]).toBeCloseTo(-(back?.[1] ?? NaN), 3)
      })
    )
  })
})

describe('a difference', () => {
  const values = (...list: number[]): { kind: 'values'; values: number[] } => ({
    kind: 'values',
    values: list
  })
  it.each([
    ['better', values(1, 1.1, 0.9, 1), values(3, 3.1, 2.9, 3), 'up', 'better'],
    ['worse', values(1, 1.1, 0.9, 1), values(3, 3.1, 2.9, 3), 'down', 'worse'],
    ['within chance', values(1, 3, 2, 4), values(2, 4, 3, 3), 'up', 'not-proven'],
    ['two values a side', values(1, 1.0001), values(9, 9.0001), 'up', 'not-proven'],
    ['one value a side', values(1), values(9), 'up', 'not-proven'],
    ['without a direction', values(1, 1, 1), values(2, 2, 2), 'none', 'no-direction'],
    ['missing on a side', values(1, 1, 1), values(), 'up', 'missing'],
    ['absent', values(1, 1, 1), null, 'up', 'missing'],
    [
      'proportions',
      { kind: 'proportion', correct: 10, n: 100 },
      { kind: 'proportion', correct: 40, n: 100 },
      'up',
      'better'
    ],
    [
      'proportions of 30',
      { kind: 'proportion', correct: 1, n: 30 },
      { kind: 'proportion', correct: 2, n: 30 },
      'up',
      'not-proven'
    ]
  ] as const)('%s', (_name, a, b, direction, verdict) => {
    const difference = metricDifference('k', a, b, direction)
    expect(difference.verdict).toBe(verdict)
    expect(MetricDifference.parse(difference)).toEqual(difference)
  })
})

function row(step: number, partial: Partial<ChainRow>): ChainRow {
  return {
    releaseId: `r${step}`,
    parentReleaseId: null,
    contentId: '',
    contentKind: 'saved_artifact',
    checkpoint: true,
    recordedAt: null,
    operation: 'training',
    pending: false,
    rollbackTarget: null,
    metrics: { reward: step, name: 'x' },
    step,
    trainingJobId: null,
    rolloutId: null,
    consumed: null,
    ...partial
  }
}

describe('two releases', () => {
  const chain: Release[] = buildChain([
    row(0, { operation: 'creation', metrics: {} }),
    row(1, {}),
    row(2, {}),
    row(3, {}),
    row(4, { operation: 'rollback', rollbackTarget: 'r1', metrics: {} }),
    row(5, {}),
    row(6, { metrics: { reward: NaN } })
  ])
  it('are averaged along their own line, not over what a rollback left behind', () => {
    expect(windowOf(chain, 6, 4).map(({ step }) => step)).toEqual([6, 5, 1])
    expect(windowOf(chain, 3, 2).map(({ step }) => step)).toEqual([3, 2])
    expect(windowOf(chain, 99, 2)).toEqual([])
  })
  it('give every numeric metric, NaN left out', () => {
    const [reward, ...others] = compareReleases({
      chain,
      a: 3,
      b: 6,
      window: 3,
      directionOf: () => 'up'
    })
    expect(others).toEqual([])
    expect(reward).toMatchObject({
      key: 'reward',
      a: 2,
      b: 3,
      difference: 1,
      n: [3, 2],
      verdict: 'not-proven'
    })
  })
})

describe('a table of results', () => {
  it.each([
    ['CSV', 'release,task,n,correct\nr57,"math, hard",30,20\r\n,math,30,15\n'],
    [
      'a paste from a spreadsheet',
      'Release\tTask\tN\tCorrect\n57\tmath, hard\t30\t20\nbase\tmath\t30\t15'
    ],
    ['semicolons', 'release;task;n;correct\n57;math, hard;30;20\n-;math;30;15'],
    [
      'JSON',
      '[{"release":57,"task":"math, hard","n":30,"correct":20},{"release":null,"task":"math","n":30,"correct":15}]'
    ]
  ])('is read from %s', (_name, text) => {
    const rows = parseResults(text)
    expect(rows.map(({ release, task, n, correct }) => [release, task, n, correct])).toEqual([
      [57, 'math, hard', 30, 20],
      [null, 'math', 30, 15]
    ])
    expect(rows[0]?.score).toBeCloseTo(2 / 3)
    near(rows[1]?.interval ?? null, 0.3315, 0.6685, 4)
  })
  it('takes bare scores and percentages without inventing an interval', () => {
    expect(parseResults('step,accuracy\n80,83.8%\n100,0.5')).toEqual([
      {
        release: null,
        step: 80,
        task: 'score',
        n: null,
        correct: null,
        score: 0.838,
        interval: null
      },
      {
        release: null,
        step: 100,
        task: 'score',
        n: null,
        correct: null,
        score: 0.5,
        interval: null
      }
    ])
  })
  it.each([
    ['a,b\n1,2', 'header'],
    ['n,correct\n3,5', 'between'],
    ['n,correct\n3,x', 'number'],
    ['n,correct\n3,1.5', 'whole'],
    ['score\nabc', 'Row 2'],
    ['score\n\n"1"\n\nabc', 'Row 5'],
    ['step,score\n-1,0.5', 'Row 2: there is no step -1'],
    ['release,score\n\n-3,0.5', 'Row 3: the run has no release r-3'],
    ['[1]', 'object'],
    ['name,value\nx,1', '“name”'],
    ['release,score,seed\n1,0.5,3', '“seed”'],
    ['[{"score":1,"who":"me"}]', '“who”'],
    ['', 'header']
  ])('is refused with the row: %s', (text, words) => {
    expect(() => parseResults(text)).toThrow(words)
  })
  it('is refused when it names a release the run has not, if that is known', () => {
    const text = 'release,score\nr2,0.5\n"r\n9",1\n'
    expect(() => parseResults(text.replace('\n9', '9'), new Set([0, 1, 2]))).toThrow(
      'Row 3: the run has no release r9; its newest is r2'
    )
    expect(() => parseResults('[{"release":1},{"release":7,"score":1}]', new Set([1]))).toThrow(
      'neither correct nor score'
    )
    expect(parseResults('release,score\nr9,1\nbase,1').map(({ release }) => release)).toEqual([
      9,
      null
    ])
    expect(parseResults('release,score\nr2,1', new Set([2]))).toHaveLength(1)
  })
  it('keeps what stands around quotes, and drops the CR of a line end only outside of them', () => {
    expect(parseDelimited('a,b\r\n  "x\r\n""y"" z" tail,p"q"\r\n\r\n"",last')).toEqual([
      ['a', 'b'],
      ['x\r\n"y" z tail', 'p"q"'],
      ['', 'last']
    ])
  })
  it('is refused by its size before it is taken apart', () => {
    expect(() => parseResults('a'.repeat(16 * 1024 * 1024 + 1))).toThrow('too large')
  })
  it('survives quoting of any fields', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ unit: 'grapheme-ascii' }), { minLength: 2, maxLength: 4 }), {
          minLength: 1,
          maxLength: 5
        }),
        (rows) => {
          const quoted = rows.map((cells) =>
            cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
          )
          const head = 'a,b\n'
          expect(parseDelimited(head + quoted.join('\n')).slice(1)).toEqual(
            rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
          )
        }
      )
    )
  })
  it('is kept with the run, and a torn line hides no other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-results-'))
    try {
      expect(await readResults(folder)).toEqual({ tables: [], unreadable: 0 })
      const first = await attachResults(folder, 'a.csv', 'score\n1')
      await appendFile(join(folder, 'results.jsonl'), '{"id":\n')
      const second = await attachResults(folder, 'paste', 'score\n2')
      expect(await readResults(folder)).toEqual({ tables: [first, second], unreadable: 1 })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
