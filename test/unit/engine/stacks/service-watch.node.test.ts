import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../../../src-main/engine/lib'
import { type MetricStore, openMetricStore } from '../../../../src-main/engine/metrics'
import { ReefClient } from '../../../../src-main/engine/stacks'
import { ServiceWatch } from '../../../../src-main/engine/stacks/service-watch'
import type { WatchOptions } from '../../../../src-main/engine/stacks/watch-options'

/** What the service of a stack that has committed so many steps answers. */
let steps: number
let folder: string
let store: MetricStore
const server = createServer((request, response) => {
  const path = (request.url ?? '').split('?')[0] ?? ''
  const rows = Array.from({ length: steps + 1 }, (_, step) => ({
    step,
    release_id: `r${step}`,
    operation: step === 0 ? 'creation' : 'training',
    recorded_at: 1_700_000_000 + step,
    metrics: step === 0 ? null : { 'train/step': step - 1, 'train/loss': step / 10, waited: step }
  }))
  const answers: Record<string, unknown> = {
    '/reef/status': { scenarios: { s: { scenario_step: steps } } },
    '/reef/scenarios': { scenarios: [{ scenario: 's' }] },
    '/reef/scenarios/s/releases': { releases: rows },
    '/reef/scenarios/s/commits': { commits: [], next_after_step: null },
    '/reef/scenarios/s/records': { records: [] }
  }
  response.end(JSON.stringify(answers[path] ?? {}))
})

beforeEach(async () => {
  steps = 1
  folder = await mkdtemp(join(tmpdir(), 'slipway-service-watch-'))
  store = await openMetricStore(folder)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function watchOf(): ServiceWatch {
  const seen = { step: 0, served: null, scenarios: [], stages: {} }
  const attempt = {
    ...{ number: 1, storage: 1, recordDir: null },
    plan: { practice: true, ports: [] },
    traffic: { served: 0, reported: 0, after: {} }
  }
  const done = (): Promise<void> => Promise.resolve()
  const journal = {
    ...{ seen, attempt, run: 'r', state: { kind: 'serving' }, apply: done, tell: done },
    see: (change: object) => Object.assign(seen, change),
    change: (change: object) => Object.assign(attempt, change),
    store: { appendReleases: done, releasesGone: () => Promise.resolve(false) }
  }
  const { port } = z.object({ port: z.number() }).parse(server.address())
  const address = `http://127.0.0.1:${port}`
  Object.assign(attempt, { address })
  const { signal } = new AbortController()
  const options = {
    ...{ journal, metrics: store, clock: systemClock, address, token: null, signal },
    ...{ releases: [], attempts: [{ number: 1, storage: 1 }], quietAfterMs: 60_000 },
    target: { listening: () => Promise.resolve('ours') }
  }
  return new ServiceWatch(options as unknown as WatchOptions, new ReefClient(address, null, signal))
}

async function values(key: string): Promise<number[]> {
  const found: number[] = []
  for await (const { value } of store.samples(key)) found.push(value)
  return found
}

const whole = { moved: false, whole: true }

it('keeps a number once which a commit tells before its trainer’s log was read', async () => {
  const watch = watchOf()
  await watch.look(whole, null)
  expect(await values('waited'), 'the log may have it, and was read before').toEqual([])
  expect(watch.behind).toBe(true)
  // The next reading of the log finds the line that was printed before the commit.
  const logged = { axis: 'step' as const, x: 0, at: 1, keys: ['train/loss'], values: [0.1] }
  await store.append({ source: '1/trainer', attempt: 1, from: 0, to: 9, rows: [logged] })
  await watch.look(whole, null)
  expect(await values('train/loss')).toEqual([0.1])
  expect(await values('waited'), 'what no log has').toEqual([1])
  expect(watch.behind).toBe(false)
})

it('waits with the numbers of commits until the logs are read to their end', async () => {
  const watch = watchOf()
  await watch.look(whole, null)
  await watch.look({ moved: true, whole: false }, null)
  expect(await values('waited')).toEqual([])
  steps = 2
  await watch.look(whole, null)
  expect(await values('waited'), 'of those that were there before').toEqual([1])
  await watch.look(whole, null)
  expect(await values('waited')).toEqual([1, 2])
})
