import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SeriesPart } from '@contract/metrics'
import {
  curveOf,
  decodeAnswer,
  indexAtOrBefore,
  newestRaw
} from '../../../../src-renderer/charts/columns'
import type { Curve } from '../../../../src-renderer/charts/columns'
import { nextShare } from '../../../../src-renderer/charts/draw-queue'
import { createChartGroup, shownRange } from '../../../../src-renderer/charts/chart-group'
import { countNonFinite, lastLegalValue, restartsOf } from '../../../../src-renderer/charts/marks'
import {
  formatDifference,
  formatTicks,
  formatValue
} from '../../../../src-renderer/charts/number-format'
import { looksOf } from '../../../../src-renderer/charts/palette'
import { stallVerdict } from '../../../../src-renderer/charts/stall'
import { pointTable, toCsv } from '../../../../src-renderer/charts/table-rows'
import { linearTicks, logTicks, niceRange } from '../../../../src-renderer/charts/ticks'
import { tipRows } from '../../../../src-renderer/charts/tip-rows'
import { backward, chooseScale, forward } from '../../../../src-renderer/charts/value-scale'
import { panned, valueRange, zoomed } from '../../../../src-renderer/charts/view-range'

function curve(key: string, xs: number[], raw: number[], more: Partial<Curve> = {}): Curve {
  return {
    key,
    attempt: 1,
    source: 's',
    superseded: false,
    total: xs.length,
    x: Float64Array.from(xs),
    min: Float64Array.from(raw),
    max: Float64Array.from(raw),
    raw: Float64Array.from(raw),
    smooth: Float64Array.from(raw.map(() => NaN)),
    smoothed: false,
    nonFinite: [],
    nonFiniteCount: 0,
    ...more
  }
}

const part = (offset: number, count: number): SeriesPart => ({
  key: 'train/loss',
  attempt: 2,
  source: 's',
  offset,
  count,
  total: count,
  superseded: false,
  nonFinite: [],
  nonFiniteCount: 0
})

describe('columns of an answer', () => {
  it('are read in the order x, min, max, raw, smooth from the element offset', () => {
    const numbers = Float64Array.from([99, 1, 2, 10, 20, 30, 40, 50, 60, 70, 80])
    const read = curveOf(part(1, 2), numbers.buffer)
    expect([...read.x, ...read.min, ...read.max, ...read.raw, ...read.smooth]).toEqual([
      1, 2, 10, 20, 30, 40, 50, 60, 70, 80
    ])
    expect(read.smoothed).toBe(true)
  })
  it('are the very numbers that were sent, those that are none included', () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { minLength: 10, maxLength: 10 }), (sent) => {
        const numbers = Buffer.from(Float64Array.from(sent).buffer).toString('base64')
        const answer = { revision: 7, extent: null, parts: [part(0, 2)], numbers }
        const [read] = decodeAnswer(answer).curves
        const got = read === undefined ? [] : [read.x, read.min, read.max, read.raw, read.smooth]
        expect(got.flatMap((column) => [...column])).toEqual(sent)
      })
    )
  })
  it('are refused when a part points outside the answer', () => {
    expect(() => curveOf(part(1, 2), new Float64Array(10).buffer)).toThrow(/needs elements 1 to 11/)
  })
  it('find the place of any x', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 })),
        fc.integer({ min: -60, max: 60 }),
        (list, x) => {
          const xs = Float64Array.from([...list].sort((a, b) => a - b))
          expect(indexAtOrBefore(xs, x)).toBe([...xs].filter((each) => each <= x).length - 1)
        }
      )
    )
  })
  it('give the newest value of the latest attempt, skipping gaps', () => {
    const old = curve('k', [1, 9], [1, 2])
    const now = curve('k', [3, 4], [5, NaN], { attempt: 2 })
    expect(newestRaw([now, old])).toEqual({ x: 3, value: 5 })
    const smooth = { smooth: Float64Array.from([4, 4]), smoothed: true }
    expect(newestRaw([{ ...now, ...smooth }])).toEqual({ x: 3, value: 5 })
  })
})

describe('value scales', () => {
  it('come back to where they started, zero and negatives included', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (value) => {
        const scale = { kind: 'symlog', threshold: 0.01 } as const
        const back = backward(scale, forward(scale, value))
        expect(Math.abs(back - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-9 + 1e-12)
      })
    )
  })
  it('are monotone', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
        (a, b) => {
          const scale = { kind: 'symlog', threshold: 1e-3 } as const
          if (a < b) expect(forward(scale, a)).toBeLessThanOrEqual(forward(scale, b))
        }
      )
    )
  })
  it('turn symmetric where a logarithm would lose zeros', () => {
    expect(chooseScale('log', { low: 0.1, high: 10, smallest: 0.1 }).kind).toBe('log')
    expect(chooseScale('log', { low: 0, high: 10, smallest: 0.1 }).kind).toBe('symlog')
    expect(chooseScale('log', { low: -3, high: 10, smallest: 0.1 }).kind).toBe('symlog')
    expect(chooseScale('log', { low: 0, high: 0, smallest: Infinity }).kind).toBe('linear')
    expect(chooseScale('linear', { low: -3, high: 10, smallest: 0.1 }).kind).toBe('linear')
  })
})

