import fc from 'fast-check'
import { mkdtemp, readdir, readlink, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { SeriesQuery } from '../../../../src-main/contract/metrics'
import {
  openMetricStore,
  stepPace,
  type MetricStore,
  type SeriesNumbers
} from '../../../../src-main/engine/metrics'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

let home: string
let made = 0
const opened: MetricStore[] = []

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-query-'))
})
afterAll(async () => {
  for (const store of opened) await store.close()
  await rm(home, { recursive: true, force: true })
})

interface Given {
  x: number
  value: number
  attempt?: number
}

/** A store with one series; settled after each of `settleAfter` rows, so that rows lie in columns and in memory. */
async function storeOf(
  rows: readonly Given[],
  settleAfter: readonly number[] = []
): Promise<MetricStore> {
  const store = await openMetricStore(join(home, String(made++)))
  opened.push(store)
  let from = 0
  for (const end of [...settleAfter, rows.length]) {
    for (const [attempt, part] of byAttempt(rows.slice(from, end))) {
      await store.append({
        source: `${String(attempt)}/s`,
        attempt,
        from,
        to: end,
        rows: part.map(({ x, value }) => ({
          axis: 'step',
          x,
          at: x * 1000,
          keys: ['k'],
          values: [value]
        }))
      })
    }
    await store.settle()
    from = end
  }
  return store
}

function byAttempt(rows: readonly Given[]): Map<number, Given[]> {
  const groups = new Map<number, Given[]>()
  for (const row of rows) {
    const attempt = row.attempt ?? 1
    const group = groups.get(attempt)
    if (group === undefined) groups.set(attempt, [row])
    else group.push(row)
  }
  return groups
}

interface Drawn {
  attempt: number
  superseded: boolean
  total: number
  x: number[]
  min: number[]
  max: number[]
  raw: number[]
  smooth: number[]
}

function decode({ parts, numbers }: SeriesNumbers): Drawn[] {
  return parts.map(({ offset, count, attempt, superseded, total }) => {
    const column = (i: number): number[] => [
      ...numbers.subarray(offset + i * count, offset + (i + 1) * count)
    ]
    const [x, min, max, raw, smooth] = [column(0), column(1), column(2), column(3), column(4)]
    return { attempt, superseded, total, x, min, max, raw, smooth }
  })
}

const plain: SeriesQuery = {
  run: 'r',
  keys: ['k'],
  axis: 'native',
  columns: 100,
  smoothing: { kind: 'none' }
}

const spiky = (n: number): Given[] =>
  Array.from({ length: n }, (_, i) => ({ x: i, value: Math.sin(i / 50) + (i === 7777 ? 1000 : 0) }))

/** What this process has open below a folder. */
async function openBelow(folder: string): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd')
  // The one that lists the folder is gone by now.
  const paths = await Promise.all(
    numbers.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  )
  return paths.filter((path) => path.startsWith(folder))
}

