import { describe, expect, it } from 'vitest'
import { scenarioOrder } from '../../../../src-main/engine/stacks/scenario-order'

const steps = (of: Record<string, number>) => (name: string) => of[name] ?? 0

describe('the scenario a person means when they name none', () => {
  it('is not a new one that a client made up, whatever its name', () => {
    const stepOf = steps({ practice: 341 })
    expect(scenarioOrder(['practice'], ['aaa', 'practice'], stepOf)).toEqual(['practice', 'aaa'])
  })

  it('is the one that trains, even when it was seen later', () => {
    expect(scenarioOrder(['typo'], ['practice'], steps({ practice: 3 }))).toEqual([
      'practice',
      'typo'
    ])
  })

  it('stays the first seen when several train', () => {
    const stepOf = steps({ first: 2, second: 90 })
    expect(scenarioOrder(['first'], ['second'], stepOf)).toEqual(['first', 'second'])
  })

  it('is the farthest when all are seen at once', () => {
    const stepOf = steps({ a: 1, b: 7 })
    expect(scenarioOrder([], ['c', 'a', 'b'], stepOf)).toEqual(['b', 'a', 'c'])
  })
})
