import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  truncate,
  writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  openMetricStore,
  type Frame,
  type MetricStore,
  type Sample
} from '../../../../src-main/engine/metrics'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

let folder: string
let opened: MetricStore[] = []

async function open(where: string): Promise<MetricStore> {
  const store = await openMetricStore(where)
  opened.push(store)
  return store
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-metrics-'))
})
afterEach(async () => {
  for (const store of opened) await store.close()
  opened = []
  await rm(folder, { recursive: true, force: true })
})

function frame(from: number, to: number, rows: [x: number, value: number][]): Frame {
  return {
    source: '1/driver',
    attempt: 1,
    from,
    to,
    state: `state ${String(to)}`,
    rows: rows.map(([x, value]) => ({
      axis: 'step',
      x,
      at: 1000 * x,
      keys: ['train/loss'],
      values: [value]
    }))
  }
}

async function samplesOf(store: MetricStore, key = 'train/loss'): Promise<Sample[]> {
  const samples: Sample[] = []
  for await (const sample of store.samples(key)) samples.push(sample)
  return samples
}

describe('openMetricStore', () => {
  it('is empty where there is nothing, and writes nothing by opening', async () => {
    const store = await open(join(folder, 'none'))
    expect([store.revision, store.keys(), store.cursor('1/driver')]).toEqual([0, [], null])
    await store.close()
    await expect(stat(join(folder, 'none'))).rejects.toThrow('ENOENT')
  })

  it('keeps samples, cursors and events over re-opening, settled or not', async () => {
    const store = await open(folder)
    await store.append(
      frame(0, 10, [
        [0, 0.5],
        [1, Number.NaN],
        [1, Infinity],
        [0, -1]
      ])
    )
    await store.append({
      ...frame(10, 20, []),
      events: [
        {
          offset: 12,
          at: 5,
          kind: 'service-ready',
          severity: 'info',
          data: { service: 'reef' },
          line: 'x'
        }
      ]
    })
    const before = await samplesOf(store)
    expect(before.map(({ x, value }) => [x, value])).toEqual([
      [0, 0.5],
      [1, NaN],
      [1, Infinity],
      [0, -1]
    ])
    const unsettled = await open(folder)
    await store.close()
    const settled = await open(folder)
    for (const reopened of [unsettled, settled]) {
      expect(await samplesOf(reopened)).toEqual(before)
      expect(reopened.cursor('1/driver')).toEqual({ attempt: 1, offset: 20, state: 'state 20' })
      expect(await reopened.events()).toMatchObject([
        { seq: 0, source: '1/driver', kind: 'service-ready' }
      ])
      expect(reopened.revision).toBe(2)
      expect(reopened.keys()).toMatchObject([
        { key: 'train/loss', count: 4, nonFinite: 2, last: { x: 0, value: -1 } }
      ])
    }
  })

  it('gives the events of many short frames and of long ones, from any of them on', async () => {
    const store = await open(folder)
    const lines = [10, 70_000, 20, 20, 200_000, 5, ...Array.from({ length: 900 }, () => 100)]
    for (const [i, length] of lines.entries()) {
      const event = {
        at: i,
        kind: 'line',
        severity: 'info',
        data: {},
        line: 'x'.repeat(length)
      } as const
      // Samples stand between them.
      if (i % 3 === 0) await store.append(frame(i * 10, i * 10 + 1, [[i, i]]))
      await store.append({
        ...frame(i * 10 + 1, i * 10 + 10, []),
        events: [{ ...event, offset: i }]
      })
    }
    for (const from of [0, 1, 4, 5, 700, lines.length]) {
      const events = await store.events(from)
      expect(events.map(({ seq }) => seq)).toEqual(lines.map((_, i) => i).slice(from))
      expect(events.map(({ line }) => line.length)).toEqual(lines.slice(from))
    }
  })

  it('after a tear at any byte holds exactly the whole frames, and goes on from there', async () => {
    const journal = join(folder, 'journal.bin')
    const store = await open(folder)
    const ends: number[] = [0]
    for (let i = 0; i < 3; i++) {
      await store.append(
        frame(i * 10, (i + 1) * 10, [
          [i, i / 2],
          [i, i / 3]
        ])
      )
      ends.push((await stat(journal)).size)
    }
    const whole = await readFile(journal)
    for (let length = 0; length < whole.length; length++) {
      const torn = join(folder, `torn-${String(length)}`)
      await mkdir(torn)
      await writeFile(join(torn, 'journal.bin'), whole.subarray(0, length))
      const frames = ends.filter((end) => end <= length).length - 1
      const reopened = await open(torn)
      expect(await samplesOf(reopened)).toHaveLength(frames * 2)
      expect(reopened.cursor('1/driver')?.offset ?? 0).toBe(frames * 10)
      if (length % 17 !== 0) continue
      // What is appended next stands where the torn frame began.
      await reopened.append(frame(frames * 10, 99, [[7, 7]]))
      await reopened.close()
      const again = await open(torn)
      expect(await samplesOf(again)).toHaveLength(frames * 2 + 1)
      expect(again.cursor('1/driver')?.offset).toBe(99)
    }
  }, 30_000)

  it('cuts damage in the middle, and never counts what follows it', async () => {
    const journal = join(folder, 'journal.bin')
    const store = await open(folder)
    await store.append(frame(0, 10, [[0, 0]]))
    const { size } = await stat(journal)
    await store.append(frame(10, 20, [[1, 1]]))
    await store.append(frame(20, 30, [[2, 2]]))
    const bytes = await readFile(journal)
    bytes[size + 30] = (bytes[size + 30] ?? 0) ^ 1
    await writeFile(journal, bytes)
    const reopened = await open(folder)
    expect(reopened.cursor('1/driver')?.offset).toBe(10)
    expect(await samplesOf(reopened)).toHaveLength(1)
  })

  it('makes index and columns again when they are lost, damaged or ahead of the journal', async () => {
    const store = await open(folder)
    const rows = Array.from({ length: 3000 }, (_, i): [number, number] => [i, Math.sin(i)])
    await store.append(frame(0, 10, rows))
    await store.settle()
    await store.append(frame(10, 20, [[3000, 1]]))
    await store.close()
    const expected = await samplesOf(await open(folder))
    expect(expected).toHaveLength(3001)
    const index = join(folder, 'index.bin')
    await copyFile(index, join(folder, 'index.kept'))
    await truncate(index, 100)
    expect(await samplesOf(await open(folder))).toEqual(expected)
    await writeFile(index, 'nonsense that is long enough to be a header')
    expect(await samplesOf(await open(folder))).toEqual(expected)
    await copyFile(join(folder, 'index.kept'), index)
    await truncate(join(folder, 'journal.bin'), 100)
    const shorter = await open(folder)
    expect([shorter.cursor('1/driver'), await samplesOf(shorter)]).toEqual([null, []])
  })

  it('follows another writer, over its settling too', async () => {
    const writer = await open(folder)
    const reader = await open(folder)
    let changes = 0
    reader.onChange(() => changes++)
    await writer.append(frame(0, 10, [[0, 1]]))
    await reader.refresh()
    expect(await samplesOf(reader)).toHaveLength(1)
    await writer.append(
      frame(
        10,
        20,
        Array.from({ length: 1000 }, (_, i): [number, number] => [i, i])
      )
    )
    await writer.settle()
    await writer.append(frame(20, 30, [[1000, 0]]))
    await reader.refresh()
    expect(await samplesOf(reader)).toEqual(await samplesOf(writer))
    expect(changes).toBe(2)
    await reader.refresh()
    expect(changes).toBe(2)
  })

  it('appends to a journal with a torn end without leaving the tear inside', async () => {
    const store = await open(folder)
    await store.append(frame(0, 10, [[0, 1]]))
    await store.close()
    await appendFile(join(folder, 'journal.bin'), Buffer.alloc(5000, 7))
    const next = await open(folder)
    await next.append(frame(10, 20, [[1, 2]]))
    await next.close()
    await rm(join(folder, 'index.bin'))
    expect(await samplesOf(await open(folder))).toHaveLength(2)
  })
})
