import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Release } from '@contract/releases'
import {
  drawnColumns,
  graphScale,
  layoutChain,
  stepAlong,
  visibleColumns
} from '../../../../src-renderer/features/releases/chain-layout'
import { filterReleases } from '../../../../src-renderer/features/releases/release-filter'
import {
  baseOf,
  kindOf,
  metricPairs,
  releaseAt,
  rewardKeyOf
} from '../../../../src-renderer/features/releases/release-model'
import { releaseSpans } from '../../../../src-renderer/features/releases/release-spans'

function row(step: number, more: Partial<Release> = {}): Release {
  return {
    step,
    commitStep: step,
    baseStep: step === 0 ? null : step - 1,
    releaseId: `rel-${step}`,
    parentReleaseId: null,
    contentId: `ck-${step}`,
    contentKind: 'live_weights',
    operation: step === 0 ? 'creation' : 'training',
    result: 'published',
    served: false,
    restorable: false,
    notRestorable: null,
    recordedAt: step === 0 ? null : step * 1000,
    rollbackTarget: null,
    rollbackTargetStep: null,
    leftBehind: false,
    attempt: 1,
    metrics: {},
    consumed: null,
    took: step === 0 ? null : 1000,
    checkpoint: null,
    ...more
  }
}
const back = (step: number, target: number): Release =>
  row(step, { operation: 'rollback', rollbackTargetStep: target, baseStep: target })
/** Newest first, as the engine gives them. */
const chain = (rows: Release[]): Release[] => [...rows].reverse()

describe('the chain as a graph', () => {
  it('puts what a rollback left behind on a branch below the main line', () => {
    const layout = layoutChain(chain([row(0), row(1), row(2), row(3), back(4, 1), row(5)]))
    expect(layout.nodes.map((node) => node.lane)).toEqual([0, 0, 1, 1, 0, 0])
    expect(layout.nodes[4]?.from).toEqual({ column: 1, lane: 0 })
    expect(layout.branches).toEqual([
      { lane: 1, firstStep: 2, lastStep: 3, firstColumn: 2, lastColumn: 3 }
    ])
    expect(layout.jumps.map((node) => node.release.step)).toEqual([4])
  })
  it('gives overlapping branches lanes of their own', () => {
    const layout = layoutChain(chain([row(0), row(1), row(2), back(3, 1), row(4), back(5, 0)]))
    expect(layout.nodes.map((node) => node.lane)).toEqual([0, 1, 2, 1, 1, 0])
    expect(layout.lanes).toBe(3)
  })
  it('never puts two rows of different branches of one lane over each other, whatever the history', () => {
    const history = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 60 })
    fc.assert(
      fc.property(history, (moves) => {
        const rows = [
          row(0),
          ...moves.map((move, index) =>
            move < 0.25 ? back(index + 1, Math.floor(move * 4 * index)) : row(index + 1)
          )
        ]
        const layout = layoutChain(chain(rows))
        expect(layout.nodes.at(-1)?.lane).toBe(0)
        const perLane = new Map<number, (readonly [number, number])[]>()
        for (const branch of layout.branches) {
          const others = perLane.get(branch.lane) ?? []
          for (const [first, last] of others)
            expect(branch.firstColumn > last || branch.lastColumn < first).toBe(true)
          perLane.set(branch.lane, [...others, [branch.firstColumn, branch.lastColumn]])
        }
      })
    )
  })
  it('draws of 20,000 rows only what is in sight and apart', () => {
    const layout = layoutChain(
      chain(Array.from({ length: 20_000 }, (_, step) => row(step, { served: step === 19_999 })))
    )
    const fit = graphScale('fit', 20_000, 1000)
    const shown = drawnColumns(
      layout,
      fit,
      visibleColumns(fit, 20_000, { left: 0, width: 1000 }),
      9
    )
    expect(shown.length).toBeLessThan(130)
    expect(shown).toContain(19_999)
    const natural = graphScale('natural', 20_000, 1000)
    const [first, last] = visibleColumns(natural, 20_000, { left: 160_000, width: 1000 })
    expect(last - first).toBeLessThan(70)
  })
  it('is walked with arrows along a line and between branches', () => {
    const layout = layoutChain(chain([row(0), row(1), row(2), row(3), back(4, 1), row(5)]))
    expect(stepAlong(layout, 4, 'older')).toBe(1)
    expect(stepAlong(layout, 1, 'newer')).toBe(4)
    expect(stepAlong(layout, 4, 'down')).toBe(3)
    expect(stepAlong(layout, 2, 'older')).toBe(1)
    expect(stepAlong(layout, 5, 'newer')).toBeNull()
  })
})

