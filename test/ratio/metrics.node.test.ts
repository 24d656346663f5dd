import { describe, expect, it } from 'vitest'
import { benchOpening, benchQuery, benchThroughput } from '../bench/metrics-bench'

describe('speed', () => {
  // A large log warms up while it is read; here another one is read first. Processor time, which other programs
  // disturb least.
  it('parses and stores every sample in few times what node:readline takes for the lines', async () => {
    await benchThroughput(12_000_000, 1)
    const figures = await benchThroughput(24_000_000, 8)
    expect(figures.stored).toBe(figures.samples)
    expect(figures.processorRatio).toBeLessThan(5)
  }, 120_000)

  it('opens a large run in the time of a small one', async () => {
    const { ratio } = await benchOpening(400_000, 10_000)
    expect(ratio).toBeLessThan(1.5)
  }, 60_000)

  it('draws any part of a long series in few times the reading of what it draws', async () => {
    const { worstRatio } = await benchQuery(1_000_000)
    expect(worstRatio).toBeLessThan(5)
  }, 120_000)
})
