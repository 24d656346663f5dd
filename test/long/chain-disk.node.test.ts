import fc from 'fast-check'
import { it } from 'vitest'
import { chainHistory, compareLiveWithDisk } from '../support/chain-history'

it('reads from disk the chain that the live stack tells, after many histories', async () => {
  await fc.assert(
    fc.asyncProperty(chainHistory, async (history) => {
      await compareLiveWithDisk(history)
    }),
    { numRuns: 40, endOnFailure: true }
  )
}, 1_800_000)
