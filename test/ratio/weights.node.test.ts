import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { measureWeights } from '../bench/weights'

it('compares weights at no less than half the speed of reading them, in bounded memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'))
  try {
    const figures = await measureWeights(folder, 128 * 1024 * 1024)
    expect(figures.growth).toBeLessThan(300 * 1024 * 1024)
    expect(figures.ratio, JSON.stringify(figures)).toBeGreaterThan(0.5)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 120_000)
