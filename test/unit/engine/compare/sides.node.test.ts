import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../../../../src-main/contract/compare'
import {
  baselineOf,
  sideMetrics,
  sideResults,
  sideSettings,
  wilson
} from '../../../../src-main/engine/compare'
import { buildChain, parseReleaseList } from '../../../../src-main/engine/releases'

const chainOf = (rewards: number[]) =>
  buildChain(
    parseReleaseList({
      releases: rewards
        .map((reward, step) => ({
          release_id: `r${step}`,
          content_id: `c${step}`,
          content_kind: 'saved_artifact',
          checkpoint: true,
          recorded_at: step === 0 ? null : step,
          operation: step === 0 ? 'creation' : 'training',
          pending: false,
          metrics: { 'rollout/rewards': reward, 'train/step': step * 2, 'a/first': 1 }
        }))
        .reverse()
    })
  )

const row = (more: Partial<ResultRow>): ResultRow => ({
  release: null,
  step: null,
  task: 'math',
  n: null,
  correct: null,
  score: null,
  interval: null,
  ...more
})

const chain = chainOf([0, 0.1, 0.12, 0.11, 0.5, 0.52, 0.51])
const side = (step: number | null, results: ResultRow[] = []) => ({
  chain: step === null ? [] : chain,
  step,
  newest: new Map<string, number[]>(),
  results
})

describe('several sides', () => {
  it('are held against one baseline, rewards first', () => {
    const metrics = sideMetrics([side(3), side(6), side(null), side(1)], 0, {
      window: 3,
      directionOf: (key) => (key === 'rollout/rewards' ? 'up' : 'none')
    })
    expect(metrics.map(({ key }) => key)).toEqual(['rollout/rewards', 'a/first', 'train/step'])
    const [rewards] = metrics
    expect(rewards?.cells.map(({ n }) => n)).toEqual([3, 3, 0, 1])
    expect(rewards?.cells[1]?.value).toBeCloseTo(0.51)
    expect(rewards?.against.map((one) => one?.verdict ?? null)).toEqual([
      null,
      'better',
      'missing',
      'not-proven'
    ])
  })

  it('put what is the same on all of them and what only counts on last, without a verdict', () => {
    const metrics = sideMetrics([side(3), side(6)], 0, { window: 3, directionOf: () => 'up' })
    expect(metrics.map(({ key, against }) => [key, against[1]?.verdict])).toEqual([
      ['rollout/rewards', 'better'],
      ['a/first', 'same'],
      ['train/step', 'counter']
    ])
    expect(metrics[2]?.against[1]?.interval).toBeNull()
  })

  it('take the newest values of a run without a release, beside releases of another', () => {
    const newest = (values: number[]) => ({
      chain: [],
      step: null,
      newest: new Map([['rollout/rewards', values]]),
      results: [row({ step: 4, score: 0.1 }), row({ step: 9, score: 0.3 })]
    })
    const sides = [newest([0.1, 0.12, 0.11]), newest([0.5, 0.52, 0.51]), side(6)]
    const [rewards] = sideMetrics(sides, 0, { window: 3, directionOf: () => 'up' })
    expect(rewards?.cells.map(({ value, n }) => [value?.toFixed(2), n])).toEqual([
      ['0.11', 3],
      ['0.51', 3],
      ['0.51', 3]
    ])
    expect(rewards?.against.map((one) => one?.verdict ?? null)).toEqual([null, 'better', 'better'])
    expect(sideResults(sides, 0)[0]?.cells.map((cell) => cell?.score ?? null)).toEqual([
      0.3,
      0.3,
      null
    ])
  })

  it('take the earliest release as the baseline: a creation before all, never a file', () => {
    const at = (step: number | null, recordedAt: number | null) => ({ step, recordedAt })
    expect(baselineOf([at(null, null), at(5, 50), at(2, 20)])).toBe(2)
    expect(baselineOf([at(5, 50), at(0, null)])).toBe(1)
    expect(baselineOf([at(null, null), at(null, null)])).toBe(0)
  })

  it('compare results as proportions, by release or by the step it was trained at', () => {
    const results = [
      row({ release: 3, n: 100, correct: 40, score: 0.4, interval: wilson(40, 100) }),
      row({ step: 12, n: 100, correct: 80, score: 0.8, interval: wilson(80, 100) }),
      row({ task: 'other', release: 99, score: 0.1 })
    ]
    const [math, ...more] = sideResults([side(3, results), side(6, results), side(1, results)], 0)
    expect(more).toEqual([])
    expect(math?.cells.map((cell) => cell?.score ?? null)).toEqual([0.4, 0.8, null])
    expect(math?.against[1]).toMatchObject({ verdict: 'better' })
    expect(math?.against[2]).toMatchObject({ verdict: 'missing' })
  })

  it('fill in the settings of sides that are as the baseline, and leave out those without a recipe', () => {
    const settings = sideSettings(
      [
        null,
        [
          { path: 'lr', a: '1', b: '2', derived: false },
          { path: 'follows', a: 'x', b: 'y', derived: true }
        ],
        [],
        null
      ],
      0
    )
    expect(settings).toEqual([
      { path: 'lr', values: ['1', '2', '1', null], derived: false },
      { path: 'follows', values: ['x', 'y', 'x', null], derived: true }
    ])
  })
})
