import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Curve } from '../../../../src-renderer/charts/columns'
import {
  crossPositions,
  drawLane,
  drawNonFinite
} from '../../../../src-renderer/charts/draw/annotations'
import {
  bandStretches,
  drawCurve,
  drawLine,
  drawLitPiece
} from '../../../../src-renderer/charts/draw/curves'
import { hiddenBy } from '../../../../src-renderer/charts/draw/clear-place'
import type { Pen, Plot } from '../../../../src-renderer/charts/draw/pen'
import { drawReferences } from '../../../../src-renderer/charts/draw/references'
import type { Palette } from '../../../../src-renderer/charts/palette'

type Call = readonly [string, ...unknown[]]

/** A pen that writes down what it is asked to draw, with colour and alpha at that moment. */
function recorder(): { pen: Pen; calls: Call[] } {
  const calls: Call[] = []
  const state: Record<string, unknown> = { globalAlpha: 1 }
  const pen = new Proxy(state, {
    get: (target, name) => {
      if (typeof name !== 'string') return undefined
      if (name in target) return target[name]
      if (name === 'measureText') return (text: string) => ({ width: text.length * 7 })
      return (...args: unknown[]) => {
        const ink = name === 'stroke' ? target['strokeStyle'] : target['fillStyle']
        calls.push(
          ['stroke', 'fill', 'fillRect'].includes(name)
            ? [name, ...args, ink, target['globalAlpha']]
            : [name, ...args]
        )
      }
    }
  })
  return { pen: pen as unknown as Pen, calls }
}

const plot: Plot = {
  left: 0,
  top: 0,
  width: 100,
  height: 50,
  ratio: 1,
  range: [0, 100],
  toX: (x) => x,
  toY: (y) => 50 - y
}
const palette: Palette = {
  series: ['c1'],
  compareA: 'A',
  compareB: 'B',
  panel: 'panel',
  text: 'text',
  text2: 'text2',
  text3: 'text3',
  grid: 'grid',
  axis: 'axis',
  lit: 'lit',
  ring: 'ring',
  accentText: 'accent',
  running: 'running',
  ready: 'ready',
  warn: 'warn',
  fail: 'fail',
  failWash: 'wash',
  line3: 'line3',
  sans: 'sans',
  mono: 'mono'
}
const of = (...values: number[]): Float64Array => Float64Array.from(values)
const curve = (xs: Float64Array, raw: Float64Array, more: Partial<Curve> = {}): Curve => ({
  key: 'k',
  attempt: 1,
  source: 's',
  superseded: false,
  total: xs.length,
  x: xs,
  min: raw,
  max: raw,
  raw,
  smooth: raw.map(() => NaN),
  smoothed: false,
  nonFinite: [],
  nonFiniteCount: 0,
  ...more
})
const named = (calls: readonly Call[], name: string): Call[] =>
  calls.filter((call) => call[0] === name)

describe('a line', () => {
  const style = { colour: 'c', dash: [], width: 1, alpha: 1 }
  it('lifts the pen at gaps and makes a lone point a dot', () => {
    const { pen, calls } = recorder()
    drawLine(pen, plot, { xs: of(1, 2, 3, 4, 5), ys: of(1, 2, NaN, 4, NaN), span: [0, 4], style })
    expect(named(calls, 'moveTo')).toEqual([
      ['moveTo', 1, 49],
      ['moveTo', 4, 46]
    ])
    expect(named(calls, 'lineTo')).toEqual([['lineTo', 2, 48]])
    expect(named(calls, 'arc').map((call) => call.slice(1, 3))).toEqual([[4, 46]])
  })

  it('keeps first, lowest, highest and last of a pixel column, and nothing else', () => {
    const columns = fc.array(
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 12 }),
      { minLength: 1, maxLength: 8 }
    )
    fc.assert(
      fc.property(columns, (some) => {
        const { pen, calls } = recorder()
        const xs = some.flatMap((values, column) =>
          values.map((_, i) => column + i / (values.length + 1))
        )
        const ys = some.flat()
        drawLine(pen, plot, { xs: of(...xs), ys: of(...ys), span: [0, ys.length - 1], style })
        const points = calls
          .filter((call) => call[0] === 'moveTo' || call[0] === 'lineTo')
          .map((call) => [Math.floor(Number(call[1])), 50 - Number(call[2])] as const)
        some.forEach((values, column) => {
          const drawn = points.filter(([x]) => x === column).map(([, y]) => y)
          expect(drawn[0]).toBe(values[0])
          expect(drawn.at(-1)).toBe(values.at(-1))
          expect(Math.min(...drawn)).toBe(Math.min(...values))
          expect(Math.max(...drawn)).toBe(Math.max(...values))
          expect(drawn.length).toBeLessThanOrEqual(4)
        })
      })
    )
  })
})

