import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  openTarget,
  type OutputGap,
  type StackHandle,
  type Target
} from '../../src-main/engine/targets'
import {
  BUSYBOX,
  describeWithDocker,
  makeBusybox,
  startEngine,
  type TestEngine
} from '../support/docker-engine'

/** The numbers of a text whose lines are `line 1`, `line 2`, …; NaN for any other line. */
const numbers = (text: string): number[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Number(/^line (\d+)$/.exec(line)?.[1]))

/** Numbers that are missing between two neighbours, from 1 on. */
const holes = (seen: readonly number[]): number[] =>
  seen.flatMap((number, index) => {
    const missing = number - (seen[index - 1] ?? 0) - 1
    return missing > 0 ? [missing] : []
  })

/** What the printer prints that outlives two readings of it. */
const LINES = 1400

/** Prints numbered lines, about 20 each `pause` seconds. */
const printer = (lines: number, pause: number): string =>
  `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i"; [ $((i % 20)) = 0 ] && sleep ${pause}; done`

describeWithDocker('an engine that keeps only the newest output', () => {
  let engine: TestEngine
  let folder: string
  let target: Target
  let gaps: OutputGap[]

  beforeAll(async () => {
    engine = await startEngine()
    await makeBusybox(engine.docker)
  })
  afterAll(() => engine.dispose())
  beforeEach(async () => {
    gaps = []
    folder = await mkdtemp(join(tmpdir(), 'slipway-rotation-'))
    target = await openTarget(
      { kind: 'docker', id: 'd', name: 'Docker', via: { kind: 'socket', path: engine.socket } },
      { installation: 'test', resources: 'resources', home: folder }
    )
  })
  afterEach(async () => {
    await target.dispose()
    for (const { Id } of await engine.docker.listContainers({ all: true }))
      await engine.docker.getContainer(Id).remove({ force: true })
    await rm(folder, { recursive: true, force: true })
  })

  async function start(script: string, limits: Record<string, string>): Promise<StackHandle> {
    const container = await engine.docker.createContainer({
      Image: BUSYBOX,
      Cmd: ['/bin/sh', '-c', script],
      HostConfig: { NetworkMode: 'none', LogConfig: { Type: 'json-file', Config: limits } }
    })
    await container.start()
    return { kind: 'container', id: container.id, name: 'printer', engine: 'd' }
  }

  const copied = async (): Promise<number[]> => numbers(await readFile(join(folder, 'out'), 'utf8'))

  function copy(handle: StackHandle, ended: () => void = () => {}): () => Promise<void> {
    return target.copyOutput(handle, {
      stdout: join(folder, 'out'),
      stderr: join(folder, 'err'),
      ended,
      cursor: join(folder, 'cursor'),
      gap: (gap) => gaps.push(gap)
    })
  }

  const toTheEnd = (handle: StackHandle): Promise<void> =>
    new Promise((done) => {
      const stop = copy(handle, () => void stop().then(done))
    })

  it('is followed over many new files without loss, double or a gap', async () => {
    const handle = await start(printer(3000, 0.05), { 'max-size': '60k', 'max-file': '3' })
    await toTheEnd(handle)
    const seen = await copied()
    expect(holes(seen)).toEqual([])
    expect(seen).toHaveLength(3000)
    expect(gaps).toEqual([])
  })

  it('is told to have dropped output, when and about how much', async () => {
    const handle = await start(printer(LINES, 0.2), { 'max-size': '30k', 'max-file': '1' })
    // Read for more than two seconds and not until the file is emptied, so that its pace is known; left alone until what
    // was read is gone, and read again to the end.
    const stop = copy(handle)
    await new Promise<void>((done) => {
      const unfollow = target.files.follow(join(folder, 'out'), () => {
        void copied().then(({ length }) => {
          if (length < 240) return
          unfollow()
          done()
        })
      })
    })
    await stop()
    const last = (await copied()).at(-1) ?? 0
    const stream = await engine.docker
      .getContainer(handle.kind === 'container' ? handle.id : '')
      .logs({ follow: true, stdout: true, since: 0, tail: 0 })
    for await (const piece of stream) {
      const newest = Number(/line (\d+)\n$/.exec(String(piece))?.[1] ?? 0)
      if (newest > last + 600) break
    }
    await toTheEnd(handle)

    const seen = await copied()
    expect(seen.at(-1)).toBe(LINES)
    const missing = holes(seen)
    // While we were away; and a file that is emptied takes along what came since the last look.
    expect(missing.length).toBeGreaterThan(0)
    expect(seen.length + missing.reduce((sum, lines) => sum + lines, 0)).toBe(LINES)
    expect(gaps).toHaveLength(missing.length)
    for (const [index, lines] of missing.entries()) {
      const gap = gaps[index]
      expect(gap?.keeps).toBe('json-file, max-file=1, max-size=30k')
      expect(Date.parse(gap?.before ?? '')).toBeGreaterThan(Date.parse(gap?.after ?? ''))
      // A guess, and said to be one: of the right size, no more. None where too little was read right before and after.
      if (index > 0 && gap?.expected === null) continue
      if (lines < 200) continue
      expect(gap?.expected?.lines[1]).toBeGreaterThan(lines / 4)
      expect(gap?.expected?.lines[0]).toBeLessThan(lines * 4)
    }
    // The one that was left on purpose has a pace before it.
    expect(missing[0]).toBeGreaterThan(200)
    expect(gaps[0]?.expected).not.toBeNull()
    expect(Math.max(...missing)).toBeGreaterThan(200)
  })
})
