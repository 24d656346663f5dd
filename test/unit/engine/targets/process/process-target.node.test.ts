import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createProcessTarget,
  ownRuntime,
  type StackHandle,
  type StartSpec,
  type Target
} from '../../../../../src-main/engine/targets'
import { FailureError } from '../../../../../src-main/engine/lib'

const resources = resolve('resources')
const installation = 'test-installation'

let folder: string
let target: Target
const started: StackHandle[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-process-'))
  target = createProcessTarget({
    spec: { kind: 'process', id: 'local', name: 'This computer', python: null },
    installation,
    resources,
    home: folder
  })
})

afterEach(async () => {
  for (const handle of started.splice(0)) await target.kill(handle)
  await target.dispose()
  await rm(folder, { recursive: true, force: true })
})

function script(text: string, extra: Partial<StartSpec> = {}): StartSpec {
  const own = ownRuntime()
  return {
    runId: 'run-1',
    attempt: 1,
    argv: [own.command, '-e', text],
    cwd: folder,
    environment: { ...own.environment, ...extra.environment },
    secretNames: [],
    attemptFolder: join(folder, `attempt-${started.length}`)
  }
}

async function start(spec: StartSpec): Promise<Extract<StackHandle, { kind: 'process' }>> {
  const handle = await target.start(spec)
  started.push(handle)
  if (handle.kind !== 'process') throw new Error('expected a process')
  return handle
}

/** `/proc/<pid>/stat`, empty when there is no such process. */
function statOf(pid: number): string {
  return existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
}

const ended = (handle: StackHandle): Promise<void> =>
  new Promise((done) => target.onExit(handle, done))

/** Waits until the followed file holds `text`; the file system tells when to look. */
function written(file: string, text: string): Promise<string> {
  return new Promise((done) => {
    const stop = target.files.follow(file, () => {
      void readFile(file, 'utf8').then((content) => {
        if (!content.includes(text)) return
        stop()
        done(content)
      })
    })
  })
}

