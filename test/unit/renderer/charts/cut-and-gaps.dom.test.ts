import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Curve } from '../../../../src-renderer/charts/columns'
import { bandStretches } from '../../../../src-renderer/charts/draw/curves'
import { liftsOf } from '../../../../src-renderer/charts/gaps'
import { cutPoints, ordinarySpread } from '../../../../src-renderer/charts/outliers'
import type { Palette } from '../../../../src-renderer/charts/palette'
import { NO_MARKS } from '../../../../src-renderer/charts/marks'
import { svgPicture } from '../../../../src-renderer/charts/svg-picture'
import { paperValuesOf } from '../../../../src-renderer/features/curves/paper-values'

function curveOf(xs: readonly number[], values: readonly number[]): Curve {
  const column = Float64Array.from(values)
  return {
    key: 'train/loss',
    attempt: 1,
    source: 's',
    superseded: false,
    total: xs.length,
    x: Float64Array.from(xs),
    min: column,
    max: column,
    raw: column,
    smooth: new Float64Array(xs.length).fill(NaN),
    smoothed: false,
    nonFinite: [],
    nonFiniteCount: 0
  }
}
const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

describe('gaps', () => {
  it('lift the pen where steps are missing, also between thinned pairs', () => {
    const missing = [...count(20), ...count(20).map((i) => i + 100)]
    expect([...(liftsOf(Float64Array.from(missing)) ?? [])].indexOf(1)).toBe(20)
    const pairs = count(50).flatMap((i) => [
      i * 10 + (i >= 25 ? 500 : 0),
      i * 10 + 9 + (i >= 25 ? 500 : 0)
    ])
    expect([...(liftsOf(Float64Array.from(pairs)) ?? [])].indexOf(1)).toBe(50)
  })

  it('are none in an even or a short series', () => {
    expect(liftsOf(Float64Array.from(count(500)))).toBeNull()
    expect(liftsOf(Float64Array.from(count(500).map((i) => i * 20)))).toBeNull()
    expect(liftsOf(Float64Array.from([0, 1, 900]))).toBeNull()
  })

  it('split the band as well as the line', () => {
    const xs = [...count(10), ...count(10).map((i) => i + 400)]
    const curve = curveOf(xs, xs)
    expect(bandStretches(curve, [0, 19], liftsOf(curve.x))).toEqual([
      [0, 9],
      [10, 19]
    ])
    expect(bandStretches(curve, [0, 19])).toEqual([[0, 19]])
  })
})

describe('ordinarySpread', () => {
  it('leaves a spike outside, and says where', () => {
    const values = count(200).map((i) => (i === 77 ? 1e9 : i === 90 ? -1e9 : Math.sin(i)))
    const curve = curveOf(count(200), values)
    const spread = ordinarySpread([curve], [0, 199])
    expect(spread?.high).toBeLessThan(3)
    expect(spread?.low).toBeGreaterThan(-3)
    const cut = cutPoints([curve], [0, 199], [spread?.low ?? 0, spread?.high ?? 0])
    expect([cut.above, cut.below]).toEqual([[77], [90]])
    expect(cutPoints([curve], [100, 199], [-3, 3])).toEqual({ above: [], below: [] })
  })

  it('never goes beyond the values, and always holds the middle ones', () => {
    const values = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), {
      minLength: 1,
      maxLength: 300
    })
    fc.assert(
      fc.property(values, (some) => {
        const spread = ordinarySpread([curveOf(count(some.length), some)], [0, some.length])
        const sorted = [...some].sort((a, b) => a - b)
        const middle = sorted[Math.floor(some.length / 2)] ?? 0
        expect(spread?.low).toBeGreaterThanOrEqual(sorted[0] ?? 0)
        expect(spread?.high).toBeLessThanOrEqual(sorted.at(-1) ?? 0)
        expect(spread?.low).toBeLessThanOrEqual(middle)
        expect(spread?.high).toBeGreaterThanOrEqual(middle)
      })
    )
  })
})

describe('svgPicture', () => {
  const ink = 'rgb(1, 2, 3)'
  const palette: Palette = {
    series: [ink, ink, ink, ink, ink, ink],
    compareA: ink,
    compareB: ink,
    panel: '#fff',
    text: ink,
    text2: ink,
    text3: ink,
    grid: ink,
    axis: ink,
    lit: ink,
    ring: ink,
    accentText: ink,
    running: ink,
    ready: ink,
    warn: ink,
    fail: ink,
    failWash: ink,
    line3: ink,
    sans: '"Noto Sans", sans-serif',
    mono: 'monospace'
  }

  it('is a document of its own with title, axes, curves and marks, whatever the names hold', () => {
    const curve = {
      ...curveOf(count(20), count(20)),
      nonFinite: [{ x: 5, kind: 'nan' as const }],
      nonFiniteCount: 1
    }
    const text = svgPicture({
      data: { revision: 1, extent: [0, 19], curves: [curve] },
      settings: {
        axis: 'step',
        scale: 'linear',
        looks: new Map(),
        hidden: new Set(),
        marks: { ...NO_MARKS, references: [{ value: 99, label: 'a < b & "c"', always: true }] },
        lane: true,
        clip: true,
        stalledAt: null
      },
      palette,
      values: [0, 10],
      title: 'loss <raw>',
      size: { width: 400, height: 200 },
      box: { left: 48, top: 8, width: 330, height: 160 },
      range: [0, 19],
      scale: { kind: 'linear' }
    })
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
    expect(parsed.querySelector('parsererror')).toBeNull()
    expect(parsed.querySelector('title')?.textContent).toBe('loss <raw>')
    const words = [...parsed.querySelectorAll('text')].map((element) => element.textContent)
    expect(words).toEqual(expect.arrayContaining(['0', '10', 'NaN', '↑ a < b & "c"']))
    expect(parsed.querySelectorAll('path').length).toBeGreaterThan(3)
    expect(text).not.toContain('NaN"')
  })
})

describe('paperValuesOf', () => {
  it('gives what was published of the keys a panel shows', () => {
    expect(paperValuesOf('sao', ['rollout/rewards']).map(({ value }) => value)).toEqual([0.7, 0.83])
    // The same number by another name, and once where both stand in one panel.
    expect(paperValuesOf('sao', ['reward/reports']).map(({ value }) => value)).toEqual([0.7, 0.83])
    expect(paperValuesOf('sao', ['reward/reports', 'rollout/rewards'])).toHaveLength(2)
    expect(paperValuesOf('gepa', ['rollout/rewards'])).toEqual([])
    expect(paperValuesOf(null, ['rollout/rewards'])).toEqual([])
  })
})
