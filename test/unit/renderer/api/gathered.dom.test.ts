import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { gathered } from '../../../../src-renderer/api/query-client'
import { sameProps } from '../../../../src-renderer/charts/same-props'

describe('answers that come one by one', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('are told in one task, in their order', async () => {
    const told: number[] = []
    const tell = gathered()
    tell(() => told.push(1))
    await vi.advanceTimersByTimeAsync(5)
    tell(() => told.push(2))
    expect(told).toEqual([])
    await vi.advanceTimersByTimeAsync(3)
    expect(told).toEqual([1, 2])
  })

  it('are told in further tasks where they are many, so that none of these is long', async () => {
    const told: number[] = []
    const tell = gathered()
    for (let each = 1; each <= 7; each += 1) tell(() => told.push(each))
    await vi.advanceTimersToNextTimerAsync()
    expect(told).toEqual([1, 2, 3])
    await vi.advanceTimersToNextTimerAsync()
    tell(() => told.push(8))
    expect(told).toEqual([1, 2, 3, 4, 5, 6])
    await vi.advanceTimersToNextTimerAsync()
    expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('are told later where they come while others are', async () => {
    const told: number[] = []
    const tell = gathered()
    tell(() => {
      told.push(1)
      tell(() => told.push(2))
    })
    await vi.advanceTimersByTimeAsync(8)
    expect(told).toEqual([1])
    await vi.advanceTimersByTimeAsync(8)
    expect(told).toEqual([1, 2])
  })

  it('are told though one before them throws, and that is reported', async () => {
    const reported = vi.fn()
    vi.stubGlobal('reportError', reported)
    const told: number[] = []
    const tell = gathered()
    const fault = new Error('broken')
    tell(() => {
      throw fault
    })
    tell(() => told.push(2))
    await vi.advanceTimersByTimeAsync(8)
    expect(told).toEqual([2])
    expect(reported).toHaveBeenCalledWith(fault)
    vi.unstubAllGlobals()
  })
})

it('shows a small chart anew only when something in it is another', () => {
  const bars = (count: number): object => ({ bars: [{ label: 'r1', count }], lit: null })
  expect(sameProps(bars(1), bars(1))).toBe(true)
  expect(sameProps(bars(1), bars(2))).toBe(false)
})
