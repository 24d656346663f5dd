import { createHash } from 'node:crypto'
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTarget, type StartSpec, type Target } from '../../src-main/engine/targets'
import { shellFiles } from '../../src-main/engine/targets/files/shell-files'
import { SshLink } from '../../src-main/engine/targets/ssh/ssh-link'
import { systemClock } from '../../src-main/engine/lib'
import {
  BUSYBOX,
  describeWithDocker,
  makeBusybox,
  startEngine,
  type TestEngine
} from '../support/docker-engine'
import {
  makeSshUser,
  sshObstacle,
  startSshd,
  type TestSshd,
  type TestSshUser
} from '../support/sshd'

const why = sshObstacle()
if (why !== null && process.env['CI'] === 'true') throw new Error(`${why}, and CI requires it`)

describe.skipIf(why !== null)(`ssh${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let user: TestSshUser
  let first: TestSshd
  let second: TestSshd
  let folder: string
  const links: SshLink[] = []

  beforeAll(async () => {
    user = makeSshUser()
    first = await startSshd(user.publicKey)
    second = await startSshd(user.publicKey)
  })
  afterAll(async () => {
    await first.dispose()
    await second.dispose()
    await user.dispose()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-far-'))
    user.configure(first, { second })
  })
  afterEach(async () => {
    for (const link of links.splice(0)) await link.close()
    await rm(folder, { recursive: true, force: true })
  })

  function link(destination: string): SshLink {
    const made = new SshLink({ destination, configFile: user.configFile })
    links.push(made)
    return made
  }

  it.each(['direct', 'inner'])('reads files there (%s)', async (destination) => {
    const far = link(destination)
    const files = shellFiles((script, args) => far.run(script, args), systemClock)
    const odd = join(folder, `a b'c"d$e|f`)
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256))
    await writeFile(odd, bytes)
    await mkdir(join(folder, 'empty'))
    expect(await files.stat(odd)).toMatchObject({ kind: 'file', size: bytes.length })
    expect(Buffer.from((await files.read(odd, 70_001, 1000)) ?? [])).toEqual(
      bytes.subarray(70_001, 71_001)
    )
    expect((await files.read(odd, 199_990, 1000))?.length).toBe(10)
    expect((await files.read(odd, 300_000, 10))?.length).toBe(0)
    expect(await files.digest(odd)).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect((await files.list(folder))?.map(({ name }) => name).sort()).toEqual(
      [`a b'c"d$e|f`, 'empty'].sort()
    )
    expect(await files.list(join(folder, 'empty'))).toEqual([])
    expect((await files.statfs(folder))?.freeBytes).toBeGreaterThan(0)
    for (const path of [join(folder, 'absent'), join(odd, 'below')]) {
      expect(await files.stat(path)).toBeNull()
      expect(await files.list(path)).toBeNull()
      expect(await files.read(path, 0, 1)).toBeNull()
      expect(await files.digest(path)).toBeNull()
      expect(await files.statfs(path)).toBeNull()
    }
  })

  it('follows a file there, across a cut connection', async () => {
    const far = link('direct')
    const files = shellFiles((script, args) => far.run(script, args), systemClock)
    const path = join(folder, 'log')
    let told = (): void => {}
    const next = (): Promise<void> => new Promise((done) => (told = done))
    const born = next()
    const stop = files.follow(path, () => {
      told()
    })
    await writeFile(path, 'one\n')
    await born
    await first.cut()
    const grown = next()
    await appendFile(path, 'two\n')
    await grown
    stop()
  })

  it('forwards a port there, and again after a cut', async () => {
    const server = createServer((_, answer) => answer.end('from there')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const far = link('inner')
    const ask = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${await far.forwardPort(port)}/`)).text()
    expect(await ask()).toBe('from there')
    await second.cut()
    // Fails, or finds the connection opened again already: both are right, and the next one must work.
    await far.run('true', []).catch(() => null)
    expect(await ask()).toBe('from there')
    server.close()
    server.closeAllConnections()
  })

  it.each<[string, () => Promise<void> | void, string]>([
    [
      'ssh-host-key-changed',
      () => user.configure(first, { hostKeys: [second.hostKey] }),
      'IDENTIFICATION HAS CHANGED'
    ],
    ['ssh-refused-key', () => writeFile(join(user.folder, 'id2'), ''), 'Permission denied'],
    ['ssh-unreachable', () => user.configure({ ...first, port: 1 }), 'Connection refused']
  ])('says in its own words why not: %s', async (code, spoil, words) => {
    await spoil()
    if (code === 'ssh-refused-key') {
      const config = await readFile(user.configFile, 'utf8')
      await writeFile(
        user.configFile,
        config.replaceAll(/IdentityFile .*/g, `IdentityFile ${join(user.folder, 'id2')}`)
      )
      await chmod(join(user.folder, 'id2'), 0o600)
    }
    const failure = link('direct').run('true', [])
    await expect(failure).rejects.toMatchObject({ failure: { code, where: 'direct' } })
    await expect(failure).rejects.toMatchObject({
      failure: { detail: expect.stringContaining(words) as string }
    })
  })

  it('asks to accept an unknown host key once, by hand', async () => {
    await writeFile(join(user.folder, 'known_hosts'), '')
    await expect(link('direct').run('true', [])).rejects.toMatchObject({
      failure: { code: 'ssh-host-key-unknown' },
      command: 'ssh direct'
    })
  })

  describeWithDocker('a Docker engine behind two ssh hops', () => {
    let engine: TestEngine
    let target: Target

    beforeAll(async () => {
      engine = await startEngine()
      await makeBusybox(engine.docker)
    })
    afterAll(() => engine.dispose())
    beforeEach(async () => {
      target = await open(`ssh://inner${engine.socket}`)
    })
    afterEach(async () => {
      await target.dispose()
      for (const { Id } of await engine.docker.listContainers({ all: true }))
        await engine.docker.getContainer(Id).remove({ force: true })
    })

    const open = (destination: string): Promise<Target> =>
      openTarget(
        { kind: 'docker', id: 'far', name: 'Far', via: { kind: 'ssh', destination } },
        { installation: 'test', resources: 'resources', home: folder, sshConfig: user.configFile }
      )

    const shell = (script: string): StartSpec => ({
      runId: 'run',
      attempt: 1,
      argv: ['/bin/sh', '-c', script],
      cwd: '/',
      environment: {},
      secretNames: [],
      attemptFolder: folder,
      container: {
        image: BUSYBOX,
        mounts: [{ host: folder, container: '/state', readOnly: false }],
        gpus: 'none',
        hostNetwork: true,
        ports: [],
        ipcHost: false,
        shmBytes: null,
        user: null
      }
    })

    it('is listed, launched on, followed through a cut, and stopped', async () => {
      expect(await target.probe(new AbortController().signal)).toMatchObject({
        reachable: 'yes',
        engine: 'Docker'
      })
      const handle = await target.start(
        shell('trap "exit 3" TERM; i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.02; done')
      )
      const into = {
        stdout: join(folder, 'out'),
        stderr: join(folder, 'err'),
        cursor: join(folder, 'cursor')
      }
      const stopCopy = target.copyOutput(handle, into)
      await contains(into.stdout, 'line 20\n')
      const end = new Promise<void>((done) => target.onExit(handle, done))
      await second.cut()
      await contains(into.stdout, 'line 200\n')
      expect(await target.look(handle)).toEqual({ kind: 'running' })
      await target.askToStop(handle)
      await end
      expect(await target.look(handle)).toMatchObject({ exit: { kind: 'code', code: 3 } })
      await contains(into.cursor, '"ended":true')
      await stopCopy()
      const lines = (await readFile(into.stdout, 'utf8')).trimEnd().split('\n')
      expect(lines.findIndex((line, index) => line !== `line ${index + 1}`)).toBe(-1)
    })

    it('tells an engine that is not there from one that is not reachable', async () => {
      const nowhere = await open('ssh://direct/no/such.sock')
      expect(await nowhere.probe(new AbortController().signal)).toMatchObject({
        reachable: 'no',
        remedy: 'sudo systemctl start docker'
      })
      await nowhere.dispose()
    })

    /** Resolves when a local file holds the text. */
    async function contains(file: string, text: string): Promise<void> {
      const { localFiles } = await import('../../src-main/engine/targets')
      await new Promise<void>((done) => {
        const stop = localFiles().follow(file, () => {
          void readFile(file, 'utf8').then(
            (content) => {
              if (!content.includes(text)) return
              stop()
              done()
            },
            () => {}
          )
        })
      })
    }
  })
})
