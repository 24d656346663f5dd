import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  openTarget,
  type OutputGap,
  type StackHandle,
  type StartSpec,
  type Target
} from '../../src-main/engine/targets'
import {
  BUSYBOX,
  describeWithDocker,
  makeBusybox,
  startEngine,
  type TestEngine
} from '../support/docker-engine'
import { followLargeOutput } from '../support/large-output'

describeWithDocker('containers of a real engine', () => {
  let engine: TestEngine
  let folder: string
  let target: Target

  beforeAll(async () => {
    engine = await startEngine()
    await makeBusybox(engine.docker)
  })
  afterAll(() => engine.dispose())

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-docker-'))
    target = await open()
  })
  afterEach(async () => {
    await target.dispose()
    for (const { Id } of await engine.docker.listContainers({ all: true }))
      await engine.docker.getContainer(Id).remove({ force: true })
    await rm(folder, { recursive: true, force: true })
  })

  function open(installation = 'test-installation'): Promise<Target> {
    return openTarget(
      {
        kind: 'docker',
        id: 'docker',
        name: 'Docker',
        via: { kind: 'socket', path: engine.socket }
      },
      { installation, resources: 'resources', home: folder }
    )
  }

  function shell(script: string, extra: Partial<StartSpec> = {}): StartSpec {
    return {
      runId: 'run-1',
      attempt: 1,
      argv: ['/bin/sh', '-c', script],
      cwd: '/',
      environment: {},
      secretNames: [],
      attemptFolder: folder,
      container: {
        image: BUSYBOX,
        mounts: [],
        gpus: 'none',
        hostNetwork: true,
        ports: [],
        ipcHost: false,
        shmBytes: null,
        user: null,
        ...extra.container
      },
      ...extra
    }
  }

  const ended = (handle: StackHandle): Promise<void> =>
    new Promise((done) => target.onExit(handle, done))

  const idOf = (handle: StackHandle): string => (handle.kind === 'container' ? handle.id : '')

  it('is asked who it is', async () => {
    const status = await target.probe(new AbortController().signal)
    expect(status).toMatchObject({ reachable: 'yes', engine: 'Docker', why: null })
    expect(status.engineFacts?.cgroup).toBeOneOf([1, 2])
    expect(status.engineFacts?.runtimes).toContain('runc')
    expect(status.freeBytes).toBeGreaterThan(0)
  })

  it('runs a container with its mounts, environment, shared memory and labels, and tells how it ended', async () => {
    const inside = join(folder, 'state')
    await mkdir(inside)
    const spec = shell('echo "$TOKEN" > /state/token; df -k /dev/shm > /state/shm; exit 5', {
      environment: { TOKEN: 'secret-of-test' }
    })
    const handle = await target.start({
      ...spec,
      container: {
        image: BUSYBOX,
        mounts: [{ host: inside, container: '/state', readOnly: false }],
        gpus: 'none',
        hostNetwork: true,
        ports: [],
        ipcHost: false,
        user: null,
        shmBytes: 128 * 1024 * 1024
      }
    })
    await ended(handle)
    expect(await target.look(handle)).toMatchObject({
      kind: 'exited',
      exit: { kind: 'code', code: 5 }
    })
    expect(await readFile(join(inside, 'token'), 'utf8')).toBe('secret-of-test\n')
    expect(await readFile(join(inside, 'shm'), 'utf8')).toMatch(/\b131072\b/)
    const facts = await engine.docker.getContainer(idOf(handle)).inspect()
    expect(JSON.stringify([facts.Args, facts.Path, facts.Config.Labels])).not.toContain('secret')
    expect(facts.Config.Labels).toMatchObject({
      'slipway.installation': 'test-installation',
      'slipway.run': 'run-1',
      'slipway.attempt': '1'
    })
    expect(facts.HostConfig.NetworkMode).toBe('host')
    await target.remove(handle)
    expect(await target.look(handle)).toEqual({ kind: 'gone' })
  })

  it('asks to stop without killing, and kills as a step of its own', async () => {
    const handle = await target.start(
      shell('trap "echo deaf" TERM; echo up; while :; do sleep 0.1; done')
    )
    await target.askToStop(handle)
    expect(await target.look(handle)).toEqual({ kind: 'running' })
    const end = ended(handle)
    await target.kill(handle)
    await end
    expect(await target.look(handle)).toMatchObject({ kind: 'exited', exit: { code: 137 } })
    await target.kill(handle)
    await target.askToStop(handle)
  })

  it('lets a container that listens end in its own way', async () => {
    const handle = await target.start(shell('trap "exit 9" TERM; while :; do sleep 0.1; done'))
    const end = ended(handle)
    await target.askToStop(handle)
    await end
    expect(await target.look(handle)).toMatchObject({ exit: { kind: 'code', code: 9 } })
  })

  it('tells one killed for want of memory from others', async () => {
    const handle = await target.start(shell('sleep 0.3; tail /dev/zero'))
    await engine.docker
      .getContainer(idOf(handle))
      .update({ Memory: 16 << 20, MemorySwap: 16 << 20 })
    await ended(handle)
    expect(await target.look(handle)).toMatchObject({ kind: 'exited', exit: { kind: 'oom' } })
  })

  it('sees one that somebody else removed as gone', async () => {
    const handle = await target.start(shell('sleep 1000'))
    const end = ended(handle)
    await engine.docker.getContainer(idOf(handle)).remove({ force: true })
    await end
    expect(await target.look(handle)).toEqual({ kind: 'gone' })
  })

  it('finds what this installation started, and nothing of another', async () => {
    const handle = await target.start(shell('sleep 1000'))
    const other = await open('somebody-else')
    const theirs = await other.start({ ...shell('sleep 1000'), runId: 'run-2' })
    expect(await target.findOwn('test-installation')).toEqual([
      { runId: 'run-1', attempt: 1, handle }
    ])
    expect(await target.findOwn('somebody-else')).toEqual([
      { runId: 'run-2', attempt: 1, handle: theirs }
    ])
    await other.dispose()
  })

  it.each([
    ['image-missing', { image: 'not/there:1' }],
    ['mount-missing', { mounts: [{ host: '/not/there', container: '/x', readOnly: true }] }],
    ['gpu-runtime-missing', { gpus: 'all' as const }]
  ])('says why it could not start: %s', async (code, change) => {
    const spec = shell('true')
    if (spec.container === undefined) throw new Error('no container')
    await expect(
      target.start({ ...spec, container: { ...spec.container, ...change } })
    ).rejects.toMatchObject({ failure: { code } })
    expect(await target.findOwn('test-installation')).toEqual([])
  })

  it('says why it could not start: no such command, name taken', async () => {
    await expect(target.start({ ...shell(''), argv: ['/no/such'] })).rejects.toMatchObject({
      failure: { code: 'command-missing' }
    })
    await target.start(shell('sleep 1000'))
    await expect(target.start(shell('true'))).rejects.toMatchObject({
      failure: { code: 'container-exists' }
    })
  })

  it('is unreachable, not failed, while the engine is away, and tells the end when it is back', async () => {
    const handle = await target.start(shell('sleep 1000'))
    const end = ended(handle)
    await engine.down()
    expect(await target.look(handle)).toMatchObject({ kind: 'unreachable' })
    expect(await target.probe(new AbortController().signal)).toMatchObject({
      reachable: 'no',
      remedy: 'sudo systemctl start docker'
    })
    await engine.up()
    await end
    expect(await target.look(handle)).toMatchObject({ kind: 'exited' })
  })

  it('does not wait for ever for an engine that hangs', { timeout: 60_000 }, async () => {
    engine.signal('SIGSTOP')
    const status = await target.probe(new AbortController().signal)
    engine.signal('SIGCONT')
    expect(status).toMatchObject({ reachable: 'no' })
    expect(status.why?.en).toContain('did not answer in time')
  })

  const files = (name: string) => ({
    stdout: join(folder, `${name}.out`),
    stderr: join(folder, `${name}.err`),
    cursor: join(folder, `${name}.cursor`)
  })

  it('copies both outputs whole and in order', async () => {
    const count = 200_000
    const handle = await target.start(
      shell(`seq 1 ${count}; seq 1 1000 >&2; head -c 100000 /dev/zero | tr '\\0' x; echo`)
    )
    const into = files('all')
    const stop = target.copyOutput(handle, into)
    await ended(handle)
    await copied(into.cursor)
    await stop()
    const lines = (await readFile(into.stdout, 'utf8')).split('\n')
    expect(lines.length).toBe(count + 2)
    expect(lines.slice(0, count).every((line, index) => line === String(index + 1))).toBe(true)
    expect(lines[count]).toBe('x'.repeat(100_000))
    expect((await readFile(into.stderr, 'utf8')).split('\n').length).toBe(1001)
    expect((await stat(into.stdout)).mode & 0o777).toBe(0o600)
  })

  /** Resolves when the cursor file says that everything was copied. */
  function copied(cursor: string): Promise<void> {
    return new Promise((done) => {
      const stop = target.files.follow(cursor, () => {
        void readFile(cursor, 'utf8').then(
          (text) => {
            if (!text.includes('"ended":true')) return
            stop()
            done()
          },
          () => {}
        )
      })
    })
  }

  it('is followed over 20 MB of a service’s file and 20 MB of its own', async () => {
    await followLargeOutput(engine, target, folder, 20_000_000)
    expect.hasAssertions()
  })

  it('loses and doubles nothing when it is put down before it went on', async () => {
    const handle = await target.start(shell('seq 1 50000; sleep 1000'))
    const into = files('early')
    const gaps: OutputGap[] = []
    const copy = (): (() => Promise<void>) =>
      target.copyOutput(handle, { ...into, gap: (gap) => gaps.push(gap) })
    const whole = new Promise<void>((done) => {
      const unfollow = target.files.follow(into.stdout, () => {
        void readFile(into.stdout, 'utf8').then((text) => {
          if (!text.endsWith('\n50000\n')) return
          unfollow()
          done()
        })
      })
    })
    const first = copy()
    await whole
    await first()
    // At once, and while it still compares what is here with what the engine has.
    for (let round = 0; round < 12; round++) {
      const stop = copy()
      await new Promise((later) => setTimeout(later, round * 5))
      await stop()
    }
    const lines = (await readFile(into.stdout, 'utf8')).trimEnd().split('\n')
    expect(lines.length).toBe(50_000)
    expect(lines.findIndex((line, index) => line !== String(index + 1))).toBe(-1)
    expect(await readFile(into.cursor, 'utf8')).toContain('"total":50000')
    expect(gaps).toEqual([])
  })

  it('goes on exactly where it was cut, however often', async () => {
    const handle = await target.start(
      shell('i=0; while [ $i -lt 60000 ]; do i=$((i+1)); echo "out $i"; echo "err $i" >&2; done')
    )
    const into = files('cut')
    const gaps: OutputGap[] = []
    for (let round = 0; round < 8; round++) {
      const grown = new Promise<void>((done) => {
        const unfollow = target.files.follow(into.stdout, () => {
          unfollow()
          done()
        })
      })
      const stop = target.copyOutput(handle, { ...into, gap: (gap) => gaps.push(gap) })
      await grown
      await stop()
    }
    const stop = target.copyOutput(handle, { ...into, gap: (gap) => gaps.push(gap) })
    await copied(into.cursor)
    await stop()
    for (const [file, word] of [
      [into.stdout, 'out'],
      [into.stderr, 'err']
    ] as const) {
      const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
      expect(lines.findIndex((line, index) => line !== `${word} ${index + 1}`)).toBe(-1)
      expect(lines.length).toBe(60_000)
    }
    expect(gaps).toEqual([])
  })
})
