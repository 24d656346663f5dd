import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createChartGroup, EMPTY_DATA, NO_MARKS, shownRange } from '../../../../src-renderer/charts'
import { drawSoon } from '../../../../src-renderer/charts/draw-queue'
import { settingsOf } from '../../../../src-renderer/charts/use-canvas-chart'
import { zeros } from '../../../../src-renderer/features/curves/attempt-zeros'
import { followedRange } from '../../../../src-renderer/features/curves/asked-range'
import { groupId } from '../../../../src-renderer/features/curves/panel-plan'
import { useCalmRange, useNewest } from '../../../../src-renderer/features/curves/use-newest'
import { useReleaseLane } from '../../../../src-renderer/features/curves/use-release-lane'
import { useSettled } from '../../../../src-renderer/features/curves/use-settled'
import { useFromNow } from '../../../../src-renderer/state/clock'
import { useLater } from '../../../../src-renderer/ui'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('what is made of elements under the curves', () => {
  it('follows a person at once, and samples that widen the range a few times a second', async () => {
    const group = createChartGroup()
    const { result } = renderHook(() => useCalmRange(group))
    act(() => group.grow([0, 10]))
    const first = result.current
    expect(first).toEqual(shownRange(group.store.getState()))
    act(() => group.grow([0, 20]))
    const second = result.current
    act(() => group.grow([0, 30]))
    expect(result.current).toBe(second)
    act(() => group.show([3, 7]))
    expect(result.current).toEqual([3, 7])
    act(() => group.reset())
    act(() => group.grow([0, 40]))
    await act(() => vi.advanceTimersByTimeAsync(250))
    expect(result.current).toEqual(shownRange(group.store.getState()))
  })
  it('takes what comes in together part by part, each a task later', async () => {
    let renders = 0
    const { result, rerender } = renderHook(
      ({ value }) => {
        renders += 1
        const later = useLater(value)
        return { later, last: useLater(later) }
      },
      { initialProps: { value: 'r1' } }
    )
    expect(result.current).toEqual({ later: 'r1', last: 'r1' })
    rerender({ value: 'r2' })
    expect(result.current).toEqual({ later: 'r1', last: 'r1' })
    await act(() => vi.advanceTimersToNextTimerAsync())
    expect(result.current).toEqual({ later: 'r2', last: 'r1' })
    await act(() => vi.advanceTimersToNextTimerAsync())
    expect(result.current).toEqual({ later: 'r2', last: 'r2' })
    expect(renders).toBe(4)
  })
  it('renders for the time when what follows from it is another, and not each second', async () => {
    const begun = Date.now()
    let renders = 0
    const { result } = renderHook(() => {
      renders += 1
      return useFromNow((now) => now - begun > 2500)
    })
    const before = renders
    await act(() => vi.advanceTimersByTimeAsync(2000))
    expect([result.current, renders]).toEqual([false, before])
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(result.current).toBe(true)
  })
  it('hands releases to the charts in one store for as long as the page is there', () => {
    const block = { step: 1, label: 'r1', kind: 'training', from: 0, to: 2 } as const
    const lane = [{ ...block, restorable: false, backTo: null, backToStep: null }]
    const { result, rerender } = renderHook(({ blocks }) => useReleaseLane(blocks, NO_MARKS.lit), {
      initialProps: { blocks: NO_MARKS.lane }
    })
    const store = result.current
    rerender({ blocks: lane })
    expect(result.current).toBe(store)
    const drawn = {
      id: 'c',
      data: EMPTY_DATA,
      axis: 'step',
      log: false,
      looks: new Map(),
      hidden: new Set<string>(),
      marks: NO_MARKS,
      lane: true,
      stalledFor: null
    } as const
    expect(settingsOf({ ...drawn, releases: store }).marks.lane).toBe(lane)
    expect(settingsOf(drawn).marks).toBe(NO_MARKS)
  })
})

