import { describe, expect, it } from 'vitest'
import { carriedStep, toldStep, trainStepOf } from '../../../../src-main/engine/stacks/train-step'
import { nothingSeen } from '../../../../src-main/engine/runs'

type Facts = Parameters<typeof toldStep>[0][number]

const told = (attempt: number, x: number, at: number, key = 'train/loss'): Facts => ({
  key,
  axis: 'step',
  attempt,
  last: { x, value: 0, at }
})
const launch = { number: 1, storage: 1 }
const restarted = { number: 2, storage: 1 }
const branched = { number: 2, storage: 2 }

describe('the optimizer step of a run', () => {
  it.each<[string, Facts[], { number: number; storage: number }[], number | null]>([
    ['nothing was told', [], [launch], null],
    ['the newest sample', [told(1, 4, 10), told(1, 5, 20, 'train/kl')], [launch], 5],
    [
      'behind where it was, after a crash',
      [told(1, 9, 10), told(2, 7, 20)],
      [launch, restarted],
      7
    ],
    ['in the same attempt, gone back', [told(1, 9, 10, 'train/old'), told(1, 3, 20)], [launch], 3],
    ['a restart that has told nothing yet', [told(1, 9, 10)], [launch, restarted], 9],
    ['a branch that has told nothing yet', [told(1, 9, 10)], [launch, branched], null],
    ['a branch', [told(1, 9, 10), told(2, 0, 20)], [launch, branched], 0],
    [
      'the old root again after the branch is undone',
      [told(1, 9, 10), told(2, 3, 20)],
      [launch, branched, { number: 3, storage: 1 }],
      9
    ],
    [
      'what others write of older steps later is no step of the trainer',
      [told(1, 9, 10), told(1, 4, 20, 'reward/reports')],
      [launch],
      9
    ],
    [
      'a stack whose trainer names its keys otherwise',
      [told(1, 4, 20, 'actor/loss'), { ...told(1, 30, 30, 'x'), axis: 'commit' as const }],
      [launch],
      4
    ]
  ])('%s', (_name, series, attempts, step) => {
    expect(toldStep(series, attempts)).toBe(step)
  })

  it('is the newest number of the chain where a version wrote that did not look for it', () => {
    const { trained, ...old } = nothingSeen
    expect(trained).toBeNull()
    expect(trainStepOf({ seen: { ...old, step: 7 } })).toBe(7)
    expect(trainStepOf({ seen: { ...old, step: 7, trained: null } })).toBeNull()
    expect(trainStepOf({ seen: { ...old, step: 7, trained: 3 } })).toBe(3)
  })

  it('goes over to an attempt in the same storage only', () => {
    const record = {
      seen: { ...nothingSeen, trained: 5 },
      attempts: [launch] as unknown as Parameters<typeof carriedStep>[0]['attempts']
    }
    expect(carriedStep(record, restarted)).toBe(5)
    expect(carriedStep(record, branched)).toBeNull()
  })
})
