import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type EngineIdentity,
  holderOf,
  identifyEngine,
  RunLock
} from '../../../../src-main/engine/runs'
import { processStart } from '../../../../src-main/engine/targets'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-lock-'))
})

afterEach(() => rm(folder, { recursive: true }))

const engine = (): Promise<EngineIdentity> => identifyEngine('/nowhere.sock')

/** An identity whose process has ended. */
async function deadEngine(): Promise<EngineIdentity> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  await once(child, 'spawn')
  const start = await processStart(child.pid ?? 0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return { ...(await engine()), pid: child.pid ?? 0, processStart: start ?? '' }
}

it('has one holder', async () => {
  const [one, two] = [await engine(), await engine()]
  expect((await holderOf(folder, one)).kind).toBe('nobody')
  const first = await RunLock.take(folder, one)
  expect(first.kind).toBe('mine')
  expect((await RunLock.take(folder, two)).kind).toBe('held')
  expect((await holderOf(folder, one)).kind).toBe('me')
  expect((await holderOf(folder, two)).kind).toBe('other-process')
  if (first.kind === 'mine') await first.lock.release()
  expect((await RunLock.take(folder, two)).kind).toBe('mine')
})

it('is only for its owner to read', async () => {
  await RunLock.take(folder, await engine())
  const { stat } = await import('node:fs/promises')
  expect((await stat(join(folder, 'lock'))).mode & 0o777).toBe(0o600)
})

it('is taken over from a dead process by exactly one of many', async () => {
  const gone = await deadEngine()
  for (let round = 0; round < 20; round += 1) {
    const dead = await RunLock.take(folder, gone)
    expect(dead.kind).toBe('mine')
    const takers = await Promise.all(Array.from({ length: 8 }, engine))
    const outcomes = await Promise.all(takers.map((taker) => RunLock.take(folder, taker)))
    const won = outcomes.filter((outcome) => outcome.kind === 'mine')
    expect(won).toHaveLength(1)
    expect((await readdir(folder)).sort()).toEqual(['lock'])
    for (const outcome of won) if (outcome.kind === 'mine') await outcome.lock.release()
  }
})

it('is taken over although an earlier taker died in the middle', async () => {
  const first = await deadEngine()
  await RunLock.take(folder, first)
  const { token } = JSON.parse(await readFile(join(folder, 'lock'), 'utf8')) as { token: string }
  const taker = { token: 'half-way', ...(await deadEngine()) }
  await writeFile(join(folder, `lock.after-${token}`), JSON.stringify(taker))
  const outcomes = await Promise.all(
    (await Promise.all([engine(), engine(), engine()])).map((one) => RunLock.take(folder, one))
  )
  expect(outcomes.filter((outcome) => outcome.kind === 'mine')).toHaveLength(1)
  expect((await readdir(folder)).sort()).toEqual(['lock'])
})

it('of another machine is left alone', async () => {
  const there = { ...(await deadEngine()), host: { name: 'there', id: 'elsewhere' } }
  await RunLock.take(folder, there)
  const me = await engine()
  expect((await RunLock.take(folder, me)).kind).toBe('held')
  expect((await holderOf(folder, me)).kind).toBe('other-host')
})

it('that cannot be read is nobody’s to take', async () => {
  await writeFile(join(folder, 'lock'), '{')
  expect((await RunLock.take(folder, await engine())).kind).toBe('held')
})
