import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Check, PreflightReport } from '../../src-main/contract/preflight'
import type { LaunchContext } from '../../src-main/engine/preflight'
import { openTarget, type Target } from '../../src-main/engine/targets'
import {
  BUSYBOX,
  describeWithDocker,
  findProgram,
  makeBusybox,
  startEngine,
  type TestEngine
} from '../support/docker-engine'
import { judged, launchContext, slimeRecipe } from '../support/preflight-yard'
import { makeSshUser, sshObstacle, startSshd } from '../support/sshd'

const USER = 'slipway-preflight-test'

describeWithDocker('preflight against a real engine', () => {
  let engine: TestEngine
  let folder: string
  let target: Target

  beforeAll(async () => {
    engine = await startEngine()
    await makeBusybox(engine.docker)
  })
  afterAll(() => engine.dispose())

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-preflight-docker-'))
    target = await open({ kind: 'socket', path: engine.socket })
  })
  afterEach(async () => {
    await target.dispose()
    await rm(folder, { recursive: true, force: true })
  })

  function open(
    via: { kind: 'socket'; path: string } | { kind: 'ssh'; destination: string },
    sshConfig?: string
  ): Promise<Target> {
    return openTarget(
      { kind: 'docker', id: 'docker', name: 'Docker', via },
      {
        installation: 'test-preflight',
        resources: 'resources',
        home: folder,
        ...(sshConfig === undefined ? {} : { sshConfig })
      }
    )
  }

  /** A launch of a training recipe in the test's own image. */
  async function context(options: readonly string[] = []): Promise<LaunchContext> {
    const made = await launchContext({ folder, text: slimeRecipe(folder, 8900, options), target })
    // The mounted checkout is where the launcher of this test lies.
    const argv = ['/workspace/Reef/reef', ...made.plan.argv.slice(1)]
    return { ...made, plan: { ...made.plan, image: BUSYBOX, argv } }
  }

  async function check(id: string, options: readonly string[] = []): Promise<Check | undefined> {
    return (await judged(await context(options), (one) => one === id)).checks.get(id)
  }

  async function launcher(script: string): Promise<void> {
    await mkdir(join(folder, 'checkout'), { recursive: true })
    await writeFile(join(folder, 'checkout', 'reef'), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, 'checkout', 'reef'), 0o755)
  }

  it('finds the image, and says what to do when it is not there', async () => {
    expect((await check('docker/image'))?.verdict).toBe('pass')
    const made = await context()
    const absent = { ...made, plan: { ...made.plan, image: 'reef:never-made' } }
    const { checks } = await judged(absent, (id) => id === 'docker/image')
    expect(checks.get('docker/image')).toMatchObject({ verdict: 'fail' })
  })

  it('asks the launcher inside the image, and leaves no container behind', async () => {
    await launcher('echo "  reef.port = 8900  (file)"')
    expect((await check('oracle/print-config'))?.verdict).toBe('pass')
    await launcher('echo "  reef.port = 8901  (file)"')
    expect((await check('oracle/print-config'))?.verdict).toBe('warn')
    await launcher('echo "config $3: bad field" >&2; exit 2')
    const refused = await check('oracle/print-config')
    expect(refused).toMatchObject({ verdict: 'fail', judgement: false })
    expect(refused?.evidence.en).toContain('bad field')
    await rm(join(folder, 'checkout', 'reef'))
    expect((await check('oracle/print-config'))?.verdict).toBe('skip')
    expect(await engine.docker.listContainers({ all: true })).toEqual([])
  })

  it('looks for git and for SGLang’s adapter routes inside the image', async () => {
    const git = await check('docker/git')
    expect(git).toMatchObject({ verdict: 'fail', judgement: true })
    expect(git?.evidence.en).toBe('Not there: git, git-lfs.')
    expect((await check('docker/adapter-routes'))?.verdict).toBe('skip')
    const lora = ['megatron-lora-rank: 16']
    expect((await check('docker/adapter-routes', lora))?.verdict).toBe('unknown')
  })

  it('knows that --gpus all is refused where the engine has no NVIDIA runtime', async () => {
    const refused = await check('gpu/runtime')
    expect(refused).toMatchObject({ verdict: 'fail', judgement: true })
    expect(refused?.why?.en).toContain('could not select device driver')
    // The engine's own words are the ones the check quotes.
    const container = await engine.docker.createContainer({
      Image: BUSYBOX,
      Cmd: ['true'],
      HostConfig: { DeviceRequests: [{ Driver: '', Count: -1, Capabilities: [['gpu']] }] }
    })
    await expect(container.start()).rejects.toThrow(/could not select device driver/)
    await container.remove({ force: true })
  })

  it('finds an ended container of ours, and only such a one', async () => {
    const labels = { 'slipway.installation': 'test-preflight', 'slipway.run': 'run-9' }
    const make = (Labels: Record<string, string>) =>
      engine.docker.createContainer({ Image: BUSYBOX, Cmd: ['true'], Labels })
    const ours = await make(labels)
    const other = await make({ ...labels, 'slipway.installation': 'another' })
    try {
      expect((await target.endedOwn?.())?.map(({ id, runId }) => ({ id, runId }))).toEqual([
        { id: ours.id, runId: 'run-9' }
      ])
      await target.remove({ kind: 'container', id: ours.id, name: '', engine: 'docker' })
      expect(await target.endedOwn?.()).toEqual([])
    } finally {
      await other.remove({ force: true })
    }
  })

  it('calls an engine that hangs unknown at its deadline; the others do not wait for it', async () => {
    const made = await context()
    engine.signal('SIGSTOP')
    try {
      const { checks, report } = await judged(made)
      expect(checks.get('docker/target')?.verdict).toBe('unknown')
      expect(checks.get('docker/image')?.verdict).toBe('unknown')
      // What does not ask the engine answers as if nothing were wrong.
      for (const id of ['environment/token', 'environment/variables', 'state/second-writer'])
        expect(checks.get(id)).toMatchObject({ verdict: 'pass' })
      expect(checks.get('environment/token')?.took).toBeLessThan(2000)
      const asking = [...checks.values()].filter(({ id }) => id.startsWith('docker/'))
      expect(asking.map(({ verdict }) => verdict)).not.toContain('fail')
      expect(report.took).toBeLessThan(60_000)
      expect(report.running).toEqual([])
    } finally {
      engine.signal('SIGCONT')
    }
  }, 120_000)

  it('tells a stopped engine from one that was never there', async () => {
    await engine.down()
    try {
      const stopped = (await judged(await context(), (id) => id === 'docker/target')).checks
      expect(stopped.get('docker/target')).toMatchObject({ verdict: 'fail', judgement: false })
      expect(stopped.get('docker/target')?.command).toContain('systemctl start docker')
    } finally {
      await engine.up()
    }
  }, 120_000)

  const ssh = sshObstacle()
  it.skipIf(ssh !== null)(
    `runs its checks on the target behind ssh${ssh === null ? '' : ` (skipped: ${ssh})`}`,
    async () => {
      const user = makeSshUser()
      const sshd = await startSshd(user.publicKey)
      user.configure(sshd)
      const far = await open(
        { kind: 'ssh', destination: `ssh://direct${engine.socket}` },
        user.configFile
      )
      try {
        // The list of targets has asked it before anybody launches there.
        await far.probe(new AbortController().signal)
        const made = await launchContext({ folder, text: slimeRecipe(folder), target: far })
        const wanted =
          /^(?:environment\/clock|environment\/memory|gpu\/count|disk\/free|ports\/8900)$/
        const { checks } = await judged(made, (id) => wanted.test(id))
        expect(checks.get('environment/clock')).toMatchObject({ verdict: 'pass' })
        expect(checks.get('environment/clock')?.evidence.en).toContain('The target’s clock')
        expect(checks.get('environment/memory')?.verdict).not.toBe('unknown')
        expect(checks.get('disk/free')?.verdict).toBe('pass')
        expect(checks.get('ports/8900')?.evidence.en).not.toContain('cannot be tried')
        const gpu = checks.get('gpu/count')
        if (findProgram('nvidia-smi') === null) expect(gpu?.evidence.en).toContain('no nvidia-smi')
      } finally {
        await far.dispose()
        await sshd.dispose()
        await user.dispose()
      }
    },
    120_000
  )

  it.skipIf(findProgram('useradd') === null)(
    'says to an ordinary user that the socket is not theirs to use',
    async () => {
      execFileSync('useradd', ['--system', '--no-create-home', USER])
      try {
        const id = (flag: string): number =>
          Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }))
        const [uid, gid] = [id('-u'), id('-g')]
        await chmod(folder, 0o755)
        const home = join(folder, 'home')
        await mkdir(home)
        await chown(home, uid, gid)
        // The way to the socket is open; the socket itself is root's.
        await chmod(engine.folder, 0o755)
        const child = spawn(
          process.execPath,
          [
            ...[resolve(process.env['SLIPWAY_CLI'] ?? 'out/main/cli.js'), '--home', home, '--json'],
            ...['preflight', resolve('recipes/practice-sao.yaml')],
            ...['--target', 'environment:DOCKER_HOST']
          ],
          {
            uid,
            gid,
            cwd: home,
            stdio: ['ignore', 'pipe', 'pipe'],
            env: { PATH: process.env['PATH'], HOME: home, DOCKER_HOST: `unix://${engine.socket}` }
          }
        )
        const { code, out, err } = await outcome(child)
        expect({ code, err }).toEqual({ code: 1, err: '' })
        const report = PreflightReport.parse(JSON.parse(out))
        const refused = report.checks.find((one) => one.id === 'docker/target')
        expect(refused?.verdict).toBe('fail')
        expect(refused?.evidence.en).toContain(`You may not use unix://${engine.socket}`)
        expect(refused?.command).toContain('usermod -aG docker')
      } finally {
        execFileSync('userdel', [USER])
      }
    },
    120_000
  )
})

async function outcome(
  child: ChildProcess
): Promise<{ code: number | null; out: string; err: string }> {
  if (child.stdout === null || child.stderr === null) throw new Error('no output')
  const [out, err] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'exit')
  ])
  return { code: child.exitCode, out, err }
}
