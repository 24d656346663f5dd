import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeyInfo } from '@contract/metrics'
import type { LaneBlock } from '../../../../src-renderer/charts'
import { lastStep, nextRelease } from '../../../../src-renderer/features/curves/next-release'
import {
  axisGroups,
  keyFacts,
  planPanels
} from '../../../../src-renderer/features/curves/panel-plan'
import { axisFor } from '../../../../src-renderer/features/curves/axis-menu'
import { paced } from '../../../../src-renderer/features/curves/paced'
import { layoutStrip } from '../../../../src-renderer/features/curves/strip-layout'

const info = (key: string, axis: KeyInfo['axis'], newest: number): KeyInfo => ({
  key,
  axis,
  direction: 'none',
  count: 1,
  nonFinite: 0,
  last: { x: newest, value: 1, at: 1e12 },
  source: 's'
})

describe('panels', () => {
  const infos = [info('train/loss', 'step', 9), info('rollout/rewards', 'rollout', 9)]
  const { keys } = keyFacts(infos)
  it('are the default ones, or one a key by name and filter', () => {
    const panels = [{ id: 'p', keys: ['rollout/rewards'] }]
    expect(planPanels({ mode: 'default', panels, keys, typed: 'x' })).toMatchObject([
      { id: 'p', axis: 'rollout' }
    ])
    expect(planPanels({ mode: 'all', panels, keys, typed: '' }).map((panel) => panel.id)).toEqual([
      'rollout/rewards',
      'train/loss'
    ])
    expect(
      planPanels({ mode: 'all', panels, keys, typed: 'LOSS tr' }).map((panel) => panel.id)
    ).toEqual(['train/loss'])
  })
  it('are planned from what samples that come in leave as it is', () => {
    const grown = infos.map((key) => ({ ...key, count: 9, last: { x: 10, value: 2, at: 2e12 } }))
    expect(keyFacts(grown)).toEqual(keyFacts(infos))
    expect(keyFacts([...grown, info('train/step', 'step', 9)])).not.toEqual(keyFacts(grown))
  })
  it('share one x where steps and rollouts run together, and not where they do not', () => {
    expect(axisGroups(infos).get('rollout')).toBe('step')
    expect(axisGroups([info('a', 'step', 1600), info('b', 'rollout', 100)]).get('rollout')).toBe(
      'rollout'
    )
  })
})

describe('the x axis of a run', () => {
  const key = (at: number | null): KeyInfo => ({
    ...info('k', 'step', 9),
    last: at === null ? null : { x: 9, value: 1, at }
  })
  it('is the step where nothing says when, and time as soon as one key does', () => {
    const chosen = (axis: 'relative' | 'wall' | 'rollout', keys: readonly KeyInfo[]): string =>
      axisFor({ axis, axisKey: null }, keyFacts(keys).keys).axis
    expect(chosen('relative', [key(0), key(null)])).toBe('step')
    expect(chosen('wall', [key(0)])).toBe('step')
    expect(chosen('wall', [key(0), key(1e12)])).toBe('wall')
    // What has no value yet may still say when.
    expect(chosen('relative', [key(null)])).toBe('relative')
    expect(chosen('rollout', [key(0)])).toBe('rollout')
  })
})

describe('the release strip', () => {
  const block = (
    step: number,
    from: number,
    to: number,
    kind: LaneBlock['kind'] = 'training'
  ): LaneBlock => ({
    step,
    label: `r${step}`,
    kind,
    from,
    to,
    restorable: false,
    backTo: kind === 'rollback' ? 10 : null,
    backToStep: kind === 'rollback' ? 1 : null
  })
  const scene = {
    range: [0, 100] as const,
    width: 200,
    selected: null,
    wordsOf: (each: LaneBlock) => each.label
  }
  it('places blocks on the x of the curves and leaves out what is out of sight', () => {
    const { blocks } = layoutStrip({
      ...scene,
      lane: [block(1, 0, 50), block(2, 50, 100), block(3, 120, 130)]
    })
    expect(blocks.map((each) => [each.block.step, each.x, each.width])).toEqual([
      [1, 1, 98],
      [2, 101, 98]
    ])
  })
  it('merges releases too narrow to tell apart but never a telling one', () => {
    const lane = Array.from({ length: 2000 }, (_, step) =>
      block(step, step * 0.05, (step + 1) * 0.05, step === 777 ? 'rejected' : 'training')
    )
    const { blocks } = layoutStrip({ ...scene, lane })
    expect(blocks.length).toBeLessThan(5)
    expect(blocks.some((each) => each.block.step === 777 && each.count === 1)).toBe(true)
    expect(blocks.reduce((sum, each) => sum + each.count, 0)).toBe(2000)
  })
  it('labels the served release first and writes no words over others', () => {
    const lane = [block(1, 0, 10), block(2, 48, 50, 'rejected'), block(3, 50, 52, 'served')]
    expect(layoutStrip({ ...scene, lane }).labels.map((label) => label.step)).toEqual([3])
    expect(layoutStrip({ ...scene, lane: [block(9, 60, 60, 'rollback')] }).arcs).toEqual([
      { step: 9, from: 120, to: 20 }
    ])
  })
  it('writes the words of a rollback before its arc, behind it where there is no room, never under it', () => {
    const words = { ...scene, wordsOf: () => 'r9 back to r1' }
    const roomy = { ...words, width: 2000 }
    const left = layoutStrip({ ...roomy, lane: [block(9, 60, 60, 'rollback')] }).labels[0]?.x
    expect(left).toBeLessThan(200)
    const narrow = { ...words, width: 600 }
    const right = layoutStrip({ ...narrow, lane: [block(9, 60, 60, 'rollback')] }).labels[0]?.x
    expect(right).toBeGreaterThan(360)
    expect(layoutStrip({ ...words, lane: [block(9, 60, 60, 'rollback')] }).labels).toEqual([])
  })
})

