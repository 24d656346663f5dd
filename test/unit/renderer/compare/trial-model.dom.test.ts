import type { Trial, TrialAnswer, TrialRow, TrialVerdict } from '@contract/behaviour'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { piecesOf } from '../../../../src-renderer/features/compare/answer-diff'
import {
  choiceOf,
  isHidden,
  nextOpen,
  orderOf,
  unsent,
  verdictOf
} from '../../../../src-renderer/features/compare/trial-model'
import { trialSideOf } from '../../../../src-renderer/features/compare/trial-store'

const text = (receipt: string | null = 'id'): TrialAnswer => ({
  kind: 'text',
  text: 'x',
  receipt,
  release: null,
  at: 0
})
const missing: TrialAnswer = { kind: 'missing', why: { en: 'none', zh: '无' } }

const row = (verdict: TrialVerdict | null, more: Partial<TrialRow> = {}): TrialRow => ({
  prompt: 'p',
  answers: [text(), text()],
  first: 'a',
  verdict,
  reported: [null, null],
  ...more
})

const trial = (rows: TrialRow[], blind = true): Trial => ({
  id: 't-1',
  name: 'n',
  madeAt: 0,
  blind,
  temperature: null,
  maxTokens: null,
  sides: [
    { side: { kind: 'run', run: 'r' }, label: 'A', way: 'asked', note: null },
    { side: { kind: 'file', path: '/f' }, label: 'B', way: 'file', note: null }
  ],
  rows,
  tally: { win: 0, tie: 0, loss: 0, share: null, interval: null, proven: 'no' }
})

describe('a blind trial', () => {
  it('names its sides only when all that can be judged is, or when asked', () => {
    const open = trial([row('a'), row(null), row(null, { answers: [text(), missing] })])
    expect(isHidden(open, false)).toBe(true)
    expect(isHidden(open, true)).toBe(false)
    const done = trial([row('a'), row('tie'), row(null, { answers: [text(), missing] })])
    expect(isHidden(done, false)).toBe(false)
    expect(isHidden({ ...open, blind: false }, false)).toBe(false)
    expect(isHidden(trial([row(null, { answers: [null, null] })]), false)).toBe(true)
  })

  it('says of the sides what was chosen of left and right', () => {
    for (const first of ['a', 'b'] as const)
      for (const blind of [true, false])
        for (const choice of ['left', 'right', 'tie'] as const) {
          const order = orderOf({ blind }, { first })
          const verdict = verdictOf(choice, order)
          expect(choiceOf(verdict, order)).toBe(choice)
          if (choice === 'left') expect(verdict).toBe(order[0] === 0 ? 'a' : 'b')
        }
    expect(orderOf({ blind: true }, { first: 'b' })).toEqual([1, 0])
    expect(orderOf({ blind: false }, { first: 'b' })).toEqual([0, 1])
  })

  it('goes on to what is open, around the end, and stays where nothing is', () => {
    const rows = [row(null), row('a'), row(null, { answers: [text(), null] }), row('b')]
    expect(nextOpen(rows, 1)).toBe(0)
    expect(nextOpen(rows, -1)).toBe(0)
    expect(nextOpen(rows.slice(1), 0)).toBe(0)
  })

  it('reports what is judged, has a receipt, belongs to a run and was not sent', () => {
    expect(
      unsent(
        trial([
          row('a'),
          row(null),
          row('tie', { answers: [text(null), text()] }),
          row('b', { reported: [0, null] })
        ])
      )
    ).toBe(1)
  })
})

describe('answers side by side', () => {
  it('mark the words only one has', () => {
    const { left, right } = piecesOf('the sum is 13', 'the sum is 3')
    expect(left.filter(({ own }) => own).map((piece) => piece.text)).toEqual(['13'])
    expect(right.filter(({ own }) => own).map((piece) => piece.text)).toEqual(['3'])
  })

  it('put together again, are what was answered', () => {
    const joined = (pieces: readonly { text: string }[]): string =>
      pieces.map((piece) => piece.text).join('')
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, two) => {
        const { left, right } = piecesOf(one, two)
        expect([joined(left), joined(right)]).toEqual([one, two])
      })
    )
  })
})

describe('who answers', () => {
  it('is the compared side, a named service or a file; else something is missing', () => {
    const compared = { kind: 'run' as const, run: 'r' }
    expect(trialSideOf({ kind: 'compared' }, compared)).toEqual(compared)
    expect(trialSideOf({ kind: 'compared' }, null)).toBeNull()
    const address = { kind: 'address' as const, address: ' http://h:1 ', tokenName: '', model: 'm' }
    expect(trialSideOf(address, null)).toEqual({
      kind: 'address',
      address: 'http://h:1',
      tokenName: null,
      model: 'm',
      scenario: null
    })
    expect(trialSideOf({ ...address, address: ' ' }, null)).toBeNull()
    expect(trialSideOf({ kind: 'file', path: '' }, compared)).toBeNull()
  })
})
