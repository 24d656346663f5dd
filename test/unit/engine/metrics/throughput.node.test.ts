import { describe, expect, it } from 'vitest'
import { benchThroughput } from '../../../bench/metrics-bench'

describe('parsing and storing', () => {
  it('takes at most five times as long as node:readline on the same file', async () => {
    const figures = await benchThroughput(24_000_000)
    if (process.env['SLIPWAY_FIGURES'] === '1') process.stdout.write(`${JSON.stringify(figures)}\n`)
    expect(figures.stored).toBe(figures.samples)
    expect(figures.ratio).toBeLessThan(5)
  }, 60_000)
})