describe('ticks', () => {
  const range = fc
    .tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e6, noNaN: true })
    )
    .map(([low, width]) => [low, low + width] as const)
  it('are at most five, ascending and inside', () => {
    fc.assert(
      fc.property(range, ([low, high]) => {
        const ticks = linearTicks(low, high)
        const slack = (high - low) * 1e-6
        expect(ticks.length).toBeLessThanOrEqual(5)
        for (const [index, tick] of ticks.entries()) {
          expect(tick).toBeGreaterThanOrEqual(low - slack)
          expect(tick).toBeLessThanOrEqual(high + slack)
          if (index > 0) expect(tick).toBeGreaterThan(ticks[index - 1] ?? Infinity)
        }
      })
    )
  })
  it('of a nice range stand on both its ends', () => {
    fc.assert(
      fc.property(range, ([low, high]) => {
        const [bottom, top] = niceRange(low, high)
        expect(bottom).toBeLessThanOrEqual(low + (high - low) * 1e-6)
        expect(top).toBeGreaterThanOrEqual(high - (high - low) * 1e-6)
        expect(linearTicks(bottom, top).length).toBeGreaterThanOrEqual(2)
      })
    )
  })
  it('of a log axis are powers of ten, and keep zero when symmetric', () => {
    expect(logTicks({ kind: 'log' }, 0.1, 10)).toEqual([0.1, 1, 10])
    expect(logTicks({ kind: 'symlog', threshold: 0.01 }, -1, 1)).toContain(0)
    expect(logTicks({ kind: 'log' }, 1e-9, 1e9).length).toBeLessThanOrEqual(5)
  })
  it('are written with equal decimals', () => {
    expect(formatTicks([0, 0.25, 0.5])).toEqual(['0.00', '0.25', '0.50'])
    expect(formatTicks([0, 500, 1000])).toEqual(['0', '500', '1\u202f000'])
    expect(formatTicks([0, 20000])).toEqual(['0', '20k'])
  })
})

describe('numbers for people', () => {
  it('carry thin spaces, a true minus and no needless digits', () => {
    expect(formatValue(41208)).toBe('41\u202f208')
    expect(formatValue(-0.142)).toBe('−0.142')
    expect(formatValue(4.1e-4)).toBe('4.1e−4')
    expect(formatValue(3)).toBe('3')
    expect(formatValue(NaN)).toBe('NaN')
  })
  it('write a difference to the decimals of its value, never to nothing', () => {
    expect(formatDifference(0.0189, 0.608)).toBe('+0.019')
    expect(formatDifference(-0.00012, 0.608)).toBe('−1.2e−4')
    expect(formatDifference(0, 0.608)).toBe('0')
    expect(formatDifference(0.5, 0, 0.5)).toBe('+0.500')
    expect(formatDifference(75.439, 0.871, 76.31)).toBe('+75.44')
    expect(formatDifference(0.818, 0.182, 1)).toBe('+0.818')
    expect(formatDifference(-1, null, 3)).toBe('−1')
  })
})

describe('looks', () => {
  it('follow a name, not what is shown', () => {
    const all = looksOf(['a', 'b', 'c'])
    expect(all.get('c')?.token).toBe('c3')
    expect(looksOf(['a', 'b', 'c', 'd', 'e', 'f', 'g']).get('g')).toEqual({
      token: 'c1',
      dash: [6, 3]
    })
  })
})

describe('marks', () => {
  it('put the cross of a NaN at the last legal value', () => {
    expect(lastLegalValue(curve('k', [1, 2, 3], [5, 7, NaN]), 3)).toBe(7)
    expect(lastLegalValue(curve('k', [1], [NaN]), 3)).toBeNull()
  })
  it('count what the engine lists and what it only counts', () => {
    const bad = curve('k', [1], [1], {
      nonFinite: [
        { x: 1, kind: 'nan' },
        { x: 2, kind: '+inf' }
      ],
      nonFiniteCount: 5
    })
    expect(countNonFinite([bad])).toEqual({ nan: 4, infinite: 1 })
  })
  it('draw a restart where each later attempt begins', () => {
    expect(
      restartsOf([
        curve('a', [0, 5], [1, 1]),
        curve('a', [6], [1], { attempt: 2 }),
        curve('b', [4], [1], { attempt: 2 })
      ])
    ).toEqual([{ attempt: 2, x: 4 }])
  })
})

