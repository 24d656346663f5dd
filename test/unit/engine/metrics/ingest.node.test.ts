import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { redactor, systemClock } from '../../../../src-main/engine/lib'
import {
  Ingest,
  openMetricStore,
  zoneOf,
  type IngestReport,
  type IngestSource,
  type MetricStore,
  type Sample
} from '../../../../src-main/engine/metrics'
import type { FileAccess } from '../../../../src-main/engine/targets'
import { localFiles } from '../../../../src-main/engine/targets/files/local-files'
import { realisticLog } from '../../../bench/metrics-log'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

let folder: string
let path: string
let store: MetricStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-ingest-'))
  path = join(folder, 'driver.log')
  store = await openMetricStore(join(folder, 'metrics'))
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function ingestOf(extra: Partial<IngestSource> = {}, into = store, secrets: string[] = []): Ingest {
  const ingest = new Ingest({ store: into, redact: redactor(secrets), clock: systemClock })
  ingest.setSources([
    { id: '1/driver', attempt: 1, path, files: localFiles(), role: 'service', ...extra }
  ])
  return ingest
}

async function pollAll(ingest: Ingest): Promise<IngestReport> {
  let report = await ingest.poll()
  while (report.behind > 0) report = await ingest.poll()
  return report
}

async function losses(from = store): Promise<[x: number, value: number][]> {
  const all: Sample[] = []
  for await (const sample of from.samples('train/loss')) all.push(sample)
  return all.map(({ x, value }) => [x, value])
}

const step = (n: number, loss = n / 10): string =>
  `[2026-03-04 10:15:22] model.py:918 - step ${String(n)}: {'train/loss': ${String(loss)}, 'train/step': ${String(n)}}\n`

