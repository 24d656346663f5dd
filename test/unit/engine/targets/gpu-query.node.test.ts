import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseGpuQuery } from '../../../../src-main/engine/targets'

// Written after the documented CSV form of nvidia-smi, not recorded on a GPU machine.
it('reads two cards, and one that does not tell its memory', () => {
  const text = [
    '0, NVIDIA A100-SXM4-80GB, 81920, 79000, 96',
    '1, NVIDIA A100-SXM4-80GB, 81920, 1024, 71',
    'WARNING: infoROM is corrupted at gpu 0000:00:1E.0',
    '2, NVIDIA GB10, [N/A], [N/A], [Not Supported]',
    ''
  ].join('\n')
  const gib = 1024 ** 3
  expect(parseGpuQuery(text)).toEqual([
    {
      index: 0,
      name: 'NVIDIA A100-SXM4-80GB',
      memoryBytes: 80 * gib,
      usedBytes: 79_000 * 1024 ** 2,
      utilisation: 96
    },
    {
      index: 1,
      name: 'NVIDIA A100-SXM4-80GB',
      memoryBytes: 80 * gib,
      usedBytes: gib,
      utilisation: 71
    },
    { index: 2, name: 'NVIDIA GB10', memoryBytes: 0, usedBytes: 0, utilisation: null }
  ])
})

it('never throws', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseGpuQuery(text)
    })
  )
})