describe('the shared view', () => {
  it('stays live at the right edge, and stops when one looks back', () => {
    const group = createChartGroup()
    group.grow([0, 100])
    group.show([50, 100])
    expect(group.store.getState().live).toBe(true)
    group.grow([0, 110])
    expect(group.store.getState().range).toEqual([60, 110])
    group.show([0, 20])
    expect(group.store.getState().live).toBe(false)
    group.grow([0, 500])
    expect(shownRange(group.store.getState())).toEqual([0, 20])
    group.reset()
    expect(group.store.getState()).toMatchObject({ range: null, live: true })
  })
  it('holds still when live is switched off, and returns to the newest', () => {
    const group = createChartGroup()
    group.grow([0, 100])
    group.toggleLive()
    const held = shownRange(group.store.getState())
    group.grow([0, 300])
    expect(shownRange(group.store.getState())).toEqual(held)
    group.show([50, 80])
    group.toggleLive()
    expect(group.store.getState().range).toEqual([270, 300])
  })
  it('keeps the point under the pointer when zooming, and the width when panning', () => {
    const [low, high] = zoomed([0, 100], 25, 0.5, null)
    expect((25 - low) / (high - low)).toBeCloseTo(0.25)
    expect(panned([80, 100], 50, [0, 110])).toEqual([90, 110])
    expect(panned([10, 30], -50, [0, 110])).toEqual([0, 20])
  })
})

describe('tooltip rows', () => {
  it('stand by value, with the raw one under a smoothed one, and none from far away', () => {
    const rows = tipRows(
      [
        curve('low', [10], [1]),
        curve('high', [10], [3], { smooth: Float64Array.of(2), smoothed: true }),
        curve('far', [90], [9])
      ],
      10,
      [0, 100]
    )
    expect(rows.map((row) => [row.key, row.value, row.raw])).toEqual([
      ['high', 2, 3],
      ['low', 1, null]
    ])
  })
})

describe('silence', () => {
  it('is judged by the usual pace', () => {
    const slow = [0, 100_000, 200_000]
    expect(stallVerdict(slow, 400_000, true).kind).toBe('fresh')
    expect(stallVerdict(slow, 900_000, true)).toEqual({ kind: 'stalled', forMilliseconds: 700_000 })
    expect(stallVerdict(slow, 900_000, false).kind).toBe('fresh')
    expect(stallVerdict([0], 900_000, true).kind).toBe('unknown')
  })
})

describe('CSV', () => {
  it('keeps full precision, empties gaps and defuses formulas', () => {
    const csv = toCsv([curve('=cmd"x', [1], [NaN]), curve('a', [0.1], [1 / 3])])
    const lines = csv.split('\r\n')
    expect(lines[1]).toBe('"\'=cmd""x",1,false,1,,,,')
    expect(lines[2]).toBe(`a,1,false,0.1,${1 / 3},${1 / 3},${1 / 3},`)
  })
})

describe('the data table', () => {
  const band = { min: Float64Array.from([1, 1]), max: Float64Array.from([5, 5]) }
  it('gives a sample that stands for itself no band of its neighbour', () => {
    expect(pointTable([curve('k', [1, 2], [1, 5], band)]).row(0)).toMatchObject({ min: 1, max: 1 })
  })
  it('gives a point that stands for several their extremes', () => {
    const thinned = curve('k', [1, 2], [1, 5], { ...band, total: 9 })
    expect(pointTable([thinned]).row(0)).toMatchObject({ min: 1, max: 5 })
  })
})

describe('the axis of a value that never changes', () => {
  const flat = (value: number) =>
    valueRange({ low: value, high: value, smallest: Math.abs(value) }, { kind: 'linear' }, [])
  it('begins at zero and never shows values of the other sign', () => {
    expect(flat(0)).toEqual([0, 1])
    expect(flat(1)).toEqual([0, 2])
    expect(flat(-3)[1]).toBe(0)
    expect(flat(-3)[0]).toBeLessThanOrEqual(-6)
  })
})

describe('drawings in one frame', () => {
  it('are one where each takes long, and rise one by one where they are quick', () => {
    expect(nextShare(12, 90)).toBe(1)
    expect(nextShare(12, 8)).toBe(3)
    expect(nextShare(2, 0)).toBe(3)
    let share = 1
    for (let frame = 0; frame < 50; frame++) share = nextShare(share, 1)
    expect(share).toBe(12)
  })
})
