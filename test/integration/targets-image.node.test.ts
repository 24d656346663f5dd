import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Check } from '../../src-main/contract/preflight'
import { planLaunch, readRecipeForPlan } from '../../src-main/engine/stacks'
import {
  openTarget,
  PRACTICE_COMMAND,
  type ImageStore,
  type Target
} from '../../src-main/engine/targets'
import { describeWithDocker, startEngine, type TestEngine } from '../support/docker-engine'
import { judged, launchContext } from '../support/preflight-yard'

describeWithDocker('the practice image', () => {
  let engine: TestEngine
  let folder: string
  let target: Target
  let images: ImageStore

  beforeAll(async () => {
    engine = await startEngine()
    folder = await mkdtemp(join(tmpdir(), 'slipway-image-'))
    target = await openTarget(
      { kind: 'docker', id: 'd', name: 'Docker', via: { kind: 'socket', path: engine.socket } },
      { installation: 'test', resources: resolve('resources'), home: folder }
    )
    if (target.images === null) throw new Error('a Docker target has images')
    images = target.images
  })
  afterAll(async () => {
    await target.dispose()
    await engine.dispose()
    await rm(folder, { recursive: true, force: true })
  })

  const build = (log: (line: string) => void, signal = new AbortController().signal) =>
    images.buildPractice({ log, signal })

  it('can be cancelled while it is being made', async () => {
    const abort = new AbortController()
    const cancelled = build((line) => {
      if (line.startsWith('Step')) abort.abort()
    }, abort.signal)
    await expect(cancelled).rejects.toMatchObject({ failure: { code: 'build-cancelled' } })
    expect(await images.find(await images.practiceReference())).toBeNull()
  })

  it('is made from this machine, without a network, once', async () => {
    const lines: string[] = []
    const first = await build((line) => lines.push(line))
    expect(lines.join('\n')).toContain('FROM scratch')
    expect(await images.find(first.reference)).toBe(first.id)
    expect(await images.list()).toMatchObject([{ reference: first.reference, id: first.id }])
    const again: string[] = []
    expect(await build((line) => again.push(line))).toEqual(first)
    expect(again).toEqual([])
  })

  it('reads a practice recipe as Slipway does, and says once what both refuse', async () => {
    await build(() => {})
    const reference = await images.practiceReference()
    const read = async (text: string): Promise<Check | undefined> => {
      const made = await launchContext({ folder, text, target })
      const { id, kind, name } = target.spec
      const plan = planLaunch(
        readRecipeForPlan(text, { path: made.request.recipe, overrides: [], environment: {} }),
        made.request,
        {
          kind: 'practice-container',
          ref: { id, kind, name },
          image: reference,
          user: null,
          network: 'host',
          insteadOfPort: 19_777
        }
      )
      const environment = new Map([['REEF_TOKEN', 'set' as const]])
      const { checks } = await judged(
        { ...made, plan, environment },
        (one) => one === 'oracle/print-config'
      )
      return checks.get('oracle/print-config')
    }
    const practice = await readFile('recipes/practice-sao.yaml', 'utf8')
    const same = await read(practice)
    expect(same).toMatchObject({ verdict: 'pass' })
    expect(same?.evidence.en).toMatch(/reads \d\d+ settings as Slipway does/)
    // The checker says this, too: once is enough.
    const refused = await read(practice.replace(/implementation: .*/, 'implementation: a.b:C'))
    expect(refused).toMatchObject({ verdict: 'skip' })
    expect(refused?.evidence.en).toContain('a.b:C')
  })

  it('runs the practice stack', async () => {
    const { reference } = await build(() => {})
    const handle = await target.start({
      runId: 'practice',
      attempt: 1,
      argv: [...PRACTICE_COMMAND, 'tasks', '--count', '2'],
      cwd: '/opt/practice',
      environment: {},
      secretNames: [],
      attemptFolder: folder,
      container: {
        image: reference,
        mounts: [],
        gpus: 'none',
        hostNetwork: true,
        ports: [],
        ipcHost: false,
        shmBytes: null,
        user: null
      }
    })
    await new Promise<void>((done) => target.onExit(handle, done))
    const into = {
      stdout: join(folder, 'out'),
      stderr: join(folder, 'err'),
      cursor: join(folder, 'cursor')
    }
    const followed = new Promise<void>((done) => {
      const unfollow = target.files.follow(into.cursor, () => {
        unfollow()
        done()
      })
    })
    const stop = target.copyOutput(handle, into)
    await followed
    await stop()
    expect(await readFile(into.stderr, 'utf8')).toBe('')
    expect((await readFile(into.stdout, 'utf8')).trim().split('\n')).toHaveLength(2)
    expect(await target.look(handle)).toMatchObject({ exit: { kind: 'code', code: 0 } })
  })
})