describe('the newest x of the page', () => {
  it('is told at once when there is one, then once a second, the last one too', async () => {
    const group = createChartGroup()
    const { result } = renderHook(() => useNewest(group))
    expect(result.current).toBe(null)
    act(() => group.grow([0, 5]))
    expect(result.current).toBe(5)
    act(() => group.grow([0, 6]))
    act(() => group.grow([0, 7]))
    expect(result.current).toBe(6)
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(result.current).toBe(7)
  })

  it('is never that of the axis before', () => {
    const [steps, times] = [createChartGroup(), createChartGroup()]
    steps.grow([0, 300])
    const seen: (number | null)[] = []
    const { rerender } = renderHook(({ group }) => seen.push(useNewest(group)), {
      initialProps: { group: steps }
    })
    rerender({ group: times })
    act(() => times.grow([1e12, 2e12]))
    rerender({ group: steps })
    expect([seen[0], seen[1], seen.includes(2e12), seen.at(-1)]).toEqual([300, null, true, 300])
    const switched = seen.indexOf(null)
    expect(seen.slice(switched, seen.indexOf(2e12))).not.toContain(300)
  })
})

it('releases count relative time from the first sample of their attempt, as the curves do', () => {
  const attempts = [
    { number: 1, startedAt: 1000 },
    { number: 2, startedAt: 9000 }
  ]
  expect([...zeros(attempts, [{ attempt: 1, at: 4000 }])]).toEqual([
    [1, 4000],
    [2, 9000]
  ])
})

describe('a range that follows new samples', () => {
  it('is asked for though it never rests', async () => {
    const { result, rerender } = renderHook(({ x }) => useSettled(x, 120, true), {
      initialProps: { x: 0 }
    })
    for (let x = 1; x <= 5; x++) {
      rerender({ x })
      await act(() => vi.advanceTimersByTimeAsync(50))
    }
    expect(result.current).toBeGreaterThanOrEqual(3)
    await act(() => vi.advanceTimersByTimeAsync(120))
    expect(result.current).toBe(5)
  })

  it('waits for the end of a drag where it does not move by itself', async () => {
    const { result, rerender } = renderHook(({ x }) => useSettled(x, 120), {
      initialProps: { x: 0 }
    })
    for (let x = 1; x <= 5; x++) {
      rerender({ x })
      await act(() => vi.advanceTimersByTimeAsync(50))
    }
    expect(result.current).toBe(0)
    await act(() => vi.advanceTimersByTimeAsync(120))
    expect(result.current).toBe(5)
  })

  it('is one question for a good part of its width, and holds all that is shown with the next sample', () => {
    const questions = new Set<string>()
    let range: [number, number] = [0.1, 100.3]
    for (let moved = 0; moved < 1000; moved++) {
      range = [range[1] + 0.1 - (range[1] - range[0]), range[1] + 0.1]
      const asked = followedRange(range)
      expect(asked.range[0]).toBeLessThanOrEqual(range[0])
      expect(asked.range[1]).toBeGreaterThan(range[1])
      expect(asked.times).toBeLessThanOrEqual(1.5)
      questions.add(asked.range.join())
    }
    expect(questions.size).toBeLessThan(20)
    expect(followedRange([3, 3])).toEqual({ range: [3, 3], times: 1 })
  })
})

it('charts of an axis share an x range with no metric that has its name', () => {
  const ids = [
    groupId('step', null, 'step'),
    groupId('step', null, 'eval'),
    groupId('wall', null, 'step'),
    groupId('metric', 'wall', 'step'),
    groupId('metric', 'step step', 'step')
  ]
  expect(new Set(ids).size).toBe(ids.length)
  expect(groupId('wall', null, 'eval')).toBe(groupId('wall', null, 'step'))
})

it('a chart made while its curves stand still shows that from the first', () => {
  const drawn = {
    id: 'c',
    data: { ...EMPTY_DATA, extent: [0, 9] as const },
    axis: 'step' as const,
    log: false,
    looks: new Map(),
    hidden: new Set<string>(),
    marks: NO_MARKS,
    lane: false
  }
  expect(settingsOf({ ...drawn, stalledFor: 30_000 }).stalledAt).toBe(9)
  expect(settingsOf({ ...drawn, stalledFor: null }).stalledAt).toBe(null)
})

it('a chart that cannot be drawn is reported and keeps no other from being drawn', async () => {
  const reported = vi.fn()
  vi.stubGlobal('reportError', reported)
  const drawn: string[] = []
  const fault = new Error('no canvas')
  drawSoon(() => {
    throw fault
  })
  drawSoon(() => drawn.push('other'))
  await vi.advanceTimersByTimeAsync(100)
  expect([drawn, reported.mock.calls]).toEqual([['other'], [[fault]]])
})
