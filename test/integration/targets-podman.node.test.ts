import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  openTarget,
  type StackHandle,
  type StartSpec,
  type Target
} from '../../src-main/engine/targets'
import { BUSYBOX, makeBusybox, type TestEngine } from '../support/docker-engine'
import { podmanObstacle, startPodman } from '../support/own-podman'

const why = podmanObstacle()

describe.skipIf(why !== null)(
  `Podman’s compatible socket${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    let podman: TestEngine
    let folder: string
    let target: Target

    beforeAll(async () => {
      podman = await startPodman()
      await makeBusybox(podman.docker)
      // Podman imports without the name it is told.
      const [imported] = await podman.docker.listImages()
      const [repo = '', tag = ''] = BUSYBOX.split(':')
      await podman.docker.getImage(imported?.Id ?? '').tag({ repo, tag })
      folder = await mkdtemp(join(tmpdir(), 'slipway-podman-test-'))
      target = await openTarget(
        { kind: 'docker', id: 'p', name: 'Podman', via: { kind: 'socket', path: podman.socket } },
        { installation: 'test', resources: resolve('resources'), home: folder }
      )
    }, 120_000)
    afterAll(async () => {
      await target.dispose()
      await podman.dispose()
      await rm(folder, { recursive: true, force: true })
    }, 120_000)

    function spec(runId: string, script: string, state: string): StartSpec {
      return {
        runId,
        attempt: 1,
        argv: ['/bin/sh', '-c', script],
        cwd: '/',
        ...{
          environment: { TOKEN: 'secret-of-test' },
          secretNames: ['TOKEN'],
          attemptFolder: folder
        },
        container: {
          image: BUSYBOX,
          mounts: [{ host: state, container: '/state', readOnly: false }],
          gpus: 'none',
          hostNetwork: true,
          ports: [],
          ipcHost: false,
          shmBytes: 64 << 20,
          user: null
        }
      }
    }

    const ended = (handle: StackHandle): Promise<void> =>
      new Promise((done) => target.onExit(handle, done))

    it('says who it is', async () => {
      const status = await target.probe(new AbortController().signal)
      expect(status).toMatchObject({ reachable: 'yes', engine: 'Podman', why: null })
      expect(status.freeBytes).toBeGreaterThan(0)
      expect(await target.images?.find(BUSYBOX)).toMatch(/[0-9a-f]{64}$/)
    })

    it('runs a container with mount, environment and labels, copies its output whole and tells its end', async () => {
      const state = join(folder, 'state')
      await mkdir(state)
      const script =
        'echo "$TOKEN" > /state/token; for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 5'
      const handle = await target.start(spec('run-1', script, state))
      expect(await target.findOwn('test')).toMatchObject([{ runId: 'run-1', attempt: 1 }])
      await ended(handle)
      const exit = await target.look(handle)
      expect(exit).toMatchObject({ kind: 'exited', exit: { kind: 'code', code: 5 } })
      expect(await readFile(join(state, 'token'), 'utf8')).toBe('secret-of-test\n')
      const into = (name: string): string => join(folder, name)
      await new Promise<void>((done) => {
        const stop = target.copyOutput(handle, {
          stdout: into('out'),
          stderr: into('err'),
          cursor: into('cursor'),
          ended: () => {
            void stop().then(done)
          }
        })
      })
      expect(await readFile(into('out'), 'utf8')).toBe('out 1\nout 2\nout 3\n')
      expect(await readFile(into('err'), 'utf8')).toBe('err 1\nerr 2\nerr 3\n')
      await target.remove(handle)
      expect(await target.look(handle)).toEqual({ kind: 'gone' })
    }, 60_000)

    it('copies a line longer than the engine’s own pieces as one line', async () => {
      const state = join(folder, 'long')
      await mkdir(state)
      const script = 'head -c 50000 /dev/zero | tr "\\0" x; echo; echo end'
      const handle = await target.start(spec('run-long', script, state))
      await new Promise<void>((done) => {
        const stop = target.copyOutput(handle, {
          stdout: join(folder, 'l'),
          stderr: join(folder, 'm'),
          cursor: join(folder, 'n'),
          ended: () => {
            void stop().then(done)
          }
        })
      })
      expect(await readFile(join(folder, 'l'), 'utf8')).toBe(`${'x'.repeat(50_000)}\nend\n`)
      await target.remove(handle)
    }, 60_000)

    it('is refused what Podman would quietly do otherwise, in the words Docker’s refusal has', async () => {
      const good = spec('run-3', 'exit 0', folder)
      const refused = async (change: Partial<NonNullable<StartSpec['container']>>) => {
        if (good.container === undefined) throw new Error('no container')
        await expect(
          target.start({ ...good, container: { ...good.container, ...change } })
        ).rejects.toMatchObject({ failure: { code: expect.any(String) as string } })
        return target
          .start({ ...good, container: { ...good.container, ...change } })
          .catch((thrown: unknown) => (thrown as { failure: { code: string } }).failure.code)
      }
      const mistyped = { host: join(folder, 'mistyped'), container: '/x', readOnly: false }
      expect(await refused({ mounts: [mistyped] })).toBe('mount-missing')
      expect(await refused({ gpus: 'all' })).toBe('gpus-passed-over')
      expect(await refused({ image: 'nothing:1' })).toBe('image-missing')
      expect(await target.findOwn('test')).toEqual([])
      const handle = await target.start(good)
      await ended(handle)
      expect(await refused({})).toBe('container-exists')
      await target.remove(handle)
    }, 60_000)

    it('tells what ended from what runs, and is not angry when asked twice', async () => {
      const state = join(folder, 'twice')
      await mkdir(state)
      const handle = await target.start(spec('run-4', 'sleep 1000', state))
      expect(await target.endedOwn?.()).toEqual([])
      const over = ended(handle)
      await target.kill(handle)
      await over
      expect(await target.endedOwn?.()).toMatchObject([{ runId: 'run-4' }])
      await target.kill(handle)
      await target.askToStop(handle)
      await target.remove(handle)
      await target.remove(handle)
    }, 60_000)

    it('keeps an ended stack whose network a companion still has, and lets go of it afterwards', async () => {
      const stack = await target.start(spec('run-5', 'sleep 1000', folder))
      if (stack.kind !== 'container') throw new Error('no container')
      const { container, ...asked } = spec('run-5', 'sleep 1000', folder)
      if (container === undefined) throw new Error('no container')
      const beside = await target.start({
        ...asked,
        companion: { name: 'stays', start: 1 },
        container: { ...container, hostNetwork: false, joins: stack.id }
      })
      await target.kill(stack)
      await target.remove(stack)
      expect(await target.look(stack)).toMatchObject({ kind: 'exited' })
      expect(await target.look(beside)).toEqual({ kind: 'running' })
      await target.kill(beside)
      for (const one of [beside, stack]) {
        await target.remove(one)
        expect(await target.look(one)).toEqual({ kind: 'gone' })
      }
    }, 60_000)

    it('is asked to stop without a kill, and killed as a step of its own', async () => {
      const deaf = 'trap "echo deaf" TERM; echo up > /state/up; while :; do sleep 0.1; done'
      const state = join(folder, 'deaf')
      await mkdir(state)
      const handle = await target.start(spec('run-2', deaf, state))
      await target.askToStop(handle)
      expect(await target.look(handle)).toMatchObject({ kind: 'running' })
      const over = ended(handle)
      await target.kill(handle)
      await over
      expect(await target.look(handle)).toMatchObject({ kind: 'exited' })
      await target.remove(handle)
    }, 60_000)
  }
)
