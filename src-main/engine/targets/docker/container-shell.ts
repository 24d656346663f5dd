import type { Readable } from 'node:stream'
import type { ShellAnswer, ShellRun } from '../files/shell-files'
import type { DockerConnection } from './connection'
import { FrameReader } from './frames'

/** Messages in the language the answers are read in, and the tools of systems that keep them elsewhere. */
const ENVIRONMENT = [
  'LC_ALL=C',
  'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin'
]

async function collect(stream: Readable): Promise<{ stdout: Buffer; stderr: string }> {
  const frames = new FrameReader(false)
  const stdout: Uint8Array[] = []
  const stderr: Uint8Array[] = []
  for await (const piece of stream) {
    if (!(piece instanceof Uint8Array)) continue
    for (const entry of frames.push(piece))
      (entry.stream === 'stdout' ? stdout : stderr).push(entry.bytes)
  }
  return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }
}

/** The two outputs in a whole answer of the engine's log. */
export function collectFrames(bytes: Uint8Array): { stdout: string; stderr: string } {
  const entries = new FrameReader(false).push(bytes)
  const of = (wanted: string): string =>
    Buffer.concat(
      entries.filter(({ stream }) => stream === wanted).map((entry) => entry.bytes)
    ).toString()
  return { stdout: of('stdout'), stderr: of('stderr') }
}

/**
 * A shell inside a running container. `before` goes in front of `/bin/sh` (as `chroot /host`). `container` gives the
 * id, so that it may be made when first needed.
 */
export function containerShell(
  connection: DockerConnection,
  container: () => Promise<string>,
  before: readonly string[] = []
): ShellRun {
  return async (script, args): Promise<ShellAnswer> => {
    const id = await container()
    return connection.ask(async (docker) => {
      const exec = await docker.getContainer(id).exec({
        Cmd: [...before, '/bin/sh', '-c', script, 'sh', ...args],
        Env: ENVIRONMENT,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false
      })
      const output = await collect(await exec.start({ hijack: false, stdin: false }))
      const { ExitCode } = await exec.inspect()
      return { code: ExitCode ?? 0, ...output }
    })
  }
}
