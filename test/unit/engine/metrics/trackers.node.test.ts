import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { redactor, systemClock } from '../../../../src-main/engine/lib'
import {
  Ingest,
  openMetricStore,
  TrackerFinder,
  type IngestReport,
  type MetricStore
} from '../../../../src-main/engine/metrics'
import { localFiles } from '../../../../src-main/engine/targets/files/local-files'
import { event, history, item, scalar, wandbFile } from '../../../support/tracker-files'

let folder: string
let path: string
let store: MetricStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-tracker-'))
  await mkdir(join(folder, 'run', 'tb'), { recursive: true })
  path = join(folder, 'run', 'tb', 'events.out.tfevents.1.host')
  store = await openMetricStore(join(folder, 'metrics'))
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function ingestOf(file: string, into = store): Ingest {
  const ingest = new Ingest({ store: into, redact: redactor(['hunter2']), clock: systemClock })
  ingest.setSources([
    { id: `1/${file}`, attempt: 1, path: file, files: localFiles(), role: 'tracker' }
  ])
  return ingest
}

async function pollAll(ingest: Ingest): Promise<IngestReport> {
  let report = await ingest.poll()
  const events = [...report.events]
  while (report.behind > 0) {
    report = await ingest.poll()
    events.push(...report.events)
  }
  return { ...report, events }
}

async function kept(key: string, from = store): Promise<[number, number][]> {
  const found: [number, number][] = []
  for await (const { x, value } of from.samples(key)) found.push([x, value])
  return found
}

/** Lets a file grow in odd pieces; each piece is read by a process of its own. */
async function grow(file: string, bytes: Buffer, piece: number): Promise<MetricStore> {
  const gone: MetricStore[] = []
  await writeFile(file, '')
  for (let at = 0; at < bytes.length; at += piece) {
    await appendFile(file, bytes.subarray(at, at + piece))
    const next = await openMetricStore(join(folder, 'metrics'))
    gone.push(next)
    await pollAll(ingestOf(file, next))
  }
  const last = await openMetricStore(join(folder, 'metrics'))
  for (const one of gone) await one.close()
  return last
}

describe('a tracker file that grows', () => {
  it('gives every scalar once, wherever it is torn and whoever reads on', async () => {
    const steps = Array.from({ length: 40 }, (_, i) => i)
    const bytes = Buffer.concat(steps.map((i) => event(BigInt(i), scalar('train/loss', i / 4))))
    const last = await grow(path, bytes, 97)
    expect(await kept('train/loss', last)).toEqual(steps.map((i) => [i, i / 4]))
    await last.close()
  })

  it('gives W&B records once that lie over several blocks', async () => {
    const file = join(folder, 'run-1.wandb')
    const record = (step: number, pad: number): Buffer =>
      history(
        item('train/loss', String(step / 4)),
        item('long', JSON.stringify('x'.repeat(pad))),
        item('_step', String(step))
      )
    const bytes = wandbFile([record(0, 5), record(1, 80_000), record(2, 30_000), record(3, 0)])
    const last = await grow(file, bytes, 20_011)
    expect(await kept('train/loss', last)).toEqual([0, 1, 2, 3].map((i) => [i, i / 4]))
    await last.close()
  })

  it('ends at a wrong checksum, says where, and does not say it again', async () => {
    const good = event(1n, scalar('k', 1))
    const bad = Buffer.from(event(2n, scalar('k', 2)))
    bad[20] = (bad[20] ?? 0) ^ 1
    await writeFile(path, Buffer.concat([good, bad, event(3n, scalar('k', 3))]))
    const { events, behind } = await pollAll(ingestOf(path))
    expect(events).toMatchObject([
      { kind: 'tracker-bad-checksum', severity: 'warning', offset: good.length, data: { path } }
    ])
    expect(behind).toBe(0)
    expect((await pollAll(ingestOf(path))).events).toEqual([])
    expect(await kept('k')).toEqual([[1, 1]])
  })

  it('is read from its beginning when another file takes its place', async () => {
    await writeFile(path, Buffer.concat([event(1n, scalar('k', 1)), event(2n, scalar('k', 2))]))
    const ingest = ingestOf(path)
    await pollAll(ingest)
    await writeFile(`${path}.new`, event(9n, scalar('k', 9)))
    await rename(`${path}.new`, path)
    await pollAll(ingest)
    expect(await kept('k')).toEqual([
      [1, 1],
      [2, 2],
      [9, 9]
    ])
  })

  it('keeps secrets out of the names it keeps', async () => {
    await writeFile(path, event(1n, scalar('loss/hunter2', 1)))
    await pollAll(ingestOf(path))
    expect(store.keys().map(({ key }) => key.includes('hunter2'))).toEqual([false])
  })
})

describe('TrackerFinder', () => {
  it('finds the files below the folders of a run, and not those among its weights', async () => {
    const inside = join(folder, 'run')
    const wandb = join(inside, 'wandb', 'offline-run-20260304_101500-ab')
    await mkdir(wandb, { recursive: true })
    await mkdir(join(inside, 'checkpoints'), { recursive: true })
    await writeFile(path, '')
    await writeFile(join(wandb, 'run-ab.wandb'), '')
    await writeFile(join(inside, 'checkpoints', 'events.out.tfevents.2.h'), '')
    const folders = [inside, join(folder, 'none'), join(inside, 'tb')]
    const finder = new TrackerFinder({
      files: localFiles(),
      folders,
      attempt: 2,
      clock: systemClock
    })
    const found = await finder.find()
    expect(found.map((source) => [source.path, source.attempt, source.role])).toEqual([
      [path, 2, 'tracker'],
      [join(wandb, 'run-ab.wandb'), 2, 'tracker']
    ])
    await writeFile(join(inside, 'tb', 'events.out.tfevents.3.h'), '')
    expect(await finder.find()).toHaveLength(2)
    expect(await finder.find(true)).toHaveLength(3)
  })
})