describe('a curve', () => {
  it('has its raw line faint under the smoothed one', () => {
    const { pen, calls } = recorder()
    const smoothed = curve(of(1, 2), of(1, 5), { smooth: of(2, 3), smoothed: true })
    drawCurve(pen, plot, smoothed, { colour: 'c1', dash: [], band: false, rawUnder: true })
    expect(named(calls, 'stroke').map((call) => call[2])).toEqual([0.28, 1])
  })
  it('closes one band for each stretch without a gap', () => {
    expect(
      bandStretches({ min: of(1, 1, NaN, 1, 1, 1), max: of(2, 2, 2, 2, 2, 2) }, [0, 5])
    ).toEqual([
      [0, 1],
      [3, 5]
    ])
  })
  it('lights nothing where it has no point inside the release', () => {
    const { pen, calls } = recorder()
    drawLitPiece(pen, plot, curve(of(1, 2, 3), of(1, 1, 1)), { range: [40, 50], colour: 'x' })
    expect(calls).toEqual([])
    drawLitPiece(pen, plot, curve(of(1, 2, 3, 9), of(1, 1, 1, 1)), { range: [1, 3], colour: 'x' })
    expect(named(calls, 'lineTo').map((call) => call[1])).toEqual([2, 3])
  })
})

describe('values that are no numbers', () => {
  const bad = curve(of(10, 20, 60), of(30, NaN, 5), {
    nonFinite: [
      { x: 20, kind: 'nan' },
      { x: 21, kind: 'nan' },
      { x: 80, kind: '+inf' }
    ]
  })
  it('stand at the last legal value, near ones as one, infinity at the edge', () => {
    expect(crossPositions(plot, bad)).toEqual([
      { x: 20, y: 20, count: 2, kind: 'nan' },
      { x: 80, y: 8, count: 1, kind: '+inf' }
    ])
  })
  it('are drawn in the failure colour and say what they are', () => {
    const { pen, calls } = recorder()
    drawNonFinite(pen, plot, bad, palette)
    expect(named(calls, 'stroke').every((call) => call[1] === 'fail')).toBe(true)
    expect(named(calls, 'fillText')[0]?.[1]).toBe('NaN ×2')
  })
})

describe('the release lane', () => {
  it('draws one bar a visible release, the lit one in the text colour', () => {
    const { pen, calls } = recorder()
    const block = (step: number, from: number, kind: 'training' | 'served') => ({
      step,
      label: `r${step}`,
      kind,
      from,
      to: from + 10,
      restorable: false,
      backTo: null,
      backToStep: null
    })
    drawLane(
      pen,
      plot,
      [
        block(1, 0, 'training'),
        block(2, 10, 'served'),
        block(3, 20, 'training'),
        block(4, 500, 'training')
      ],
      {
        palette,
        lit: new Set([3])
      }
    )
    expect(named(calls, 'fillRect').map((call) => call[5])).toEqual(['text3', 'ready', 'text'])
  })
})

describe('the words of a reference line', () => {
  const wide: Plot = { ...plot, width: 300, height: 100, range: [0, 300], toY: (y) => 100 - y }
  const placed = (curves: readonly Curve[], value: number): Call[] => {
    const { pen, calls } = recorder()
    drawReferences(pen, wide, [{ value, label: 'start' }], { palette, curves })
    return named(calls, 'fillText')
  }
  const plate = (call: Call | undefined) => ({
    left: Number(call?.[2]) - 2,
    top: Number(call?.[3]) - 11,
    width: 'start'.length * 7 + 4,
    height: 14
  })
  it('stand above its right end where nothing is in the way', () => {
    expect(placed([], 50)).toEqual([['fillText', 'start', 263, 44]])
  })
  it('go below, then to the left, away from a curve', () => {
    const above = curve(of(200, 300), of(60, 60))
    const below = curve(of(200, 300), of(40, 40))
    expect(placed([above], 50)).toEqual([['fillText', 'start', 263, 63]])
    expect(placed([above, below], 50)).toEqual([['fillText', 'start', 2, 44]])
  })
  it('see the line between two far samples, and the gap where there is none', () => {
    expect(placed([curve(of(0, 300), of(56, 56))], 50)).toEqual([['fillText', 'start', 263, 63]])
    const gap = curve(of(0, 150, 300), of(56, NaN, 56))
    expect(hiddenBy(wide, { left: 20, top: 33, width: 39, height: 14 }, gap)).toBe(0)
  })
  it('go where no other line runs through them', () => {
    const { pen, calls } = recorder()
    const lines = [
      { value: 60, label: 'start' },
      { value: 50, label: 'start' }
    ]
    drawReferences(pen, wide, lines, { palette, curves: [] })
    // Above the lower line there are ten pixels only: its words go below it.
    expect(named(calls, 'fillText').map((call) => call[3])).toEqual([34, 63])
  })
  it('hide no curve wherever another place is free', () => {
    const rising = fc.tuple(fc.integer({ min: 5, max: 95 }), fc.integer({ min: 5, max: 95 }))
    fc.assert(
      fc.property(rising, fc.integer({ min: 5, max: 95 }), ([from, to], value) => {
        const line = curve(of(0, 300), of(from, to))
        const [call] = placed([line], value)
        expect(hiddenBy(wide, plate(call), line)).toBe(0)
      })
    )
  })
})
