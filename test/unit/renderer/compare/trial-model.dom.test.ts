import {
  isHidden,
  orderOf,
  type Trial,
  type TrialAnswer,
  type TrialRow,
  type TrialVerdict
} from '@contract/behaviour'
import { act, renderHook } from '@testing-library/react'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { piecesOf } from '../../../../src-renderer/features/compare/answer-diff'
import {
  choiceOf,
  marksOf,
  nextOpen,
  unsent,
  verdictOf
} from '../../../../src-renderer/features/compare/trial-model'
import {
  draftTrial,
  seatsOf,
  trialSideOf,
  useBehaviour,
  type Seat
} from '../../../../src-renderer/features/compare/trial-store'

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
  order: [0, 1],
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
  tallies: [{ win: 0, tie: 0, loss: 0, share: null, interval: null, proven: 'no' }],
  bests: []
})

describe('a blind trial', () => {
  it('names its sides only when all that can be judged is, or when asked', () => {
    const open = trial([row([0]), row(null), row(null, { answers: [text(), missing] })])
    expect(isHidden(open, false)).toBe(true)
    expect(isHidden(open, true)).toBe(false)
    const done = trial([row([0]), row([0, 1]), row(null, { answers: [text(), missing] })])
    expect(isHidden(done, false)).toBe(false)
    expect(isHidden({ ...open, blind: false }, false)).toBe(false)
    expect(isHidden(trial([row(null, { answers: [null, null] })]), false)).toBe(true)
  })

  it('says of the sides what was chosen of the answers as they are shown', () => {
    const lots = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 2 })
    fc.assert(
      fc.property(lots, fc.boolean(), fc.nat(), (shown, blind, seed) => {
        const order = orderOf({ blind }, { order: shown })
        expect(order).toEqual(blind ? shown : [...shown].sort())
        for (const choice of [seed % order.length, 'tie', 'bad'] as const) {
          const verdict = verdictOf(choice, order)
          expect(choiceOf(verdict, order)).toBe(choice)
          if (typeof choice === 'number') expect(verdict).toEqual([order[choice]])
        }
      })
    )
    expect(choiceOf([0, 2], [2, 1, 0])).toBeNull()
    expect(choiceOf(null, [0, 1])).toBeNull()
  })

  it('goes on to what is open, around the end, and stays where nothing is', () => {
    const rows = [row(null), row([0]), row(null, { answers: [text(), null] }), row([1])]
    expect(nextOpen(rows, 1)).toBe(0)
    expect(nextOpen(rows, -1)).toBe(0)
    expect(nextOpen(rows.slice(1), 0)).toBe(0)
  })

  it('reports what is judged, has a receipt, belongs to a run and was not sent', () => {
    expect(
      unsent(
        trial([
          row([0]),
          row(null),
          row([0, 1], { answers: [text(null), text()] }),
          row([1], { reported: [0, null] })
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

describe('marks', () => {
  const said = (answer: string): TrialAnswer => ({ ...text(), text: answer }) as TrialAnswer
  const own = (answers: (TrialAnswer | null)[], hidden: boolean): [number, string[]][] =>
    [...marksOf(answers, hidden)].map(([place, pieces]) => [
      place,
      pieces.filter((piece) => piece.own).map((piece) => piece.text)
    ])

  it('of two stand on both, of more on what differs from the first, and tell nobody which is the first', () => {
    const two = [said('it is 13'), said('it is 3')]
    expect(new Map(own(two, true))).toEqual(
      new Map([
        [0, ['13']],
        [1, ['3']]
      ])
    )
    const three = [...two, missing, said('it is 13')]
    expect(own(three, false)).toEqual([
      [1, ['3']],
      [3, []]
    ])
    expect(own(three, true)).toEqual([])
    expect(own([null, said('x')], false)).toEqual([])
  })
})

describe('the places of a new trial', () => {
  const run = { kind: 'run' as const, run: 'r' }
  const draft = { text: '', blind: true, temperature: '', choices: {}, extra: [] }
  const kinds = (seats: readonly Seat[]): string[] => seats.map(({ choice }) => choice.kind)

  it('are all that is compared and can answer; two have to stay', () => {
    const compared = [run, null, run].map((side, index) => ({ label: `s${index}`, side }))
    const seats = seatsOf('r', draft, compared)
    expect(kinds(seats)).toEqual(['compared', 'out', 'compared'])
    expect(seats.map(({ leave }) => leave)).toEqual([null, null, null])
    // With one side that answers nobody is left out: the person says who answers for the other.
    expect(kinds(seatsOf('r', draft, compared.slice(0, 2)))).toEqual(['compared', 'compared'])
  })

  it('can be left, taken again, and added to', () => {
    const compared = [run, run].map((side, index) => ({ label: `s${index}`, side }))
    const { result } = renderHook(() => useBehaviour('places'))
    const seats = (): Seat[] => seatsOf('places', result.current.draft, compared)
    act(() => draftTrial('places', { extra: [{ kind: 'file', path: '/a' }] }))
    expect(kinds(seats())).toEqual(['compared', 'compared', 'file'])
    act(() => seats()[0]?.leave?.())
    expect(kinds(seats())).toEqual(['out', 'compared', 'file'])
    expect(seats()[2]?.leave).toBeNull()
    act(() => seats()[0]?.choose({ kind: 'compared' }))
    act(() => seats()[2]?.choose({ kind: 'file', path: '/b' }))
    expect(seats()[2]?.choice).toEqual({ kind: 'file', path: '/b' })
    act(() => seats()[2]?.leave?.())
    expect(kinds(seats())).toEqual(['compared', 'compared'])
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