describe('a command that ends by itself', () => {
  it('leaves its output in private files and its exit code in the record', async () => {
    const handle = await start(script('console.log("out"); console.error("err"); process.exit(7)'))
    await ended(handle)
    expect(await readFile(handle.stdout, 'utf8')).toBe('out\n')
    expect(await readFile(handle.stderr, 'utf8')).toBe('err\n')
    expect((await stat(handle.stdout)).mode & 0o777).toBe(0o600)
    const seen = await target.look(handle)
    expect(seen).toMatchObject({ kind: 'exited', exit: { kind: 'code', code: 7 } })
    if (seen.kind === 'exited') expect(Math.abs((seen.at ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  it('is told once, also to one who asks after the end', async () => {
    const handle = await start(script('0'))
    await ended(handle)
    let times = 0
    await new Promise<void>((done) => {
      target.onExit(handle, () => {
        times++
        done()
      })
    })
    expect(times).toBe(1)
  })
})

describe.runIf(process.platform === 'linux')('what an ended command left', () => {
  it('is named: the process that stayed and the port it listens on, until both are gone', async () => {
    const listener =
      "require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })"
    const handle = await start(
      script(
        `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(listener)}], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] }).unref()`
      )
    )
    const port = Number(await written(handle.stdout, '\n'))
    await written(handle.exitFile, '}')
    const remains = await target.remains(handle, [port])
    const [stayed] = remains.processes
    expect(remains).toMatchObject({
      container: null,
      processes: [{ pid: expect.any(Number) as number }],
      ports: [{ port, owner: { pid: stayed?.pid } }]
    })
    await target.kill(handle)
    expect(await target.remains(handle, [port])).toEqual({
      container: null,
      processes: [],
      ports: []
    })
  })
})

describe('stopping', () => {
  it('asks the whole group and records what the command answered', async () => {
    const handle = await start(
      script(
        'process.on("SIGTERM", () => { console.log("bye"); process.exit(3) }); setInterval(() => {}, 1e6); console.log("up")'
      )
    )
    await written(handle.stdout, 'up')
    expect(await target.look(handle)).toEqual({ kind: 'running' })
    await target.askToStop(handle)
    await ended(handle)
    expect(await readFile(handle.stdout, 'utf8')).toBe('up\nbye\n')
    expect(await target.look(handle)).toMatchObject({ exit: { kind: 'code', code: 3 } })
  })

  it('kills a command that will not go, with children in sessions of their own, and still records it', async () => {
    const child =
      'process.on("SIGTERM", () => {}); console.log("child " + process.pid); setInterval(() => {}, 1e6)'
    const handle = await start(
      script(
        `process.on("SIGTERM", () => console.log("deaf")); require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { detached: true, stdio: "inherit" }); setInterval(() => {}, 1e6)`
      )
    )
    const output = await written(handle.stdout, 'child ')
    const grandchild = Number(/child (\d+)/.exec(output)?.[1])
    await target.askToStop(handle)
    await written(handle.stdout, 'deaf')
    expect(await target.look(handle)).toEqual({ kind: 'running' })
    await target.kill(handle)
    await ended(handle)
    expect(await target.look(handle)).toMatchObject({ exit: { kind: 'signal', signal: 'SIGKILL' } })
    expect(statOf(grandchild)).toMatch(/\) [ZX] |^$/)
  })
})

describe('identity', () => {
  const sleeper = 'setInterval(() => {}, 1e6)'

  it('does not take another process with the same pid for its own, and does not signal it', async () => {
    const handle = await start(script(sleeper))
    const exitFile = join(folder, 'of-an-earlier-process', 'exit.json')
    const forged = { ...handle, startTime: `${handle.startTime}0`, exitFile }
    expect(await target.look(forged)).toEqual({ kind: 'gone' })
    await target.kill(forged)
    expect(await target.look(handle)).toEqual({ kind: 'running' })
  })

  it('says gone when the wrapper was killed and left no record', async () => {
    const handle = await start(script(sleeper))
    process.kill(-handle.pid, 'SIGKILL')
    await ended(handle)
    expect(await target.look(handle)).toEqual({ kind: 'gone' })
  })

  it('still owns, and can end, what goes on after the wrapper alone was killed', async () => {
    const handle = await start(script(`console.log("pid " + process.pid); ${sleeper}`))
    const command = Number(/pid (\d+)/.exec(await written(handle.stdout, 'pid '))?.[1])
    process.kill(handle.pid, 'SIGKILL')
    await new Promise<void>((done) => {
      const look = (): void => {
        if (/\) [ZX] |^$/.test(statOf(handle.pid))) done()
        else setImmediate(look)
      }
      look()
    })
    expect(await target.look(handle)).toEqual({ kind: 'running' })
    await target.kill(handle)
    expect(await target.look(handle)).toEqual({ kind: 'gone' })
    expect(statOf(command)).toMatch(/\) [ZX] |^$/)
  })

  it('finds its own in the process table, and nobody else does', async () => {
    const handle = await start(script(sleeper))
    expect(await target.findOwn(installation)).toEqual([{ runId: 'run-1', attempt: 1, handle }])
    expect(await target.findOwn('another-installation')).toEqual([])
  })
})

describe('environment', () => {
  it('reaches the command and is not in any argument', async () => {
    const handle = await start(
      script('console.log(process.env.TOKEN_OF_TEST)', {
        environment: { TOKEN_OF_TEST: 'very-secret-value' }
      })
    )
    const line = await readFile(`/proc/${handle.pid}/cmdline`, 'utf8').catch(() => '')
    expect(line).not.toContain('very-secret-value')
    await ended(handle)
    expect(await readFile(handle.stdout, 'utf8')).toBe('very-secret-value\n')
  })
})

describe('a start that cannot be', () => {
  const codeOf = async (spec: StartSpec): Promise<string> => {
    try {
      await start(spec)
    } catch (thrown) {
      if (thrown instanceof FailureError) return thrown.failure.code
      throw thrown
    }
    return 'started'
  }

  it('is refused with what is missing', async () => {
    const good = script('0')
    expect(await codeOf({ ...good, argv: ['no-such-command-here'] })).toBe('command-missing')
    expect(await codeOf({ ...good, cwd: join(folder, 'nowhere') })).toBe('working-folder-missing')
  })

  it('is refused in a folder that holds the record of another', async () => {
    const good = script('0')
    const handle = await start(good)
    await ended(handle)
    expect(await codeOf(good)).toBe('attempt-folder-used')
  })

  it('records a command that the system would not run', async () => {
    const file = join(folder, 'needs-what-is-not-there')
    await writeFile(file, '#!/no/such/interpreter\n', { mode: 0o755 })
    const handle = await start({ ...script('0'), argv: [file] })
    await ended(handle)
    expect(await target.look(handle)).toMatchObject({ exit: { kind: 'code', code: 127 } })
    expect(await readFile(handle.stderr, 'utf8')).toContain('cannot start')
  })
})

it('probes this computer', async () => {
  const status = await target.probe(new AbortController().signal)
  expect(status).toMatchObject({ reachable: 'yes', engine: 'Node' })
  expect(status.freeBytes).toBeGreaterThan(0)
})
