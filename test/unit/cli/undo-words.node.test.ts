import { describe, expect, it } from 'vitest'
import { undoneWords } from '../../../src-main/cli/undo-words'
import type { Release } from '../../../src-main/contract/releases'

const row = (step: number, more: Partial<Release> = {}): Release => ({
  step,
  commitStep: step,
  baseStep: step - 1,
  releaseId: `id-${step}`,
  parentReleaseId: null,
  contentId: 'c',
  contentKind: 'saved_artifact',
  operation: 'training',
  result: 'published',
  served: false,
  restorable: true,
  notRestorable: null,
  recordedAt: step,
  rollbackTarget: null,
  rollbackTargetStep: null,
  leftBehind: false,
  attempt: 1,
  metrics: { 'rollout/total_lengths': 100 },
  consumed: 4,
  took: 1,
  checkpoint: null,
  ...more
})

const back = (step: number, to: number): Release =>
  row(step, { operation: 'rollback', baseStep: to, rollbackTargetStep: to })

const as = { en: 'as r9', zh: '编号为 r9' }

describe('what an undo says', () => {
  it('names the training that is left behind', () => {
    const chain = [row(5, { served: true }), row(4), back(3, 1), row(2), row(1)]
    expect(undoneWords(chain, back(9, 2), as).en).toBe(
      'r2 is served again, as r9; training goes on from it. r4 … r5: training since then is left behind.'
    )
  })

  it('names nothing of the way that is served again, though it lies between', () => {
    const trained = (from: number, to: number): Release[] =>
      Array.from({ length: to - from + 1 }, (_, at) => row(from + at))
    const chain = [
      ...trained(1, 21),
      back(22, 2),
      ...trained(23, 24),
      back(25, 2),
      ...trained(26, 31),
      back(32, 24),
      ...trained(33, 35),
      // Came to nothing: what follows is made from the one before it.
      row(36, { result: 'rejected', baseStep: 35 }),
      row(37, { baseStep: 35 }),
      row(38),
      row(39, { served: true })
    ].reverse()
    const words = undoneWords(chain, back(40, 31), as)
    expect(words.en).toMatch(/ r23 … r24, r33 … r39: this training is left behind\.$/)
    expect(words.zh).toMatch(/r23 … r24、r33 … r39：这些训练不再延续。$/)
  })

  it('says when it does again what an undo took back', () => {
    const undone = back(4, 2)
    const chain = [{ ...undone, served: true }, back(3, 1), row(2), row(1)]
    expect(undoneWords(chain, back(9, 3), as).en).toMatch(/^The undo is taken back: r3 is served/)
    expect(undoneWords(chain, null, as).en).toBe('What was served before is served again, as r9.')
  })
})
