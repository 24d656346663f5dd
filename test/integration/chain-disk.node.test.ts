import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chainHistory, compareLiveWithDisk } from '../support/chain-history'

it('reads from disk the chain that the live stack tells, after any history', async () => {
  await fc.assert(
    fc.asyncProperty(chainHistory, async (history) => {
      await compareLiveWithDisk(history)
    }),
    { numRuns: 4, endOnFailure: true }
  )
}, 240_000)

it('does so after every kind of act there is', async () => {
  const releases = await compareLiveWithDisk({
    generation: 'C',
    evaluation: false,
    held: true,
    acts: [
      { kind: 'train', steps: 3 },
      { kind: 'promote', place: 0 },
      { kind: 'crash' },
      { kind: 'train', steps: 2 },
      { kind: 'promote', place: 0 },
      { kind: 'rollback', place: 1 },
      { kind: 'train', steps: 1 }
    ]
  })
  const operations = new Set(releases.map(({ operation }) => operation))
  expect(operations).toContain('promote')
  expect(releases.some(({ result }) => result === 'pending')).toBe(true)
}, 120_000)
