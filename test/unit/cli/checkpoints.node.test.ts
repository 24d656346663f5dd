import { expect, it } from 'vitest'
import { fatesOf } from '../../../src-main/cli/checkpoints'

const fate = (kind: 'protected' | 'unrecorded', said: string) => ({
  fate: kind,
  fateWhy: { en: said, zh: said }
})

it('what becomes of checkpoints is said in full of one, and explained once where several share it', () => {
  const { cells, explained } = fatesOf([
    fate('protected', 'The newest.'),
    fate('unrecorded', 'Nobody cleans it up.'),
    fate('unrecorded', 'Nobody cleans it up.')
  ])
  expect(cells.map(({ en }) => en)).toEqual(['The newest.', 'not recorded', 'not recorded'])
  expect(explained.map(({ en }) => en)).toEqual(['not recorded: Nobody cleans it up.'])
})
