import { readFile } from 'node:fs/promises'
import type Docker from 'dockerode'
import { errorCode } from '../../lib'
import { PortWitness } from '../process/port-owners'
import { descendants, processTable } from '../process/process-table'
import type { Listening } from '../target'
import type { DockerConnection } from './connection'

/** Whether a process of this machine stands in the container: its control group is named after it. */
async function standsIn(pid: number, container: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/cgroup`, 'utf8')).includes(container)
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return false
    throw cause
  }
}

/**
 * The container's processes as this machine numbers them; none where the engine's machine is another one (a virtual
 * machine, ssh), whose numbers would be other processes here. Not the engine's own list: Podman's has the numbers of
 * the inside.
 */
async function processesOf(container: Docker.Container): Promise<number[]> {
  const { State } = await container.inspect()
  if (State.Pid <= 0 || !(await standsIn(State.Pid, container.id))) return []
  return [State.Pid, ...descendants(State.Pid, await processTable())]
}

/** Tells whose service listens on the port that one container is to listen on. */
export class ContainerPort {
  private readonly witness: PortWitness
  /** The engine itself forwards the port to the container: nobody else can have it. */
  private published = false

  constructor(
    private readonly connection: DockerConnection,
    private readonly id: string
  ) {
    this.witness = new PortWitness(() =>
      connection.ask((docker) => processesOf(docker.getContainer(id)))
    )
  }

  async look(port: number): Promise<Listening> {
    if (this.published) return 'ours'
    const { NetworkSettings, HostConfig } = await this.connection.ask((docker) =>
      docker.getContainer(this.id).inspect()
    )
    if (HostConfig.NetworkMode === 'host')
      return this.connection.endpoint.kind === 'socket' ? this.witness.look(port) : 'unknown'
    // A port that is exposed and not published has null there, which dockerode's types leave out.
    const ports: Record<string, { HostPort: string }[] | null> = NetworkSettings.Ports
    this.published = Object.values(ports).some(
      (bindings) => bindings?.some(({ HostPort }) => HostPort === String(port)) === true
    )
    return this.published ? 'ours' : 'unknown'
  }
}
