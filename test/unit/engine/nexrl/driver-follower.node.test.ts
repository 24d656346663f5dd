import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import { DriverFollower } from '../../../../src-main/engine/nexrl'
import { localFiles } from '../../../../src-main/engine/targets'

let folder: string
let log: string
let follower: DriverFollower

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-driver-log-'))
  log = join(folder, 'nexrl.log')
  follower = new DriverFollower({
    secrets: [{ name: 'WEAVER_API_KEY', value: 'sk-secret-value' }],
    now: () => 5
  })
  follower.setFiles([{ path: log, files: localFiles(systemClock) }])
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const step = (number: number): string =>
  `[2026-03-04 10:15:22,771][t][INFO] - Training step ${number} completed, updated sampling path: weaver://m/checkpoints/s\n`

it('takes lines when they are whole, and the last one when nobody writes any more', async () => {
  expect(await follower.read()).toBe(false)
  writeFileSync(log, step(0) + step(1).slice(0, 60))
  expect(await follower.read()).toBe(true)
  expect(follower.reading.lastStep).toBe(0)
  appendFileSync(log, step(1).slice(60).trimEnd())
  await follower.read()
  expect(follower.reading.lastStep).toBe(0)
  await follower.read(true)
  expect(follower.reading.lastStep).toBe(1)
})

it('notices a log that was begun anew, and forgets what it said before', async () => {
  writeFileSync(log, step(0) + step(1) + step(2))
  await follower.read()
  writeFileSync(log, step(0))
  await follower.read()
  expect(follower.reading).toMatchObject({ lastStep: 0, restarts: 1, exportedCount: 1 })
})

it('names the line in which a key stands in clear text', async () => {
  writeFileSync(log, 'one\ntwo\n')
  await follower.read()
  appendFileSync(log, "{'api_key': 'sk-secret-value'}\n'sk-secret-value'\n")
  await follower.read()
  expect([...follower.clear.values()]).toEqual([{ name: 'WEAVER_API_KEY', line: 3, file: log }])
})

it('a line that never ends is news once, and what our own program says of a pod is none', async () => {
  writeFileSync(log, step(0))
  expect(await follower.read()).toBe(true)
  appendFileSync(log, 'Progress: Batch: 1/8')
  expect(await follower.read()).toBe(true)
  expect(await follower.read()).toBe(false)
  appendFileSync(log, '\n[slipway] pod x-master-0 cannot be asked about\n')
  expect(await follower.read()).toBe(true)
  appendFileSync(log, '[slipway] pod x-master-0 cannot be asked about\n')
  expect(await follower.read()).toBe(false)
})

it('passes over a line of 50 MB and reads what follows', async () => {
  writeFileSync(log, step(0))
  const piece = 'x'.repeat(5_000_000)
  for (let at = 0; at < 10; at += 1) appendFileSync(log, piece)
  appendFileSync(log, `\n${step(1)}`)
  expect(await follower.read()).toBe(true)
  expect(follower.behind).toBe(false)
  expect(follower.reading.lastStep).toBe(1)
})
