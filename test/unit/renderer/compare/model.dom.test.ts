import { describe, expect, it } from 'vitest'
import type { MetricDifference } from '@contract/releases'
import { intervalLayout } from '../../../../src-renderer/charts/interval-mark'
import {
  averagedOver,
  byWeight,
  lookOf,
  sampleCount
} from '../../../../src-renderer/features/compare/compare-model'

const row = (key: string, more: Partial<MetricDifference>): MetricDifference => ({
  key,
  a: 1,
  b: 2,
  difference: 1,
  interval: [0.5, 1.5],
  n: [40, 30],
  direction: 'up',
  verdict: 'better',
  ...more
})

describe('differences', () => {
  it('say how many releases each side is the mean of, as the fullest row has it', () => {
    const rows = [row('a', { n: [2, 5] }), row('b', { n: [5, 3] }), row('c', { n: null })]
    expect(averagedOver(rows)).toEqual([5, 5])
    expect(averagedOver([row('a', { n: [1, 3] })])).toEqual([1, 3])
    expect(averagedOver([row('c', { n: null })])).toEqual([0, 0])
  })
  it('are good or bad only with a direction and proof', () => {
    expect(lookOf(row('a', {})).tone).toBe('ready')
    expect(lookOf(row('a', { verdict: 'worse' })).tone).toBe('fail')
    expect(lookOf(row('a', { verdict: 'not-proven', interval: [-1, 2] }))).toEqual({
      tone: 'muted',
      proven: false
    })
    expect(lookOf(row('a', { verdict: 'no-direction' }))).toEqual({ tone: 'text', proven: true })
    expect(lookOf(row('a', { verdict: 'no-direction', interval: [-1, 2] })).proven).toBe(false)
  })
  it('stand with rewards first, then proven ones, missing last', () => {
    const rows = [
      row('z', { verdict: 'missing' }),
      row('rollout/rewards', { verdict: 'not-proven' }),
      row('b', { verdict: 'not-proven' }),
      row('a', {})
    ]
    expect(byWeight(rows).map((each) => each.key)).toEqual(['rollout/rewards', 'a', 'b', 'z'])
  })
  it('are told by the smaller sample', () => {
    expect(sampleCount(row('a', {}))).toBe(30)
  })
  it('are drawn about zero on a scale of their own', () => {
    const layout = intervalLayout(1, [-1, 3])
    expect(layout.zero).toBe(44)
    expect(layout.low).toBeLessThan(layout.zero)
    expect(layout.high).toBeLessThanOrEqual(82)
    expect(intervalLayout(0, [0, 0]).estimate).toBe(44)
  })
})
