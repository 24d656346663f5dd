import { describe, expect, it } from 'vitest'
import type { TensorDifference } from '@contract/compare'
import {
  heatMapOf,
  heatOf,
  mostMoved,
  neighbourOf
} from '../../../../src-renderer/features/compare/weight-model'

const tensor = (
  layer: number | null,
  module: string,
  more: Partial<TensorDifference> = {}
): TensorDifference => ({
  name: `${layer ?? 'top'}.${module}.weight`,
  layer,
  module,
  shape: [2, 2],
  dtype: ['F32', 'F32'],
  relative: 0.1,
  cosine: 0.9,
  norm: [1, 1],
  differenceNorm: 0.1,
  largest: 0.1,
  changed: 0.5,
  nan: [0, 0],
  infinite: [0, 0],
  deadRows: [0, 0],
  ...more
})

const tensors = [
  tensor(1, 'q_proj', { relative: 0.2 }),
  tensor(0, 'q_proj', { relative: 0.002 }),
  tensor(0, 'q_proj', { name: '0.q_proj.bias', relative: 0.004 }),
  tensor(0, 'down_proj', { relative: 0 }),
  tensor(null, 'lm_head', { relative: 0.3, changed: null })
]

describe('the heat map of weights', () => {
  const map = heatMapOf(tensors, 'relative')

  it('has a cell a place, of the tensor that moved most there', () => {
    expect(map.layers).toEqual([0, 1])
    expect(map.modules).toEqual(['q_proj', 'down_proj'])
    expect(map.cells.get('q_proj')?.get(0)?.tensor.name).toBe('0.q_proj.bias')
    expect(map.range).toEqual([0.002, 0.2])
  })

  it('shows the least change as little and the largest as full, nothing as nothing', () => {
    expect(heatOf(0, map.range)).toBe(0)
    expect(heatOf(null, map.range)).toBe(0)
    expect(heatOf(0.002, map.range)).toBeCloseTo(0.12)
    expect(heatOf(0.02, map.range)).toBeCloseTo(0.56)
    expect(heatOf(0.2, map.range)).toBeCloseTo(1)
    expect(heatOf(0.1, [0.1, 0.1])).toBe(1)
  })

  it('is walked with the arrow keys, and has edges', () => {
    const from = map.cells.get('q_proj')?.get(0)
    if (from === undefined) throw new Error('no cell')
    expect(neighbourOf(map, from, 'ArrowRight').layer).toBe(1)
    expect(neighbourOf(map, from, 'ArrowDown').module).toBe('down_proj')
    expect(neighbourOf(map, from, 'ArrowLeft')).toBe(from)
    expect(neighbourOf(map, from, 'Enter')).toBe(from)
  })

  it('lists what moved most first, by the measure shown', () => {
    expect(mostMoved(tensors, 'relative')[0]?.module).toBe('lm_head')
    expect(mostMoved(tensors, 'changed').at(-1)?.module).toBe('lm_head')
  })
})
