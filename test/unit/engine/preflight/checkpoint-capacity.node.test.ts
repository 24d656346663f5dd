import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkpointCapacity,
  type CapacityInput
} from '../../../../src-main/engine/preflight/checkpoint-capacity'

const GB = 1e9
const base: CapacityInput = {
  model: 3.1 * GB,
  megatron: 0,
  lora: false,
  critic: false,
  recorded: 0,
  kept: 0,
  live: 0,
  totalBytes: 1000 * GB,
  freeBytes: 500 * GB,
  maxStorageBytes: null,
  maxStorageFraction: 0.8,
  minFreeBytes: null,
  minFreeFraction: 0.1
}

describe('checkpointCapacity', () => {
  it.each([
    ['full weights take eight times the export', {}, 24.8 * GB],
    ['a critic doubles that', { critic: true }, 49.6 * GB],
    ['LoRA takes 1.2 times, even with a critic', { lora: true, critic: true }, 3.72 * GB],
    ['what was recorded counts when larger', { recorded: 60 * GB }, 60 * GB]
  ])('%s', (_name, change, expected) => {
    expect(checkpointCapacity({ ...base, ...change }).reservation).toBeCloseTo(expected, -3)
  })

  it.each([
    ['enough room', {}, 'fits'],
    ['not enough free space above the floor', { freeBytes: 120 * GB }, 'under-floor'],
    ['a cap smaller than one checkpoint', { maxStorageBytes: 20 * GB }, 'over-cap'],
    ['kept checkpoints fill the cap', { kept: 790 * GB, live: 790 * GB }, 'over-cap'],
    ['no model to measure', { model: 0 }, 'no-estimate']
  ])('%s', (_name, change, verdict) => {
    expect(checkpointCapacity({ ...base, ...change }).verdict).toBe(verdict)
  })

  it('says it fits exactly when at least one does', () => {
    const bytes = fc.integer({ min: 1, max: 10 ** 13 })
    fc.assert(
      fc.property(bytes, bytes, bytes, fc.boolean(), (model, total, free, lora) => {
        const capacity = checkpointCapacity({
          ...base,
          model,
          lora,
          totalBytes: total,
          freeBytes: Math.min(free, total)
        })
        expect(capacity.fits >= 1).toBe(capacity.verdict === 'fits')
      })
    )
  })
})
