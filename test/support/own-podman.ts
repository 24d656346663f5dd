import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Docker from 'dockerode'
import { findProgram, type TestEngine } from './own-engine'

/** Why no Podman of our own can be started here, or null. */
export function podmanObstacle(): string | null {
  if (findProgram('podman') === null) return 'podman is not installed'
  if (findProgram('busybox') === null) return 'busybox-static is not installed'
  if (process.getuid?.() !== 0) return 'starting it on a folder of its own needs root'
  return null
}

/** Resolves once somebody listens on the socket; rejects when the service has ended. */
async function listening(socket: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const probe = connect(socket)
    const open = await new Promise<boolean>((told) => {
      probe.once('connect', () => {
        told(true)
      })
      probe.once('error', () => {
        told(false)
      })
    })
    probe.destroy()
    if (open) return
    // A socket that is not there yet tells nobody when it comes.
    await wait(50)
  }
  throw new Error(`podman ended with ${child.exitCode}`)
}

/**
 * Podman's Docker-compatible service of our own: socket, images and containers in one temporary folder. Its containers
 * belong to nobody but themselves: they outlive `down`.
 */
class OwnPodman implements TestEngine {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-podman-'))
  readonly socket = join(this.folder, 'podman.sock')
  readonly docker = new Docker({ socketPath: this.socket })
  private readonly settings = join(this.folder, 'containers.conf')
  private process: ChildProcess | null = null

  async up(): Promise<void> {
    // Its own defaults ask for more than a machine with lower hard limits lets even root have.
    writeFileSync(
      this.settings,
      '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n'
    )
    const runc = findProgram('runc')
    this.process = spawn(
      findProgram('podman') ?? 'podman',
      [
        // crun refuses a machine whose cgroups are of both versions.
        ...(runc === null ? [] : ['--runtime', runc]),
        ...['--root', join(this.folder, 'root'), '--runroot', join(this.folder, 'run')],
        ...['--tmpdir', join(this.folder, 'tmp'), '--storage-driver', 'vfs'],
        ...['--cgroup-manager', 'cgroupfs', '--events-backend', 'file'],
        ...['system', 'service', '--time=0', `unix://${this.socket}`]
      ],
      { stdio: 'ignore', env: { ...process.env, CONTAINERS_CONF: this.settings } }
    )
    await listening(this.socket, this.process)
  }

  async down(): Promise<void> {
    const child = this.process
    this.process = null
    if (child === null || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    await ended
  }

  /** The service alone: its containers are no part of it. */
  crash(): Promise<void> {
    this.signal('SIGKILL')
    return this.down()
  }

  signal(signal: NodeJS.Signals): void {
    this.process?.kill(signal)
  }

  async dispose(): Promise<void> {
    this.signal('SIGCONT')
    for (const { Id } of await this.docker.listContainers({ all: true }))
      await this.docker.getContainer(Id).remove({ force: true, v: true })
    await this.down()
    const mounts = (await readFile('/proc/mounts', 'utf8'))
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((path) => path.startsWith(`${this.folder}/`))
      .sort((a, b) => b.length - a.length)
    for (const path of mounts) execFileSync('umount', ['-l', path])
    await rm(this.folder, { recursive: true, force: true })
  }
}

export async function startPodman(): Promise<TestEngine> {
  const podman = new OwnPodman()
  await podman.up()
  return podman
}