describe('query', () => {
  it('gives few samples as they are', async () => {
    const store = await storeOf([0, 1, 2].map((x) => ({ x, value: x * x })))
    const answer = await store.query(plain)
    expect(answer.extent).toEqual([0, 2])
    expect(decode(answer)).toMatchObject([
      { x: [0, 1, 2], min: [0, 1, 4], max: [0, 1, 4], raw: [0, 1, 4], total: 3 }
    ])
  })

  it('shows one spike at its height at every zoom, with at most two points a column', async () => {
    const store = await storeOf(spiky(60_000), [20_000, 50_001])
    for (const columns of [10, 100, 1500]) {
      for (const range of [undefined, [0, 59_999], [7000, 8000], [7770, 7780]] as const) {
        const query = {
          ...plain,
          columns,
          ...(range && { range: [range[0], range[1]] as [number, number] })
        }
        const [part] = decode(await store.query(query))
        expect(Math.max(...(part?.max ?? []))).toBeGreaterThan(999)
        expect(part?.x.length).toBeLessThanOrEqual(2 * columns + 4)
        const spike = part?.max.findIndex((v) => v > 999) ?? -1
        const width = ((range?.[1] ?? 59_999) - (range?.[0] ?? 0)) / columns
        expect(Math.abs((part?.x[spike] ?? 0) - 7777)).toBeLessThanOrEqual(width * 2 + 1)
      }
    }
  })

  it('keeps first, last, min and max of everything between two points', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), {
          minLength: 1,
          maxLength: 3000
        }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(3000),
        async (values, columns, cut) => {
          const rows = values.map((value, x) => ({ x, value }))
          const store = await storeOf(rows, [Math.min(cut, rows.length)])
          const [part] = decode(await store.query({ ...plain, columns }))
          if (part === undefined) throw new Error('no part')
          expect(part.x.length).toBeLessThanOrEqual(2 * columns)
          expect([part.x[0], part.x.at(-1)]).toEqual([0, rows.length - 1])
          let next = 0
          for (let i = 0; i < part.x.length; i++) {
            // A column is one point, or two with the same extremes.
            const from = part.x[i] ?? 0
            const pair = part.min[i + 1] === part.min[i] && part.max[i + 1] === part.max[i]
            const single = part.min[i] === part.max[i] && part.raw[i] === part.min[i] && !pair
            const to = single ? from : (part.x[++i] ?? from)
            expect(from).toBe(next)
            next = to + 1
            const slice = values.slice(from, to + 1)
            if (single) continue
            expect(part.min[i]).toBe(Math.min(...slice))
            expect(part.max[i]).toBe(Math.max(...slice))
            expect(part.raw[i]).toBe(values[to])
            expect(part.raw[i - 1]).toBe(values[from])
          }
          expect(next).toBe(values.length)
        }
      ),
      { numRuns: 40 }
    )
  })

  it('has in every level the extremes of the raw rows', async () => {
    const values = Array.from(
      { length: 40_000 },
      (_, i) => (Math.sin(i * 12.9898) * 43758.5453) % 1
    )
    const store = await storeOf(
      values.map((value, x) => ({ x, value })),
      [100, 5000, 5001, 30_000]
    )
    for (const columns of [1, 3, 10, 60, 300, 8192]) {
      const [part] = decode(await store.query({ ...plain, columns }))
      expect([Math.min(...(part?.min ?? [])), Math.max(...(part?.max ?? []))]).toEqual([
        values.reduce((a, b) => Math.min(a, b)),
        values.reduce((a, b) => Math.max(a, b))
      ])
    }
  })

  it('marks and counts what is not finite, and leaves a gap there', async () => {
    const store = await storeOf([0, NaN, 2, Infinity, -Infinity].map((value, x) => ({ x, value })))
    const answer = await store.query(plain)
    expect(answer.parts[0]).toMatchObject({
      nonFiniteCount: 3,
      nonFinite: [
        { x: 1, kind: 'nan' },
        { x: 3, kind: '+inf' },
        { x: 4, kind: '-inf' }
      ]
    })
    const [part] = decode(answer)
    expect(part?.raw).toEqual([0, NaN, 2, NaN, NaN])
  })

  it('marks and counts them at every zoom, however many came before', async () => {
    const nan = (x: number): boolean => x < 6000 || x === 15_000 || x === 15_001
    const rows = Array.from({ length: 20_000 }, (_, x) => ({ x, value: nan(x) ? NaN : 1 }))
    const store = await storeOf(rows, [18_000])
    const marked = async (range?: [number, number]): Promise<[number, number[]]> => {
      const { parts } = await store.query(range === undefined ? plain : { ...plain, range })
      const [part] = parts
      return [part?.nonFiniteCount ?? 0, (part?.nonFinite ?? []).map(({ x }) => x)]
    }
    const [count, at] = await marked()
    expect([count, Math.min(...at)]).toEqual([6002, 0])
    expect(at.length).toBeLessThanOrEqual(300)
    for (const near of [3000, 5500, 15_000])
      expect(at.some((x) => Math.abs(x - near) <= 256)).toBe(true)
    expect(await marked([14_990, 15_010])).toEqual([2, [15_000, 15_001]])
    expect((await marked([5000, 5010]))[0]).toBe(13)
    expect((await marked([7000, 8000]))[0]).toBe(0)
  })

  it('draws faint what a resume in the same attempt went over again', async () => {
    const rows = [0, 1, 2, 3, 4, 2, 3, 4, 5].map((x, i) => ({ x, value: i }))
    const store = await storeOf(rows)
    const parts = decode(await store.query(plain))
    expect(parts.map(({ x, superseded }) => [x, superseded])).toEqual([
      [[0, 1], false],
      [[2, 3, 4], true],
      [[2, 3, 4, 5], false]
    ])
  })

  it('draws faint what a later attempt overlapped', async () => {
    const rows = [
      ...[0, 1, 2, 3].map((x) => ({ x, value: x, attempt: 1 })),
      ...[2, 3, 4].map((x) => ({ x, value: x, attempt: 2 }))
    ]
    const store = await storeOf(rows)
    const parts = decode(await store.query(plain))
    expect(parts.map(({ attempt, x, superseded }) => [attempt, x, superseded])).toEqual([
      [1, [0, 1], false],
      [1, [2, 3], true],
      [2, [2, 3, 4], false]
    ])
  })

  it('draws a series whose lines came out of order by x, with every row', async () => {
    const rows = Array.from({ length: 400 }, (_, i) => ({ x: i ^ 1, value: i }))
    const store = await storeOf(rows)
    const parts = decode(await store.query({ ...plain, columns: 500 }))
    expect(parts).toHaveLength(1)
    expect(parts[0]?.x).toEqual(Array.from({ length: 400 }, (_, i) => i))
  })

  it('measures relative time from the first sample of the attempt', async () => {
    const store = await storeOf([5, 6, 9].map((x) => ({ x, value: x })))
    const [relative] = decode(await store.query({ ...plain, axis: 'relative' }))
    const [wall] = decode(await store.query({ ...plain, axis: 'wall', range: [6000, 9000] }))
    expect([relative?.x, wall?.x]).toEqual([
      [0, 1, 4],
      [5000, 6000, 9000]
    ])
  })

  it('stands nowhere in time where the files did not say when', async () => {
    const store = await openMetricStore(join(home, String(made++)))
    opened.push(store)
    const row = (axis: 'step' | 'rollout', x: number, key: string, at: number) => ({
      axis,
      x,
      at,
      keys: [key],
      values: [x]
    })
    const dates = [0, 1, 2].map((i) => Date.UTC(2026, 0, 1) + i * 1000)
    await store.append({
      source: '1/s',
      attempt: 1,
      from: 0,
      to: 1,
      rows: dates.flatMap((date, i) => [
        row('step', i, 'untimed', 0),
        row('rollout', i, 'counted', 0),
        // A log that says no date before its second line.
        row('step', i, 'late', i === 0 ? 0 : date)
      ])
    })
    const drawn = async (key: string, axis: SeriesQuery['axis']): Promise<unknown> => {
      const { extent, ...answer } = await store.query({
        ...plain,
        keys: [key],
        axis,
        by: 'counted'
      })
      return [extent, ...decode({ extent, ...answer }).map(({ x }) => x)]
    }
    for (const axis of ['relative', 'wall', 'rollout', 'metric'] as const)
      expect([axis, await drawn('untimed', axis)]).toEqual([axis, [null]])
    expect(await drawn('untimed', 'native')).toEqual([
      [0, 2],
      [0, 1, 2]
    ])
    expect(await drawn('late', 'relative')).toEqual([
      [0, 1],
      [0, 1]
    ])
    expect(await drawn('late', 'wall')).toEqual([dates.slice(1), dates.slice(1)])
    expect((await stepPace(store, null)).starts).toEqual([])
  })

  it('stands on rollouts, or on another metric, by the row where there is one and by time elsewhere', async () => {
    const store = await openMetricStore(join(home, String(made++)))
    opened.push(store)
    const row = (axis: 'step' | 'rollout', x: number, at: number, of: Record<string, number>) => ({
      axis,
      x,
      at,
      keys: Object.keys(of),
      values: Object.values(of)
    })
    const steps = Array.from({ length: 40 }, (_, i) =>
      row('step', i, 1000 + i * 10, { loss: 40 - i, tokens: i * 7, swing: i % 2 })
    )
    // Four optimizer steps follow each rollout; the first two steps came before any.
    const rollouts = Array.from({ length: 10 }, (_, i) =>
      row('rollout', 100 + i, 1020 + i * 40, { reward: i / 10 })
    )
    await store.append({ source: '1/a', attempt: 1, from: 0, to: 1, rows: steps })
    await store.append({ source: '1/b', attempt: 1, from: 0, to: 1, rows: rollouts })
    const ask = async (more: Partial<SeriesQuery>): Promise<Drawn> => {
      const answer = await store.query({ ...plain, keys: ['loss'], columns: 1000, ...more })
      const [part, ...others] = decode(answer)
      if (part === undefined || others.length > 0) throw new Error('one part was expected')
      return part
    }
    const byRollout = await ask({ axis: 'rollout' })
    expect(byRollout.x.slice(0, 6)).toEqual([100, 100, 100, 100, 101, 101])
    expect(byRollout.raw[0]).toBe(38)
    const zoomed = await ask({ axis: 'rollout', range: [103, 104] })
    // Every step of both rollouts, and one neighbour on each side.
    expect(zoomed.x).toEqual([
      102,
      ...Array<number>(4).fill(103),
      ...Array<number>(4).fill(104),
      105
    ])
    const byReward = await ask({ axis: 'metric', by: 'reward' })
    expect(byReward.x.slice(0, 5)).toEqual([0, 0, 0, 0, 0.1])
    const byTokens = await ask({ axis: 'metric', by: 'tokens', range: [70, 84] })
    expect(byTokens.x).toEqual([63, 70, 77, 84, 91])
    expect(byTokens.raw).toEqual([31, 30, 29, 28, 27])
    const bySwing = await ask({ axis: 'metric', by: 'swing' })
    expect(bySwing.x).toEqual([...Array<number>(20).fill(0), ...Array<number>(20).fill(1)])
    const none = await store.query({ ...plain, keys: ['loss'], axis: 'metric', by: 'absent' })
    expect([none.parts, none.extent]).toEqual([[], null])
    expect((await store.query({ ...plain, keys: ['loss'], axis: 'rollout' })).extent).toEqual([
      100, 109
    ])
  })

  it('smooths on the full data: the same value at a step whatever the zoom, settled or not', async () => {
    const rows = spiky(5000)
    for (const smoothing of [
      { kind: 'ema', weight: 0.9 },
      { kind: 'mean', window: 20 },
      { kind: 'median', window: 21 },
      { kind: 'gaussian', sigma: 4 }
    ] as const) {
      const store = await storeOf(rows, [1000, 3000])
      const byStep = new Map<number, number>()
      for (const [columns, range] of [
        [8192, [0, 4999]],
        [50, [0, 4999]],
        [300, [900, 1200]]
      ] as const) {
        const [part] = decode(
          await store.query({ ...plain, columns, range: [...range], smoothing })
        )
        part?.x.forEach((x, i) => {
          const smooth = part.smooth[i] ?? Number.NaN
          expect(smooth).toBeCloseTo(byStep.get(x) ?? smooth, 9)
          byStep.set(x, smooth)
        })
      }
      expect(byStep.size).toBeGreaterThan(4990)
    }
  })

  it('keeps the running mean of what follows a spike, however large that was', async () => {
    const rows = [1, 1e17, 0.25, 0.25, 0.25, 0.25].map((value, x) => ({ x, value }))
    const store = await storeOf(rows)
    const [part] = decode(await store.query({ ...plain, smoothing: { kind: 'mean', window: 3.5 } }))
    expect(part?.smooth.slice(4)).toEqual([0.25, 0.25])
  })

  it('draws the best so far from everything before, at any zoom, settled or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant(NaN)), {
          minLength: 2,
          maxLength: 900
        }),
        fc.nat(),
        fc.nat({ max: 900 }),
        async (values, start, settled) => {
          const rows = values.map((value, x) => ({ x, value }))
          const store = await storeOf(rows, [Math.min(settled, rows.length)])
          const from = start % values.length
          const drawn = decode(
            await store.query({
              ...plain,
              keys: ['best(k)'],
              columns: 40,
              range: [from, values.length]
            })
          )
          for (const part of drawn) {
            expect(part.smooth.every(Number.isNaN)).toBe(true)
            part.x.forEach((x, i) => {
              const until = values.slice(0, x + 1).filter((value) => !Number.isNaN(value))
              const best = until.length === 0 ? NaN : Math.max(...until)
              // The first of a column's two points may not know yet what the column brings.
              if (Object.is(part.raw[i], best)) return
              expect(i + 1).toBeLessThan(part.x.length)
              expect(part.raw[i]).toBeLessThan(best)
            })
            const first = part.x[0] ?? 0
            const earlier = values.slice(0, first).filter((value) => !Number.isNaN(value))
            if (earlier.length > 0) expect(part.raw[0]).toBeGreaterThanOrEqual(Math.max(...earlier))
          }
        }
      ),
      { numRuns: 40 }
    )
  })

  it.runIf(process.platform === 'linux')(
    'leaves no file open, and one that failed to open is tried again',
    async () => {
      const store = await storeOf(spiky(20_000), [20_000])
      const columns = join(home, String(made - 1), 'columns')
      const ask = (): Promise<SeriesNumbers> => store.query({ ...plain, range: [3_000, 19_000] })
      const answers = await Promise.all([ask(), ask(), ask()])
      expect(await openBelow(columns)).toEqual([])
      await rename(columns, `${columns}-away`)
      await expect(Promise.all([ask(), ask()])).rejects.toMatchObject({ code: 'ENOENT' })
      await rename(`${columns}-away`, columns)
      expect((await ask()).numbers).toEqual(answers[0].numbers)
      expect(await openBelow(columns)).toEqual([])
    }
  )

  it('forgets in the best so far what a resume or a later attempt left behind', async () => {
    const store = await storeOf([
      { x: 1, value: 1 },
      { x: 2, value: 9 },
      { x: 3, value: 0 },
      { x: 2, value: 3 },
      { x: 3, value: 2 },
      { x: 3, value: 4, attempt: 2 }
    ])
    const drawn = decode(await store.query({ ...plain, keys: ['best(k)'] }))
    expect(drawn.map(({ superseded, raw }) => [superseded, raw])).toEqual([
      [false, [1]],
      [true, [9, 9]],
      [false, [3]],
      [true, [3]],
      [false, [4]]
    ])
  })
})
