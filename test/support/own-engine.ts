import { spawn, execFileSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import Docker from 'dockerode'
import { pack } from 'tar-stream'

/** A Docker engine of our own: its sockets, images and containers in one temporary folder. */
export interface TestEngine {
  folder: string
  socket: string
  docker: Docker
  /** Ends the engine as `systemctl stop` does. Its containers end with it. */
  down(): Promise<void>
  /** Starts it again on the same data. */
  up(): Promise<void>
  /** Kills the engine and all its containers at once, as a machine that loses power does. `up` is its next start. */
  crash(): Promise<void>
  /** Freezes or thaws the engine process. */
  signal(signal: NodeJS.Signals): void
  /** Removes everything. */
  dispose(): Promise<void>
}

/** Full path of a program on the PATH (and where Debian keeps daemons), or null. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  for (const folder of folders) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      continue
    }
  }
  return null
}

/** Why no engine of our own can be started here, or null. */
export function obstacle(): string | null {
  if (findProgram('dockerd') === null) return 'dockerd is not installed'
  if (findProgram('busybox') === null) return 'busybox-static is not installed'
  if (process.getuid?.() !== 0) return 'starting an engine needs root'
  return null
}

function statusOf(cause: unknown): number {
  const status: unknown = cause instanceof Error && 'statusCode' in cause ? cause.statusCode : null
  return typeof status === 'number' ? status : 0
}

/** Processes whose command line names a folder, and all their children. */
function processesNaming(folder: string): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }]
    })
  const found = rows.filter(({ args }) => args?.includes(folder) === true).map(({ pid }) => pid)
  for (const pid of found)
    found.push(
      ...rows.filter((row) => row.parent === pid && !found.includes(row.pid)).map((row) => row.pid)
    )
  return found
}

/** Ends a process that may have ended by itself. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')) throw cause
  }
}

class OwnEngine implements TestEngine {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-dockerd-'))
  readonly socket = join(this.folder, 'docker.sock')
  readonly docker = new Docker({ socketPath: this.socket })
  private process: ChildProcess | null = null
  private log: string[] = []

  constructor(private readonly extra: readonly string[]) {}

  async up(): Promise<void> {
    const child = spawn(
      findProgram('dockerd') ?? 'dockerd',
      [
        ...['--data-root', join(this.folder, 'data'), '--exec-root', join(this.folder, 'exec')],
        ...['--pidfile', join(this.folder, 'dockerd.pid'), '--host', `unix://${this.socket}`],
        // No bridge: several engines on one machine must not share its name, and nothing here needs a network.
        ...['--bridge', 'none', '--iptables=false', '--shutdown-timeout', '5', ...this.extra]
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] }
    )
    this.process = child
    process.once('exit', this.killNow)
    await new Promise<void>((ready, failed) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        this.log = [...this.log.slice(-40), line]
        if (line.includes('API listen on')) ready()
      })
      child.once('exit', (code) => {
        failed(new Error(`dockerd ended with ${code}:\n${this.log.join('\n')}`))
      })
    })
  }

  async down(): Promise<void> {
    const child = this.process
    this.process = null
    process.removeListener('exit', this.killNow)
    if (child === null || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    await ended
  }

  async crash(): Promise<void> {
    const pid = this.process?.pid
    const child = this.process
    this.process = null
    if (pid === undefined || child === null) return
    const ended = once(child, 'exit')
    // The shims and what they run are no children of the engine's process: they are known by its folder.
    for (const victim of [pid, ...processesNaming(this.folder)]) killNow(victim)
    await ended
    await this.unmount()
    // Kept in memory on a real machine, so gone after its start.
    for (const name of ['exec', 'dockerd.pid', 'docker.sock'])
      await rm(join(this.folder, name), { recursive: true, force: true })
  }

  signal(signal: NodeJS.Signals): void {
    this.process?.kill(signal)
  }

  async dispose(): Promise<void> {
    if (this.process !== null) {
      this.signal('SIGCONT')
      for (const { Id } of await this.docker.listContainers({ all: true }))
        // One that a cancelled build has just left is being removed already.
        await this.docker
          .getContainer(Id)
          .remove({ force: true, v: true })
          .catch((cause: unknown) => {
            if (![404, 409].includes(statusOf(cause))) throw cause
          })
    }
    await this.down()
    await this.unmount()
    await rm(this.folder, { recursive: true, force: true })
  }

  private async unmount(): Promise<void> {
    const mounts = (await readFile('/proc/mounts', 'utf8'))
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((path) => path.startsWith(`${this.folder}/`))
      .sort((a, b) => b.length - a.length)
    for (const path of mounts) execFileSync('umount', ['-l', path])
  }

  private readonly killNow = (): void => {
    this.process?.kill('SIGTERM')
  }
}

/** Starts an engine; `extra` are further arguments of dockerd. */
export async function startEngine(extra: readonly string[] = []): Promise<TestEngine> {
  const engine = new OwnEngine(extra)
  await engine.up()
  return engine
}

export const BUSYBOX = 'slipway-test/busybox:1'

/** Makes a tiny image from this machine's busybox: a shell and its tools, nothing from any registry. */
export async function makeBusybox(docker: Docker): Promise<string> {
  const file = findProgram('busybox') ?? ''
  const tools = execFileSync(file, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  const archive = pack()
  archive.entry({ name: 'bin/busybox', mode: 0o755 }, readFileSync(file))
  for (const name of tools)
    if (name !== 'busybox')
      archive.entry({ name: `bin/${name}`, type: 'symlink', linkname: 'busybox' })
  archive.entry({ name: 'tmp', type: 'directory', mode: 0o1777 })
  archive.entry({ name: 'etc/passwd' }, 'root:x:0:0:root:/:/bin/sh\n')
  archive.finalize()
  const [repo, tag] = BUSYBOX.split(':')
  const progress = await docker.importImage(Readable.from(archive), { repo, tag })
  progress.resume()
  await once(progress, 'end')
  return BUSYBOX
}