describe('Ingest', () => {
  it('waits for a file, and takes each line once however it arrives', async () => {
    const ingest = ingestOf()
    expect(await ingest.poll()).toMatchObject({ samples: 0, behind: 0, unreadable: [] })
    const text = step(0) + step(1) + step(2)
    await writeFile(path, text.slice(0, 30))
    expect((await ingest.poll()).samples).toBe(0)
    await appendFile(path, text.slice(30, step(0).length + 50))
    expect((await ingest.poll()).samples).toBe(2)
    await appendFile(path, text.slice(step(0).length + 50))
    expect((await ingest.poll()).samples).toBe(4)
    expect((await ingest.poll()).samples).toBe(0)
    expect(await losses()).toEqual([
      [0, 0],
      [1, 0.1],
      [2, 0.2]
    ])
  })

  it('goes on exactly where it was after its process was gone at any moment', async () => {
    const log = realisticLog(60_000)
    const size = Buffer.byteLength(log.text)
    let written = 0
    const gone: MetricStore[] = []
    for (let turn = 0; written < size; turn++) {
      const more = Math.min(size, written + 1 + ((turn * 7919) % 9000))
      await appendFile(path, Buffer.from(log.text).subarray(written, more))
      written = more
      // A new process each time; the one before never closed.
      const next = await openMetricStore(join(folder, 'metrics'))
      gone.push(next)
      await pollAll(ingestOf({}, next))
    }
    const last = await openMetricStore(join(folder, 'metrics'))
    const counts = last.series().map(({ key, count }) => [key, count])
    expect(last.series().reduce((sum, { count }) => sum + count, 0)).toBe(log.samples)
    expect(Object.fromEntries(counts)).toMatchObject({
      'train/loss': log.steps,
      'perf/rollout_time': log.steps
    })
    for (const one of [last, ...gone]) await one.close()
  }, 20_000)

  it('gives NexRL’s dicts their step though its process was gone between them, and at the end in any case', async () => {
    const head = '[2026-03-04 10:15:22,771][nexrl.trainer][INFO] - '
    const dicts = `${head}rollout metrics: {'rollout/reward_mean': 0.5}, trajectories: 2\ncombined_metrics: {'loss': nan}\n`
    const text = `${dicts}${head}Training step 4 completed, updated sampling path: weaver://m/s\n`
    const found = async (from: MetricStore): Promise<unknown[]> => {
      const rows: unknown[] = []
      for (const key of ['rollout/reward_mean', 'training/loss'])
        for await (const { x, value } of from.samples(key)) rows.push([key, x, value])
      return rows
    }
    for (let cut = 0; cut < text.length; cut += 5) {
      const file = join(folder, `nexrl-${String(cut)}.log`)
      const home = join(folder, `metrics-${String(cut)}`)
      await writeFile(file, text.slice(0, cut))
      const first = await openMetricStore(home)
      await pollAll(ingestOf({ path: file }, first))
      await appendFile(file, text.slice(cut))
      const next = await openMetricStore(home)
      await pollAll(ingestOf({ path: file }, next))
      expect(await found(next)).toEqual([
        ['rollout/reward_mean', 4, 0.5],
        ['training/loss', 4, NaN]
      ])
      for (const one of [first, next]) await one.close()
    }
    await writeFile(path, dicts)
    const ingest = ingestOf()
    await pollAll(ingest)
    expect(await found(store)).toEqual([])
    ingest.setSources([
      { id: '1/driver', attempt: 1, path, files: localFiles(), role: 'service', ended: true }
    ])
    await pollAll(ingest)
    expect(await found(store)).toEqual([
      ['rollout/reward_mean', 0, 0.5],
      ['training/loss', 0, NaN]
    ])
  })

  it('keeps repeated, out-of-order and non-finite steps', async () => {
    await writeFile(path, step(5) + step(6) + step(5, 9) + step(6, NaN).replace('NaN', 'nan'))
    await pollAll(ingestOf())
    expect(await losses()).toEqual([
      [5, 0.5],
      [6, 0.6],
      [5, 9],
      [6, NaN]
    ])
  })

  it('notices that the file was cut, reads it from its beginning and says so', async () => {
    await writeFile(path, step(0) + step(1) + step(2))
    const ingest = ingestOf()
    await pollAll(ingest)
    await writeFile(path, step(7))
    const { events } = await pollAll(ingest)
    expect(events.map(({ kind }) => kind)).toEqual(['log-truncated'])
    expect((await losses()).map(([x]) => x)).toEqual([0, 1, 2, 7])
  })

  it('notices a replaced file, also when it was replaced while nobody watched', async () => {
    await writeFile(path, step(0))
    const ingest = ingestOf()
    await pollAll(ingest)
    await writeFile(join(folder, 'new'), step(7) + step(8))
    await rename(join(folder, 'new'), path)
    expect((await pollAll(ingest)).events.map(({ kind }) => kind)).toEqual(['log-replaced'])
    // The same file written anew with more than it had: only its beginning tells.
    await writeFile(path, `${'x'.repeat(40)}\n${step(20)}${step(21)}${step(22)}`)
    expect((await pollAll(ingestOf())).events.map(({ kind }) => kind)).toEqual(['log-truncated'])
    expect((await losses()).map(([x]) => x)).toEqual([0, 7, 8, 20, 21, 22])
  })

  it('gives events once, with their place, redacted, and again from the store', async () => {
    await writeFile(path, `${step(0)}[reef] reef: ready at http://x/?k=hunter2hunter2\n`)
    const ingest = ingestOf({}, store, ['hunter2hunter2'])
    const { events } = await pollAll(ingest)
    expect(events).toMatchObject([
      { seq: 0, kind: 'service-ready', offset: step(0).length, attempt: 1 }
    ])
    expect(JSON.stringify(events)).not.toContain('hunter2')
    expect((await ingest.poll()).events).toEqual([])
    expect(await store.events()).toEqual(events)
    expect(await store.events(1)).toEqual([])
  })

  it('reports bars as progress and not as text', async () => {
    await writeFile(path, 'Rollout generation:  31%|███▏      | 80/256 [00:42<01:33,  1.88it/s]\r')
    await appendFile(
      path,
      'Rollout generation:  32%|███▏      | 82/256 [00:43<01:30,  1.88it/s]\rX'
    )
    const { progress, samples } = await pollAll(ingestOf())
    expect(samples).toBe(0)
    expect(progress).toMatchObject([
      { source: '1/driver', label: 'Rollout generation', done: 82, total: 256, left: 90 }
    ])
  })

  it('passes 12 hours of bars and a 5 MB line without holding them', async () => {
    const bars = Array.from(
      { length: 40_000 },
      (_, i) => `\rx: 1%|█| ${String(i)}/432000 [00:42<01:33]`
    )
    await writeFile(path, `${bars.join('')}\n${'y'.repeat(5_000_000)}\n${step(3)}`)
    await pollAll(ingestOf())
    expect((await losses()).map(([x]) => x)).toEqual([3])
  })

  it('reads a long log in few readings, into the same memory, and every sample of it', async () => {
    const { text, samples } = realisticLog(5_000_000)
    await writeFile(path, text)
    const local = localFiles()
    const pieces: { buffer: ArrayBufferLike; length: number }[] = []
    const files: FileAccess = {
      ...local,
      async read(file, offset, length, into) {
        const bytes = await local.read(file, offset, length, into)
        if (bytes !== null) pieces.push({ buffer: bytes.buffer, length: bytes.length })
        return bytes
      }
    }
    await pollAll(ingestOf({ files }))
    expect(store.series().reduce((sum, { count }) => sum + count, 0)).toBe(samples)
    const long = pieces.filter(({ length }) => length > 1_000_000)
    expect(long.length).toBe(2)
    expect(new Set(long.map(({ buffer }) => buffer)).size).toBe(1)
    expect(pieces.length).toBeLessThan(6)
  })

  it('takes a last line without an end only when nobody writes any more', async () => {
    await writeFile(path, step(0) + step(1).trimEnd())
    await pollAll(ingestOf())
    expect((await losses()).map(([x]) => x)).toEqual([0])
    await pollAll(ingestOf({ ended: true }))
    expect((await losses()).map(([x]) => x)).toEqual([0, 1])
  })

  it('finds the time zone of the stamps by the time of the file', async () => {
    const twoHoursAhead = new Date(Date.now() + 2 * 3600_000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ')
    await writeFile(path, step(0).replace('2026-03-04 10:15:22', twoHoursAhead))
    await pollAll(ingestOf())
    expect(Math.abs((store.lastSampleAt ?? 0) - Date.now())).toBeLessThan(60_000)
    expect([zoneOf(store, '1/driver'), zoneOf(store, '1/none')]).toEqual([-2 * 3600_000, 0])
  })

  it('goes on with the other sources when one cannot be read', async () => {
    await writeFile(path, step(0))
    const ingest = ingestOf()
    const broken = { ...localFiles(), stat: () => Promise.reject(new Error('connection lost')) }
    ingest.setSources([
      { id: '1/far', attempt: 1, path, files: broken, role: 'service' },
      { id: '1/driver', attempt: 1, path, files: localFiles(), role: 'service' }
    ])
    expect(await ingest.poll()).toMatchObject({
      samples: 2,
      unreadable: [{ source: '1/far', why: 'connection lost' }]
    })
  })
})

describe('a secret in a log', () => {
  it('is told once, with its line and never with its value, also when it comes in pieces', async () => {
    const secrets = [
      { name: 'REEF_TOKEN', value: 'very-secret-value' },
      { name: 'SHORT', value: 'step' }
    ]
    const ingest = new Ingest({
      store,
      redact: redactor(['very-secret-value']),
      clock: systemClock,
      secrets
    })
    ingest.setSources([
      { id: '1/driver', attempt: 1, path, files: localFiles(), role: 'service', ended: false }
    ])
    await writeFile(path, 'step 1\nenvironment: REEF_TOKEN=very-sec')
    expect((await ingest.poll()).events).toEqual([])
    await appendFile(path, 'ret-value\nagain very-secret-value\n')
    await ingest.poll()
    const events = await store.events()
    expect(events).toMatchObject([
      { kind: 'secret-in-clear', severity: 'warning', offset: 7, data: { name: 'REEF_TOKEN' } }
    ])
    expect(JSON.stringify(events)).not.toContain('very-secret')
  })
})