describe('pacing of live redraws', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  it('runs one at a time, rests between, and answers a burst with one more run', async () => {
    let runs = 0
    let finish: () => void = () => undefined
    const feed = paced(250, () => {
      runs++
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    })
    feed.ask()
    feed.ask()
    feed.ask()
    expect(runs).toBe(1)
    finish()
    await vi.advanceTimersByTimeAsync(249)
    expect(runs).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(runs).toBe(2)
    finish()
    await vi.advanceTimersByTimeAsync(1000)
    expect(runs).toBe(2)
    feed.ask()
    feed.end()
    finish()
    await vi.advanceTimersByTimeAsync(1000)
    expect(runs).toBe(3)
  })
  it('rests half as long as an act took that took long', async () => {
    let runs = 0
    const feed = paced(100, () => {
      runs++
      return new Promise<void>((resolve) => {
        setTimeout(resolve, 300)
      })
    })
    feed.ask()
    feed.ask()
    await vi.advanceTimersByTimeAsync(300 + 149)
    expect(runs).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(runs).toBe(2)
    feed.end()
  })
  it('answers what was asked while it rests', async () => {
    let runs = 0
    const feed = paced(250, () => {
      runs++
      return Promise.resolve()
    })
    feed.ask()
    await vi.advanceTimersByTimeAsync(100)
    feed.ask()
    await vi.advanceTimersByTimeAsync(500)
    expect(runs).toBe(2)
  })
})

describe('the last step', () => {
  it('comes after as many of the last distances as steps are left', () => {
    const pace = { times: [9_600, 9_700, 9_800, 9_900, 10_000], left: 5 }
    expect(lastStep(pace, 10_050)).toEqual({
      kind: 'expected',
      left: 450,
      earliest: 450,
      latest: 450
    })
  })
  it('is not foretold of a stream, of an ended run and of a run that has only begun', () => {
    const times = [1, 2, 3, 4, 5]
    for (const pace of [
      { times, left: null },
      { times, left: 0 },
      { times: [1, 2, 3], left: 9 }
    ])
      expect(lastStep(pace, 6)).toEqual({ kind: 'unknown' })
  })
})

describe('the next release', () => {
  const row = (recordedAt: number | null, attempt = 1) => ({
    operation: 'training' as const,
    attempt,
    recordedAt
  })
  /** Newest first, `distances` apart, the newest at 10,000. */
  const chain = (...distances: number[]) => {
    let at = 10_000
    return [row(at), ...distances.map((distance) => row((at -= distance)))]
  }

  it('comes as the last ten did, with their spread', () => {
    expect(nextRelease(chain(100, 200, 300, 400), 10_000)).toEqual({
      kind: 'expected',
      left: 300,
      earliest: 200,
      latest: 400
    })
    expect(nextRelease(chain(100, 200, 300, 400), 10_250)).toEqual({
      kind: 'expected',
      left: 50,
      earliest: 0,
      latest: 150
    })
    expect(nextRelease(chain(100, 200, 300, 400), 10_500)).toEqual({ kind: 'late', by: 100 })
    const old = [...Array.from({ length: 10 }, () => 100), 9000, 9000, 9000]
    expect(nextRelease(chain(...old), 10_000)).toMatchObject({ left: 100, latest: 100 })
  })

  it('is not foretold from too few, from other attempts or from rows without a time', () => {
    expect(nextRelease([], 0)).toEqual({ kind: 'unknown' })
    expect(nextRelease(chain(100, 100), 10_000)).toEqual({ kind: 'unknown' })
    const other = [row(10_000, 2), ...chain(100, 100, 100)]
    expect(nextRelease(other, 10_000)).toEqual({ kind: 'unknown' })
    expect(nextRelease([row(null), row(null), row(null), row(null)], 0)).toEqual({
      kind: 'unknown'
    })
  })
})
