import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Chain } from '../../../../src-main/contract/releases'
import { partsOf } from '../../../../src-main/engine/releases'
import { ChainAssembly } from '../../../../src-renderer/features/releases/chain-assembly'
import { sampleChain } from '../../../support/fixture/releases'
import { sampleRuns } from '../../../support/fixture/runs'

const [run] = sampleRuns(0)
if (run === undefined) throw new Error('no run')
const rows = sampleChain({ ...run, stages: { ...run.stages, released: 1_500 } }, null, 0)

/** The first rows of the chain, some of them marked as left behind. */
function chainOf(count: number, marked: readonly number[]): Chain {
  const releases = rows.releases
    .filter(({ step }) => step < count)
    .map((release) => ({ ...release, leftBehind: marked.includes(release.step) }))
  return { ...rows, releases }
}

it('is the same chain on the other side, whatever it went through', () => {
  const state = fc.record({
    count: fc.integer({ min: 0, max: 1_500 }),
    marked: fc.array(fc.integer({ min: 0, max: 1_500 }), { maxLength: 5 })
  })
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 4 }), (states) => {
      const assembly = new ChainAssembly()
      let before: Chain | null = null
      for (const { count, marked } of states) {
        const after: Chain = chainOf(count, marked)
        let shown: Chain | null = null
        for (const part of partsOf(before, after)) shown = assembly.add(part)
        expect(shown).toEqual(after)
        before = after
      }
    }),
    { numRuns: 15 }
  )
})

it('comes in small parts, and then only what is new', () => {
  const parts = [...partsOf(null, chainOf(1_500, []))]
  expect(parts.map(({ done }) => done)).toEqual([...Array<boolean>(7).fill(false), true])
  expect(Math.max(...parts.map(({ releases }) => releases.length))).toBeLessThanOrEqual(200)
  const more = [...partsOf(chainOf(1_490, []), chainOf(1_491, [7]))]
  expect(more.map(({ releases }) => releases.map(({ step }) => step))).toEqual([[1_490, 7]])
  expect(more[0]).toMatchObject({ fresh: false, done: true, total: 1_491 })
})