describe('releases on the x axis', () => {
  const spans = (rows: Release[], axis: 'step' | 'relative' | 'wall' = 'step') =>
    releaseSpans({
      releases: chain(rows),
      axis,
      attemptStarts: new Map([[1, 500]]),
      newest: null,
      training: false
    })
  it('end at the optimizer step a row names', () => {
    const blocks = spans([
      row(0),
      row(1, { metrics: { 'train/step': 15 } }),
      row(2, { metrics: { 'train/step': 31 } })
    ])
    expect(blocks.map((block) => [block.from, block.to])).toEqual([
      [-1, -1],
      [-1, 15],
      [15, 31]
    ])
  })
  it('add up counted optimizer steps where none is named, one a row by default', () => {
    expect(
      spans([row(0), row(1), row(2, { metrics: { optimizer_steps: 4 } })]).map((block) => block.to)
    ).toEqual([-1, 0, 4])
  })
  it('give a rollback no width and point to the content it republishes', () => {
    const block = spans([row(0), row(1), row(2), back(3, 1)])[3]
    expect(block).toMatchObject({ from: 1, to: 1, backTo: 0, backToStep: 1, kind: 'rollback' })
  })
  it('stand in time where they were recorded, relative time in seconds of their attempt', () => {
    expect(spans([row(0), row(1), row(2)], 'wall').map((block) => [block.from, block.to])).toEqual([
      [0, 1000],
      [1000, 2000]
    ])
    expect(spans([row(0), row(1)], 'relative')[0]).toMatchObject({ from: 0, to: 0.5 })
  })
  it('show the release being made', () => {
    const blocks = releaseSpans({
      releases: chain([row(0), row(1)]),
      axis: 'step',
      attemptStarts: new Map(),
      newest: 3,
      training: true
    })
    expect(blocks.at(-1)).toMatchObject({ kind: 'running', label: 'r2', from: 0, to: 3 })
  })
})

describe('rows', () => {
  it('are told by the most telling thing', () => {
    expect(kindOf(row(1, { served: true, leftBehind: true }))).toBe('served')
    expect(kindOf(row(1, { result: 'rejected' }))).toBe('rejected')
    expect(kindOf(row(1, { result: 'pending' }))).toBe('pending')
    expect(kindOf(back(3, 1))).toBe('rollback')
    expect(kindOf(row(1, { leftBehind: true }))).toBe('left-behind')
  })
  it('are found by step, also in chains with holes', () => {
    const holed = chain([row(0), row(2), row(7)])
    expect(releaseAt(holed, 2)?.step).toBe(2)
    expect(releaseAt(holed, 3)).toBeNull()
    expect(baseOf(holed, row(7, { baseStep: 2 }))?.step).toBe(2)
  })
  it('compare only numbers that mean something', () => {
    const a = row(1, {
      metrics: { 'train/step': 5, 'rollout/rewards': 0.5, selected: true, 'train/loss': NaN }
    })
    const b = row(0, { metrics: { 'rollout/rewards': 0.25 } })
    expect(metricPairs(a, b)).toEqual([
      { key: 'rollout/rewards', value: 0.5, other: 0.25, difference: 0.25 }
    ])
    expect(rewardKeyOf([a])).toBe('rollout/rewards')
  })
  it('are filtered by words, ranges and flags together', () => {
    const rows = chain([row(0), row(30, { restorable: true }), row(35), row(41)])
    const steps = (typed: string) => filterReleases(rows, typed).map((release) => release.step)
    expect(steps('r30..r40')).toEqual([35, 30])
    expect(steps('r40..30 restorable')).toEqual([30])
    expect(steps('ck-41')).toEqual([41])
    expect(steps('creation')).toEqual([0])
    expect(steps('nothing-like-it')).toEqual([])
  })
})
