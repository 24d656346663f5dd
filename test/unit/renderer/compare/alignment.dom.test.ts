import type { Release } from '@contract/releases'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  forkOf,
  lineageOf,
  sampleAxis,
  tokensOf,
  tracksOf,
  type TrackSide
} from '../../../../src-main/contract/comparing'
import { alignCurve } from '../../../../src-renderer/features/compare/curve-alignment'
import type { ChartData } from '../../../../src-renderer/charts'

const MINUTE = 60_000

/** A trained release each minute, 4 answers of 100 tokens behind each. */
function release(step: number, baseStep: number | null, more: Partial<Release> = {}): Release {
  return {
    step,
    commitStep: step,
    baseStep,
    releaseId: `id-${step}`,
    parentReleaseId: null,
    contentId: 'c',
    contentKind: 'saved_artifact',
    operation: step === 0 ? 'creation' : 'training',
    result: 'published',
    served: false,
    restorable: true,
    notRestorable: null,
    recordedAt: step === 0 ? null : step * MINUTE,
    rollbackTarget: null,
    rollbackTargetStep: null,
    leftBehind: false,
    attempt: 1,
    metrics: { 'rollout/total_lengths': 100 },
    consumed: 4,
    took: step === 0 ? null : MINUTE,
    checkpoint: null,
    ...more
  }
}

// r1 r2 r3, back to r1 (r4), then r5 r6: two branches that part after r1.
const chain = [
  release(0, null),
  release(1, 0),
  release(2, 1),
  release(3, 2),
  release(4, 1, { operation: 'rollback', consumed: 0 }),
  release(5, 4),
  release(6, 5)
].reverse()

const side = (step: number, releases: readonly Release[] = chain, run = 'one'): TrackSide => ({
  label: `r${step}`,
  run,
  step,
  releases
})

const samples = (attempt = 1): ChartData => {
  const at = [1, 2, 3, 5, 6].map((step) => step * MINUTE)
  const x = Float64Array.from(at)
  const raw = Float64Array.from(at, (time) => time / MINUTE)
  return {
    revision: 1,
    extent: null,
    curves: [
      {
        key: 'reward',
        attempt,
        source: '',
        superseded: false,
        total: x.length,
        x,
        min: raw,
        max: raw,
        raw,
        smooth: raw,
        smoothed: false,
        nonFinite: [],
        nonFiniteCount: 0
      }
    ]
  }
}

function drawn(
  sides: readonly TrackSide[],
  alignment: Parameters<typeof tracksOf>[1]
): (readonly (readonly [number, number])[])[] {
  const tracks = tracksOf(sides, alignment)
  if (tracks === null) throw new Error('nothing to align')
  return tracks.map((track) => {
    const curve = alignCurve(track, samples(), 'reward', alignment)
    return [...(curve?.x ?? [])].map((x, index) => [x, curve?.raw[index] ?? NaN] as const)
  })
}

describe('curves of two branches', () => {
  it('know the way each release came and where they part', () => {
    expect(lineageOf(chain, 3).map(({ step }) => step)).toEqual([0, 1, 2, 3])
    expect(lineageOf(chain, 6).map(({ step }) => step)).toEqual([0, 1, 4, 5, 6])
    expect(forkOf(lineageOf(chain, 3), lineageOf(chain, 6))).toBe(1)
  })

  it('by step count what each side learnt, not what was left', () => {
    expect(drawn([side(3), side(6)], 'step')).toEqual([
      [
        [1, 1],
        [2, 2],
        [3, 3]
      ],
      [
        [1, 1],
        [2, 5],
        [3, 6]
      ]
    ])
  })

  it('at the fork have zero where they part', () => {
    expect(drawn([side(3), side(6)], 'fork')).toEqual([
      [
        [0, 1],
        [1, 2],
        [2, 3]
      ],
      [
        [0, 1],
        [1, 5],
        [2, 6]
      ]
    ])
    // Of one line, the earlier is the fork.
    expect(drawn([side(1), side(3)], 'fork')[1]?.map(([x]) => x)).toEqual([0, 1, 2])
    // A side of another run begins at zero.
    expect(drawn([side(3), side(3, chain, 'two')], 'fork')[0]?.map(([x]) => x)).toEqual([1, 2, 3])
  })

  it('by tokens and by time add up what each step took', () => {
    expect(tokensOf(release(1, 0))).toBe(400)
    expect(drawn([side(6)], 'tokens')[0]?.map(([x]) => x)).toEqual([400, 800, 1200])
    expect(drawn([side(6)], 'time')[0]?.map(([x]) => x)).toEqual([60, 120, 180])
    const silent = chain.map((one) => ({ ...one, metrics: {} }))
    expect(tracksOf([side(3), side(3, silent)], 'tokens')).toBeNull()
  })

  it('of a run without releases stand where they were logged, and have no tokens to be laid by', () => {
    const plain: TrackSide = { label: 'plain', run: 'two', step: null, releases: [] }
    const [, track] = tracksOf([side(3), plain], 'step') ?? []
    if (track === undefined) throw new Error('the plain run has no track')
    expect([sampleAxis(track, 'step'), sampleAxis(track, 'time')]).toEqual(['native', 'relative'])
    const curve = alignCurve(track, samples(), 'reward', 'step')
    expect([...(curve?.x ?? [])]).toEqual([1, 2, 3, 5, 6].map((step) => step * MINUTE))
    expect(tracksOf([side(3), plain], 'tokens')).toBeNull()
  })

  it('leave samples of another attempt out', () => {
    const [track] = tracksOf([side(3)], 'step') ?? []
    expect(track && alignCurve(track, samples(2), 'reward', 'step')).toBeNull()
  })

  it('never run backwards, whatever the chain says', () => {
    const rows = fc.array(
      fc.record({
        base: fc.nat(12),
        took: fc.option(fc.nat(5 * MINUTE)),
        back: fc.boolean()
      }),
      { minLength: 1, maxLength: 12 }
    )
    fc.assert(
      fc.property(rows, fc.constantFrom('step', 'tokens', 'time', 'fork'), (given, alignment) => {
        const releases = given
          .map(({ base, took, back }, step) =>
            release(step, step === 0 ? null : base, {
              took,
              operation: step === 0 ? 'creation' : back ? 'rollback' : 'training'
            })
          )
          .reverse()
        const sides = [side(0, releases), side(given.length - 1, releases)]
        for (const track of tracksOf(sides, alignment) ?? []) {
          const curve = alignCurve(track, samples(), 'reward', alignment)
          const x = [...(curve?.x ?? [])]
          expect(x).toEqual([...x].sort((one, two) => one - two))
          expect(x.every(Number.isFinite)).toBe(true)
        }
      })
    )
  })
})
