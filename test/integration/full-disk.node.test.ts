import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import { errorCode, writeFileAtomic } from '../../src-main/engine/lib'
import { openMetricStore, type Frame } from '../../src-main/engine/metrics'
import { failureOf } from '../../src-main/engine/router/guard'
import { identifyEngine, makeHome, RunLock } from '../../src-main/engine/runs'
import { JsonLinesFile, readJsonLines } from '../../src-main/engine/runs/json-lines'
import { ended, endEverything, makeYard, openService, until } from '../support/run-service'

const PAGE = 4096
const asRoot = it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)

let disk: string

beforeEach(async () => {
  disk = await mkdtemp(join(tmpdir(), 'slipway-full-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'slipway-full', disk], { stdio: 'pipe' })
})
afterEach(async () => {
  execFileSync('umount', ['-l', disk])
  await rm(disk, { recursive: true })
})

/** Fills the disk but for so many pages; answers how to make room again. */
async function fill(pagesLeft: number): Promise<() => Promise<void>> {
  const ballast = join(disk, 'ballast')
  const block = Buffer.alloc(PAGE, 1)
  let pages = 0
  for (let free = true; free;) {
    try {
      await writeFile(ballast, block, { flag: 'a' })
      pages += 1
    } catch (cause) {
      if (errorCode(cause) !== 'ENOSPC') throw cause
      free = false
    }
  }
  await writeFile(ballast, Buffer.alloc((pages - pagesLeft) * PAGE, 1))
  return () => rm(ballast)
}

asRoot('rows that did not fit are there once when they are written again', async () => {
  const path = join(disk, 'rows.jsonl')
  const file = new JsonLinesFile(path)
  await file.append([{ row: -1 }])
  const rows = Array.from({ length: 400 }, (_, row) => ({ row, text: 'x'.repeat(50) }))
  const makeRoom = await fill(2)
  await expect(file.append(rows)).rejects.toThrow('ENOSPC')
  expect((await readJsonLines(path)).values).toEqual([{ row: -1 }])
  await makeRoom()
  await file.append(rows)
  expect(await readJsonLines(path)).toEqual({ values: [{ row: -1 }, ...rows], unreadable: 0 })
})

asRoot('the journal of metrics takes a frame whole or says that it did not', async () => {
  const folder = join(disk, 'metrics')
  const frame = (from: number, rows: number): Frame => ({
    source: '1/driver',
    attempt: 1,
    from,
    to: from + rows,
    state: '',
    rows: Array.from({ length: rows }, (_, row) => ({
      axis: 'step',
      x: from + row,
      at: 1000 * (from + row),
      keys: ['train/loss'],
      values: [row / 7]
    }))
  })
  const store = await openMetricStore(folder)
  await store.append(frame(0, 10))
  const makeRoom = await fill(3)
  // The one that fills the disk is written in part: what the system calls a success.
  await expect(store.append(frame(10, 2000))).rejects.toThrow('ENOSPC')
  expect(store.cursor('1/driver')?.offset).toBe(10)
  await makeRoom()
  await store.append(frame(10, 2000))
  await store.append(frame(2010, 5))
  await store.close()
  const again = await openMetricStore(folder)
  const steps: number[] = []
  for await (const { x } of again.samples('train/loss')) steps.push(x)
  await again.close()
  expect(steps).toEqual(Array.from({ length: 2015 }, (_, step) => step))
})

asRoot('a lock that does not fit is nobody’s, and nothing lies beside it', async () => {
  const makeRoom = await fill(0)
  const me = await identifyEngine(join(disk, 'socket'))
  await expect(RunLock.take(disk, me)).rejects.toThrow('ENOSPC')
  expect(await readdir(disk)).toEqual(['ballast'])
  await makeRoom()
  expect((await RunLock.take(disk, me)).kind).toBe('mine')
})

asRoot(
  'a file that could not be replaced stays what it was, and nothing lies beside it',
  async () => {
    const path = join(disk, 'record.json')
    await writeFileAtomic(path, 'before')
    const makeRoom = await fill(1)
    await expect(writeFileAtomic(path, 'x'.repeat(5 * PAGE))).rejects.toThrow('ENOSPC')
    expect((await readdir(disk)).sort()).toEqual(['ballast', 'record.json'])
    await makeRoom()
    await writeFileAtomic(path, 'after')
    expect(await readdir(disk)).toEqual(['record.json'])
  }
)

asRoot(
  'a stack is stopped though nothing of it can be written down, and that is told later',
  async () => {
    vi.stubEnv('STAND_IN_DEAF', '1')
    vi.stubEnv('STAND_IN_STEP_MS', '0')
    const yard = await makeYard()
    const service = await openService({ ...yard, home: join(disk, 'home') })
    try {
      const { run, folder } = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
      await until(service, run, ({ summary }) => summary.state.kind === 'serving')
      const pid = await pidOf(folder)
      const makeRoom = await fill(0)
      await service.stop({ run, force: false })
      expect(isAlive(pid)).toBe(true)
      await service.stop({ run, force: true })
      await vi.waitFor(() => {
        expect(isAlive(pid)).toBe(false)
      }, 10_000)
      await makeRoom()
      const { summary, events } = await until(service, run, (one) => ended(one.summary.state))
      expect(summary.state).toMatchObject({ kind: 'stopped', asked: true })
      const asked = events.filter(({ kind }) => kind === 'stop-asked')
      expect(asked.map(({ data }) => data?.['force'])).toEqual([false, true])
    } finally {
      vi.unstubAllEnvs()
      await endEverything([service])
      await yard.remove()
    }
  }
)

asRoot('a run that nobody holds is read and stopped on a full disk', async () => {
  vi.stubEnv('STAND_IN_DEAF', '1')
  // A stack that writes takes the room while it is being filled.
  vi.stubEnv('STAND_IN_STEP_MS', '0')
  const yard = await makeYard()
  const home = join(disk, 'home')
  const first = await openService({ ...yard, home })
  const services = [first]
  let makeRoom = (): Promise<void> => Promise.resolve()
  try {
    const { run, folder } = await first.start(LaunchRequest.parse({ recipe: yard.recipe }))
    await until(first, run, ({ summary }) => summary.state.kind === 'serving')
    await first.dispose()
    services.pop()
    const pid = await pidOf(folder)
    makeRoom = await fill(0)
    const service = await openService({ ...yard, home })
    services.push(service)
    const [unseen, ...more] = await service.look()
    expect(more).toEqual([])
    expect(unseen).toMatchObject({ run })
    expect(unseen?.why.en).toContain('disk that holds the Slipway home is full')
    expect((await service.get(run)).summary.state.kind).toBe('serving')
    expect((await service.list()).runs.map(({ id }) => id)).toEqual([run])
    expect((await service.stop({ run, force: false }))?.en).toContain('shows it once there is room')
    expect(isAlive(pid)).toBe(true)
    // Another command, which knows of the first only what lies on the disk.
    const other = await openService({ ...yard, home })
    services.push(other)
    expect((await other.stop({ run, force: false }))?.en).toContain('nothing was sent to it again')
    expect((await service.stop({ run, force: true }))?.zh).toContain('未能完整记录')
    await vi.waitFor(() => {
      expect(isAlive(pid)).toBe(false)
    }, 10_000)
    await makeRoom()
    makeRoom = () => Promise.resolve()
    await service.reconcile()
    const { summary, events } = await until(service, run, (one) => ended(one.summary.state))
    expect(summary.state).toMatchObject({ kind: 'stopped', asked: true })
    expect(events.filter(({ kind }) => kind === 'stop-asked')).toHaveLength(1)
  } finally {
    // An end is waited for, which is written down.
    await makeRoom()
    vi.unstubAllEnvs()
    await endEverything(services)
    await yard.remove()
  }
})

asRoot('a home that is mounted read-only says so, and what to do', async () => {
  const home = join(disk, 'home')
  await makeHome(home)
  execFileSync('mount', ['-o', 'remount,ro', disk], { stdio: 'pipe' })
  const refused = { code: 'home-unreadable', where: home }
  await expect(makeHome(home)).rejects.toMatchObject({ failure: refused })
  const thrown: unknown = await makeHome(home).catch((cause: unknown) => cause)
  expect(failureOf(thrown)).toMatchObject({
    what: {
      en: 'The Slipway home is on a file system that is mounted read-only.',
      zh: 'Slipway 主目录所在的文件系统是只读挂载的。'
    },
    remedy: { en: expect.stringContaining('SLIPWAY_HOME') as unknown }
  })
  // It became read-only while Slipway was open.
  const late: unknown = await writeFileAtomic(join(home, 'settings.json'), '{}').catch(
    (cause: unknown) => cause
  )
  expect(failureOf(late)).toMatchObject({
    code: 'not-writable',
    what: { en: 'The file system is mounted read-only, so this was not done.' },
    detail: expect.stringContaining(home) as unknown
  })
})

asRoot('a full disk does not hide who holds a lock', async () => {
  const me = await identifyEngine(join(disk, 'socket'))
  expect((await RunLock.take(disk, me)).kind).toBe('mine')
  await fill(0)
  // Another engine of this process: alive, and not the one that asks.
  const other = { ...me, key: 'another' }
  expect(await RunLock.take(disk, other)).toMatchObject({
    kind: 'held',
    holder: { kind: 'other-process' }
  })
})

async function pidOf(folder: string): Promise<number> {
  const record = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')) as {
    attempts: { handle: { pid: number } }[]
  }
  const pid = record.attempts[0]?.handle.pid
  if (pid === undefined) throw new Error('no process')
  return pid
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    if (errorCode(cause) === 'ESRCH') return false
    throw cause
  }
}
