import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compareEach, openLocalSource } from '../../../../src-main/engine/compare'
import { fromValues, safetensors, tensor, withFiles } from './weight-files'

const weights = (...values: number[]): Buffer =>
  safetensors({ w: tensor([values.length], fromValues('F32', values)) })

it('compares every pair that can be, and tells why the others cannot', async () => {
  const files = {
    'a/model.safetensors': weights(1, 2),
    'b/model.safetensors': weights(1, 4),
    'c/notes.txt': 'no weights here'
  }
  await withFiles(files, async (root) => {
    const at = (name: string, target = 'local') => ({
      weights: { target, path: join(root, name) }
    })
    const sides = [at('a'), at('c'), { weights: null }, at('b', 'far'), at('b')]
    const { pairs, odd } = await compareEach(sides, 0, { open: openLocalSource })
    expect(pairs.map(({ side }) => side)).toEqual([4])
    expect(pairs[0]?.comparison.total.relative).toBeCloseTo(2 / Math.sqrt(5), 6)
    expect(odd.map(({ side }) => side)).toEqual([1, 3])
    expect(odd[1]?.why.en).toMatch(/another machine/)
  })
  expect(await compareEach([{ weights: null }], 0, { open: openLocalSource })).toEqual({
    pairs: [],
    odd: []
  })
})
