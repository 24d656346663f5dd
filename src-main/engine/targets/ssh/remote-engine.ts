import type { Gpu } from '../../../contract/targets'
import type { Tunnel } from '../docker/connection'
import { engineUnreachable } from '../docker/docker-failure'
import { GPU_QUERY, parseGpuQuery } from '../gpu-query'
import type { CommandResult } from '../command'
import type { SshLink } from './ssh-link'

/** Where Docker's socket may be, in the order Docker itself prefers: named, of the machine, rootless, Podman's. */
const FIND_SOCKET = `for place in "$1" "\${DOCKER_HOST#unix://}" /var/run/docker.sock "\${XDG_RUNTIME_DIR:-/run/user/$(id -u)}/docker.sock" "$HOME/.docker/run/docker.sock" /run/podman/podman.sock; do
  [ -n "$place" ] && [ -S "$place" ] || { [ -n "$1" ] && break; continue; }
  [ -w "$place" ] || { echo "$place"; exit 13; }
  echo "$place"; exit 0
done
exit 2`

const DENIED = 13

/** The way to the Docker engine of a machine behind ssh. `socket`: its path there, where the address names one. */
export function engineTunnel(link: SshLink, destination: string, socket: string | null): Tunnel {
  let known: string | null = null

  async function find(): Promise<string> {
    const answer = await link.run(FIND_SOCKET, [socket ?? ''])
    const place = answer.stdout.toString().trim()
    if (answer.code === 0) return place
    const at = place === '' ? destination : `${destination} (${place})`
    throw engineUnreachable(
      { kind: 'ssh', destination: at },
      answer.code === DENIED ? 'permission' : 'absent',
      new Error(answer.stderr.trim() === '' ? `exit code ${answer.code}` : answer.stderr.trim())
    )
  }

  return {
    async open() {
      known ??= await find()
      return link.forwardSocket(known)
    },
    async doubt() {
      known = null
      known = await find()
    },
    dispose: () => link.close()
  }
}

/** GPUs of the machine behind ssh; empty when it has no tool to ask. */
export async function remoteGpus(link: SshLink): Promise<Gpu[]> {
  const answer = await link.run('command -v nvidia-smi >/dev/null || exit 0\n"$@"', GPU_QUERY)
  return answer.code === 0 ? parseGpuQuery(answer.stdout.toString()) : []
}

const NO_SUCH_COMMAND = 127
const LATE = 124
/** Ends by itself there: a hanging tool must not hold one of the few sessions for ever. */
const ASK = `command -v "$1" >/dev/null 2>&1 || exit ${NO_SUCH_COMMAND}
if command -v timeout >/dev/null 2>&1; then timeout 10 "$@"; else "$@"; fi`

/** Asks a command of the machine behind ssh. Throws UnreachableError when the machine cannot be reached. */
export async function remoteCommand(
  link: SshLink,
  file: string,
  args: readonly string[],
  signal: AbortSignal
): Promise<CommandResult> {
  const late: CommandResult = { kind: 'late', stdout: '', stderr: '' }
  if (signal.aborted) return late
  const asked = link.run(ASK, [file, ...args]).then(({ code, stdout, stderr }): CommandResult => {
    if (code === NO_SUCH_COMMAND) return { kind: 'missing' }
    if (code === LATE) return { ...late, stdout: stdout.toString(), stderr }
    return { kind: 'done', code, stdout: stdout.toString(), stderr }
  })
  let leave = (): void => undefined
  const aborted = new Promise<CommandResult>((resolve) => {
    const end = (): void => resolve(late)
    signal.addEventListener('abort', end, { once: true })
    leave = () => signal.removeEventListener('abort', end)
  })
  try {
    return await Promise.race([asked, aborted])
  } finally {
    leave()
  }
}
