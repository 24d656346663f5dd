import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import { openMetricStore } from '../../../../src-main/engine/metrics'
import { RunStore } from '../../../../src-main/engine/runs'
import { importRun } from '../../../../src-main/engine/stacks/import-run'
import { listOf, summaryOf } from '../../../../src-main/engine/stacks/run-view'
import { event, scalar } from '../../../support/tracker-files'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

let root: string
let store: RunStore

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slipway-import-'))
  store = await RunStore.open(join(root, 'home'), systemClock)
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

const make = (paths: string[], name?: string): ReturnType<typeof importRun> =>
  importRun({ paths, name }, { store, clock: systemClock, appVersion: '0' })

async function file(name: string, data: string | Buffer): Promise<string> {
  const path = join(root, name)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, data)
  return path
}

async function points(run: string, key: string): Promise<[number, number][]> {
  const metrics = await openMetricStore(store.paths(run).metrics)
  const found: [number, number][] = []
  for await (const { x, value } of metrics.samples(key)) found.push([x, value])
  await metrics.close()
  return found
}

it('makes a record of a CSV, with its reward and its last step', async () => {
  const rows = Array.from({ length: 6_000 }, (_, i) => `${String(i)},${String(i / 2)},0.5`)
  const path = await file('history.csv', ['step,loss,rollout/raw_reward', ...rows, ''].join('\n'))
  const { run, imported, problems } = await make([path], 'Their run')
  expect(problems).toEqual([])
  expect(imported).toMatchObject({
    samples: 12_000,
    keys: 2,
    files: [{ path, format: 'csv', samples: 12_000 }]
  })
  expect(await points(run, 'loss')).toEqual(rows.map((_, i) => [i, i / 2]))
  const { records } = await store.list()
  const summary = summaryOf(records[0] ?? (await store.read(run)), 'folder')
  expect(summary).toMatchObject({
    name: 'Their run',
    step: 5_999,
    target: { kind: 'import' },
    state: { kind: 'imported', lasted: null },
    served: null,
    reward: { key: 'rollout/raw_reward', last: 0.5 }
  })
  expect(summary.now.en).toContain(path)
})

it('takes event files of one folder for one run, and the files of several formats together', async () => {
  await file('tb/events.out.tfevents.1', event(1n, scalar('a', 1)))
  await file('tb/events.out.tfevents.2', event(2n, scalar('a', 2)))
  const log = await file(
    'driver.log',
    `[2026-03-04 10:15:22] model.py:1 - step 7: {'train/loss': 0.25}\n`
  )
  const { run, imported } = await make([join(root, 'tb'), log])
  expect(imported.files.map(({ format, samples }) => [format, samples])).toEqual([
    ['tfevents', 1],
    ['tfevents', 1],
    ['log', 1]
  ])
  expect(await points(run, 'a')).toEqual([
    [1, 1],
    [2, 2]
  ])
  expect(await points(run, 'train/loss')).toEqual([[7, 0.25]])
  expect(imported.from).toBe(1_700_000_000_500)
})

it.each([
  ['unfinished', false, (whole: Buffer) => whole.subarray(0, 20)],
  ['damaged', true, (whole: Buffer) => Buffer.alloc(whole.length, 1)]
])('tells what of a file whose end is %s could not be read, and keeps the rest', async (...how) => {
  const [, lost, end] = how
  const whole = event(1n, scalar('a', 1))
  const path = await file('events.out.tfevents.9', Buffer.concat([whole, end(whole)]))
  const { run, problems, damaged } = await make([path])
  expect([problems.length, damaged]).toEqual([1, lost])
  expect(problems[0]?.en).toContain(path)
  expect(await points(run, 'a')).toEqual([[1, 1]])
})

it.each([
  ['a text without a number', 'notes.log', 'nothing to see\n', 'import-empty'],
  ['an empty file', 'empty.csv', '', 'metrics-file-empty'],
  ['a picture', 'picture.png', Buffer.from([0x89, 0x50, 0, 0, 1, 2, 3]), 'metrics-file-binary']
])('refuses %s and leaves no record', async (_what, name, data, code) => {
  await expect(make([await file(name, data)])).rejects.toMatchObject({ failure: { code } })
  expect((await store.list()).records).toEqual([])
  expect(await readdir(join(root, 'home', 'runs'))).toEqual([])
})

it('says why nothing came of a file', async () => {
  const refused = make([await file('head.csv', 'step,loss\n')])
  await expect(refused).rejects.toMatchObject({ failure: { code: 'import-empty' } })
  await expect(refused).rejects.toThrow(/head line and no rows: columns step, loss/)
})

it('says of an imported record that it is one, how long its own times reach, and knows its reward', async () => {
  const at = (second: number): string => `{"_step":${second},"_timestamp":${1_700_000_000 + second}`
  const path = await file('history.jsonl', `${at(0)},"reward":0.25}\n${at(90)},"reward":0.5}\n`)
  const { run } = await make([path])
  const record = await store.read(run)
  expect(summaryOf(record, 'folder')).toMatchObject({
    state: { kind: 'imported', at: record.createdAt, lasted: 90_000 },
    startedAt: record.createdAt,
    reward: { key: 'reward', first: 0.25, last: 0.5 }
  })
})

it('lists what was started last first, also when it was made earlier', async () => {
  const { run } = await make([await file('a.csv', 'step,a\n1,2\n')])
  const imported = await store.read(run)
  const attempt = {
    number: 1,
    startedAt: imported.createdAt + 5,
    endedAt: null,
    state: { kind: 'planned' }
  }
  const restarted = {
    ...imported,
    id: 'older',
    imported: undefined,
    createdAt: imported.createdAt - 1_000,
    attempts: [attempt]
  } as unknown as typeof imported
  const { runs } = listOf({ records: [imported, restarted], damaged: [] }, () => 'folder')
  expect(runs.map(({ id }) => id)).toEqual(['older', run])
})

it('names a log without a metric that came with files which have some', async () => {
  const log = await file('other.log', 'hello\n')
  const { problems, damaged } = await make([await file('a.csv', 'step,a\n1,2\n'), log])
  expect([problems.map(({ en }) => en), damaged]).toEqual([
    [
      expect.stringContaining(
        `${log}: Read as a log, and no line of it is a metric of a known stack`
      )
    ],
    false
  ])
})
