import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ErrandRequest, ErrandView } from '../../src-main/contract/errands'
import { ErrandService } from '../../src-main/engine/errands'
import { systemClock } from '../../src-main/engine/lib'
import { openTarget, type Target } from '../../src-main/engine/targets'
import {
  BUSYBOX,
  describeWithDocker,
  findProgram,
  makeBusybox,
  startEngine,
  type TestEngine
} from '../support/docker-engine'

let folder: string
let target: Target | null = null
let errands: ErrandService

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-errands-'))
  errands = new ErrandService({
    home: folder,
    clock: systemClock,
    environment: process.env,
    target: () =>
      target === null ? Promise.reject(new Error('no target')) : Promise.resolve(target)
  })
})
afterEach(async () => {
  await errands.dispose()
  await rm(folder, { recursive: true, force: true })
})

/** Follows an errand; `seen` may act on what it shows. */
async function followed(id: string, seen?: (view: ErrandView) => void): Promise<ErrandView> {
  let last: ErrandView | null = null
  for await (const view of errands.follow(id)) {
    last = view
    seen?.(view)
  }
  if (last === null) throw new Error('an errand is seen at least once')
  return last
}

const git = (...words: string[]): void => {
  execFileSync('git', words, { stdio: 'ignore' })
}

/** A repository with `docker/Dockerfile.reef` in it, and one file that git-lfs keeps where there is a git-lfs. */
async function repository(lfs: boolean): Promise<string> {
  const place = join(folder, 'origin')
  await mkdir(join(place, 'docker'), { recursive: true })
  git('init', '-q', '-b', 'main', place)
  if (lfs) {
    git('-C', place, 'lfs', 'install', '--local')
    await writeFile(join(place, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
    await writeFile(join(place, 'large.bin'), 'a large file')
  }
  await writeFile(join(place, 'docker', 'Dockerfile.reef'), 'FROM scratch AS reef\n')
  git('-C', place, 'add', '.')
  git('-C', place, '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'one')
  return place
}

describe('an errand that Slipway’s end cuts', () => {
  it('is told of by the next engine, with what it had said; one that a person called off is not', async () => {
    const asked: ErrandRequest = {
      kind: 'clone',
      address: 'ssh://127.0.0.1:1/none',
      folder: join(folder, 'Reef'),
      largeFiles: false
    }
    const file = join(folder, 'errands', 'clone-x.json')
    const log = file.replace('.json', '.log')
    await mkdir(join(folder, 'errands'))
    await writeFile(log, '$ git clone\nReceiving objects\n')
    const errand = {
      id: 'clone-x',
      request: asked,
      command: 'git clone',
      state: { kind: 'running' },
      log,
      startedAt: 1,
      endedAt: null,
      step: null
    }
    const record = { version: 1, errand, pid: process.pid, startTime: 'of another process' }
    await writeFile(file, JSON.stringify(record))
    await errands.recall()
    expect(await followed('clone-x')).toMatchObject({
      state: { kind: 'failed', failure: { code: 'errand-cut' } },
      lines: ['$ git clone', 'Receiving objects']
    })
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('is not taken from an engine that still works on it', async () => {
    const id = await errands.start({
      kind: 'clone',
      address: 'ssh://127.0.0.1:1/none',
      folder: join(folder, 'Reef'),
      largeFiles: false
    })
    const record = join(folder, 'errands', `${id}.json`)
    const other = new ErrandService({
      home: folder,
      clock: systemClock,
      environment: process.env,
      target: () => Promise.reject(new Error('no target'))
    })
    await other.recall()
    expect(other.list).toEqual([])
    await followed(id)
    await expect(stat(record)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe.skipIf(findProgram('git') === null)('getting Reef (skipped where there is no git)', () => {
  const clone = (address: string, place: string): ErrandRequest => ({
    kind: 'clone',
    address,
    folder: place,
    largeFiles: true
  })

  it('clones what the person named, with its large files, and says what it is', async () => {
    const lfs = findProgram('git-lfs') !== null
    const origin = await repository(lfs)
    const place = join(folder, 'Reef')
    const view = await followed(await errands.start(clone(`file://${origin}`, place)))
    expect(view.state).toMatchObject({ kind: 'done' })
    const facts = await errands.checkout(place)
    expect(facts).toMatchObject({ buildable: true, branch: 'main', stages: ['reef'] })
    expect(facts.commit).toMatch(/^[0-9a-f]{40}$/)
    if (lfs) expect(await readFile(join(place, 'large.bin'), 'utf8')).toBe('a large file')
    expect(await readFile(view.log, 'utf8')).toContain(`git clone --progress`)
    expect((await stat(view.log)).mode & 0o077).toBe(0)
  })

  it('fails in git’s words where there is nothing, and leaves nothing', async () => {
    const place = join(folder, 'Reef')
    const view = await followed(await errands.start(clone(join(folder, 'nowhere'), place)))
    expect(view.state).toMatchObject({ kind: 'failed', failure: { where: 'git' } })
    expect(view.lines.join('\n')).toContain('fatal:')
    expect(await stat(place).catch(() => null)).toBeNull()
  })

  it('goes over nothing that is there', async () => {
    await writeFile(join(folder, 'mine'), '')
    await expect(errands.start(clone('https://example.org/reef', folder))).rejects.toMatchObject({
      failure: { where: folder }
    })
    expect(errands.list).toEqual([])
  })
})

describeWithDocker('building the image of a checkout', () => {
  let engine: TestEngine
  let home: string

  beforeAll(async () => {
    engine = await startEngine()
    await makeBusybox(engine.docker)
    home = await mkdtemp(join(tmpdir(), 'slipway-errands-engine-'))
    target = await openTarget(
      { kind: 'docker', id: 'd', name: 'Docker', via: { kind: 'socket', path: engine.socket } },
      { installation: 'test', resources: resolve('resources'), home }
    )
  }, 60_000)
  afterAll(async () => {
    await target?.dispose()
    target = null
    await engine.dispose()
    await rm(home, { recursive: true, force: true })
  }, 60_000)

  async function checkout(dockerfile: string): Promise<string> {
    const place = join(folder, 'Reef')
    await mkdir(join(place, 'docker'), { recursive: true })
    await writeFile(join(place, 'docker', 'Dockerfile.reef'), dockerfile)
    await writeFile(join(place, 'serve.yaml'), 'schema-version: 2\n')
    return place
  }

  const build = (place: string, more: object = {}): ErrandRequest => ({
    kind: 'build',
    target: 'd',
    checkout: place,
    reference: 'reef:test',
    arguments: [],
    ...more
  })

  it('makes it, with its stage and arguments, and shows the log', async () => {
    const place = await checkout(
      'FROM scratch AS reef\nARG WHO=nobody\nLABEL who=$WHO\nCOPY serve.yaml /workspace/Reef/\nFROM reef AS tttd\n'
    )
    const request = build(place, { stage: 'reef', arguments: [{ name: 'WHO', value: 'me' }] })
    const view = await followed(await errands.start(request))
    expect(view.state).toMatchObject({ kind: 'done' })
    expect(view.lines.join('\n')).toContain('COPY serve.yaml')
    expect(view.step?.total).toBeGreaterThan(2)
    const image = await engine.docker.getImage('reef:test').inspect()
    expect(image.Config.Labels).toMatchObject({ who: 'me' })
    expect(await target?.images?.find('reef:test')).toBe(image.Id)
  })

  it('fails with the log’s last words', async () => {
    const place = await checkout('FROM scratch\nCOPY not-there /\n')
    const view = await followed(await errands.start(build(place)))
    expect(view.state).toMatchObject({ kind: 'failed', failure: { where: 'docker' } })
    expect(view.state.kind === 'failed' && view.state.failure.detail).toContain('not-there')
  })

  it('is called off while it runs: its command is gone and there is no image', async () => {
    const place = await checkout(`FROM ${BUSYBOX}\nRUN echo begun && sleep 600\n`)
    const id = await errands.start(build(place, { reference: 'reef:never' }))
    let cancelled: Promise<void> | null = null
    const view = await followed(id, ({ lines }) => {
      if (cancelled === null && lines.some((line) => line.trim() === 'begun'))
        cancelled = errands.cancel(id)
    })
    expect(cancelled).not.toBeNull()
    await Promise.resolve(cancelled)
    expect(view.state).toEqual({ kind: 'cancelled' })
    expect(await target?.images?.find('reef:never')).toBeNull()
  }, 60_000)
})
