import type { ResultRow } from '@contract/compare'
import { describe, expect, it } from 'vitest'
import type { LaneBlock } from '../../../../src-renderer/charts'
import { drawWhiskers } from '../../../../src-renderer/charts/draw/annotations'
import type { Pen, Plot } from '../../../../src-renderer/charts/draw/pen'
import { placeResults } from '../../../../src-renderer/features/curves/result-panels'

const row = (more: Partial<ResultRow>): ResultRow => ({
  release: null,
  step: null,
  task: 't',
  n: 10,
  correct: 5,
  score: 0.5,
  interval: [0.24, 0.76],
  ...more
})

const block = (step: number, from: number, to: number): LaneBlock => ({
  step,
  label: `r${step}`,
  kind: 'training',
  from,
  to,
  restorable: true,
  backTo: null,
  backToStep: null
})

const lane = [block(0, -1, -1), block(1, -1, 3), block(2, 3, 7)]

describe('results on the x axis of the curves', () => {
  it('stand where their release ends, at their own step, or before all', () => {
    const rows = [
      row({ release: 2, score: 0.7 }),
      row({ step: 5, score: 0.6 }),
      row({ score: 0.1 }),
      row({ release: 9 }),
      row({ release: 1, score: null })
    ]
    expect(placeResults(rows, lane, 'step').map(({ x, score }) => [x, score])).toEqual([
      [-1, 0.1],
      [5, 0.6],
      [7, 0.7]
    ])
    // A count of steps says nothing of a time.
    expect(placeResults(rows, lane, 'wall').map(({ x }) => x)).toEqual([-1, 7])
    expect(placeResults(rows, [], 'step').map(({ x }) => x)).toEqual([5])
  })

  it('of two of one place the later counts', () => {
    const rows = [row({ release: 1, score: 0.2 }), row({ release: 1, score: 0.3 })]
    expect(placeResults(rows, lane, 'step')).toMatchObject([{ x: 3, score: 0.3 }])
  })

  it('are drawn from the lower to the upper end of their interval', () => {
    const lines: number[][] = []
    let from: number[] = []
    const arcs: number[][] = []
    const nothing = (): void => undefined
    const pen = {
      beginPath: nothing,
      moveTo: (x: number, y: number) => {
        from = [x, y]
      },
      lineTo: (x: number, y: number) => lines.push([...from, x, y]),
      stroke: nothing,
      fill: nothing,
      arc: (x: number, y: number) => arcs.push([x, y])
    } as unknown as Pen
    const plot: Plot = {
      left: 0,
      top: 0,
      width: 100,
      height: 100,
      ratio: 1,
      range: [0, 10],
      toX: (x) => x * 10,
      toY: (y) => 100 - y * 100
    }
    const whisker = { x: 5, value: 0.5, low: 0.25, high: 0.75 }
    drawWhiskers(pen, plot, [whisker, { ...whisker, x: 11 }], 'c')
    expect(lines[0]).toEqual([50, 75, 50, 25])
    expect(lines).toHaveLength(3)
    expect(arcs).toEqual([[50, 50]])
  })
})
