import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Docker from 'dockerode'
import { findProgram } from './own-engine'

/** Podman's Docker-compatible service of our own: socket, images and containers in one temporary folder. */
export interface TestPodman {
  socket: string
  docker: Docker
  dispose(): Promise<void>
}

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

export async function startPodman(): Promise<TestPodman> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-podman-'))
  const socket = join(folder, 'podman.sock')
  const settings = join(folder, 'containers.conf')
  // Its own defaults ask for more than a machine with lower hard limits lets even root have.
  writeFileSync(
    settings,
    '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n'
  )
  const runc = findProgram('runc')
  const child = spawn(
    findProgram('podman') ?? 'podman',
    [
      // crun refuses a machine whose cgroups are of both versions.
      ...(runc === null ? [] : ['--runtime', runc]),
      ...['--root', join(folder, 'root'), '--runroot', join(folder, 'run')],
      ...['--tmpdir', join(folder, 'tmp'), '--storage-driver', 'vfs'],
      ...['--cgroup-manager', 'cgroupfs', '--events-backend', 'file'],
      ...['system', 'service', '--time=0', `unix://${socket}`]
    ],
    { stdio: 'ignore', env: { ...process.env, CONTAINERS_CONF: settings } }
  )
  await listening(socket, child)
  const docker = new Docker({ socketPath: socket })
  return {
    socket,
    docker,
    async dispose() {
      for (const { Id } of await docker.listContainers({ all: true }))
        await docker.getContainer(Id).remove({ force: true, v: true })
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      const mounts = (await readFile('/proc/mounts', 'utf8'))
        .split('\n')
        .map((line) => line.split(' ')[1] ?? '')
        .filter((path) => path.startsWith(`${folder}/`))
        .sort((a, b) => b.length - a.length)
      for (const path of mounts) execFileSync('umount', ['-l', path])
      await rm(folder, { recursive: true, force: true })
    }
  }
}
