import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import type { IngestSource } from '../../../../src-main/engine/metrics'
import { LogFollower } from '../../../../src-main/engine/stacks/log-follower'
import { localFiles } from '../../../../src-main/engine/targets'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

const LONG = 120_000

let folder: string
let follower: LogFollower

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-follower-'))
  follower = new LogFollower(systemClock)
})
afterEach(async () => {
  follower.stop()
  await rm(folder, { recursive: true, force: true })
})

async function source(name: string): Promise<IngestSource> {
  const path = join(folder, name)
  await writeFile(path, '')
  return { id: `1/${name}`, attempt: 1, path, files: localFiles(), role: 'service' }
}

it('tells of each growth, also of one that came while nobody waited, and of a log that joined later', async () => {
  const { signal } = new AbortController()
  const [a, b] = [await source('a.log'), await source('b.log')]
  follower.follow([a])
  await appendFile(a.path, 'one\n')
  expect(await follower.next(LONG, signal)).toBe(true)
  follower.follow([a, b])
  for (const { path } of [a, b, a]) {
    const told = follower.next(LONG, signal)
    await appendFile(path, 'more\n')
    expect(await told).toBe(true)
  }
})

it('ends its wait without a growth when asked to, or when the time is over', async () => {
  const asked = new AbortController()
  follower.follow([])
  const waiting = follower.next(LONG, asked.signal)
  asked.abort()
  expect(await waiting).toBe(false)
  expect(await follower.next(LONG, asked.signal)).toBe(false)
  expect(await follower.next(5, new AbortController().signal)).toBe(false)
})
