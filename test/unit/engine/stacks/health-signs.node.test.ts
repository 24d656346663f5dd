import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hoursUntilFull, rewardCollapsed } from '../../../../src-main/engine/stacks/health-signs'

const ramp = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1))

describe('reward collapse', () => {
  it('is a rise that fell back to where it began', () => {
    expect(rewardCollapsed([...ramp(0.2, 0.9, 30), ...ramp(0.9, 0.15, 15)])).toBe(true)
    expect(rewardCollapsed([...ramp(0.2, 0.9, 30), ...ramp(0.9, 0.7, 15)])).toBe(false)
    expect(rewardCollapsed(ramp(0.2, 0.9, 40))).toBe(false)
    expect(rewardCollapsed(ramp(0.9, 0.2, 40))).toBe(false)
  })

  it('is not told from few points, nor from noise', () => {
    expect(rewardCollapsed([...ramp(0, 1, 10), ...ramp(1, 0, 9)])).toBe(false)
    const noise = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 0 : 1))
    expect(rewardCollapsed(noise)).toBe(false)
  })

  it('does not depend on the unit of the reward, and never of a reward that only rises', () => {
    const points = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { maxLength: 64 })
    fc.assert(
      fc.property(points, (values) => {
        expect(rewardCollapsed([...values].sort((a, b) => a - b))).toBe(false)
        // Powers of two change no digit, so nothing is rounded differently.
        expect(rewardCollapsed(values.map((value) => value * 4))).toBe(rewardCollapsed(values))
      })
    )
  })
})

describe('disk trend', () => {
  const GIB = 1024 ** 3
  const seen = (...free: number[]) =>
    free.map((one, index) => ({ at: index * 600_000, free: one * GIB, total: 1000 * GIB }))

  it('says in how many hours the disk is full at the pace seen', () => {
    expect(hoursUntilFull(seen(400, 390, 380, 370, 360, 350, 340))).toBeCloseTo(340 / 60, 6)
    expect(hoursUntilFull(seen(100, 90))).toBeCloseTo(1.5, 6)
  })

  it('fears nothing that is far, growing, or seen too shortly', () => {
    expect(hoursUntilFull([])).toBeNull()
    expect(hoursUntilFull(seen(900, 899))).toBeNull()
    expect(hoursUntilFull(seen(100, 120))).toBeNull()
    expect(
      hoursUntilFull([...seen(100), { at: 1_000, free: 90 * GIB, total: 1000 * GIB }])
    ).toBeNull()
  })

  it('calls a disk full that has next to nothing left', () => {
    expect(hoursUntilFull(seen(1))).toBe(0)
    // A small disk is judged by its own size.
    expect(hoursUntilFull([{ at: 0, free: GIB, total: 4 * GIB }])).toBeNull()
  })
})
