import { expect, it } from 'vitest'
import { reasonsOf } from '../../../../src-renderer/features/queue/reasons'

it('keeps what to do about a reason with it', () => {
  const why = [
    'Preflight found 2 reasons.',
    'GPUs: none.',
    '→ Choose another target.',
    '$ nvidia-smi',
    '$HOME is full.'
  ]
  expect(reasonsOf(why.join('\n'))).toEqual([
    ['Preflight found 2 reasons.'],
    ['GPUs: none.', '→ Choose another target.', '$ nvidia-smi'],
    ['$HOME is full.']
  ])
  expect(reasonsOf('')).toEqual([])
})
