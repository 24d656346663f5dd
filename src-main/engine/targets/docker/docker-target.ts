import type Docker from 'dockerode'
import { z } from 'zod'
import type { EngineFacts, Gpu, TargetSpec, TargetStatus } from '../../../contract/targets'
import { fail, messageOf, systemClock, type Clock } from '../../lib'
import type {
  BesideStack,
  FileAccess,
  ImageQuestion,
  ImageStore,
  Listening,
  Liveness,
  OutputFiles,
  OwnLeftover,
  Remains,
  StackHandle,
  StartSpec,
  Target
} from '../target'
import type { CommandResult } from '../command'
import type { DockerConnection } from './connection'
import { besideStack } from './beside-stack'
import { composeContainer, PROJECT_LABEL, projectOf } from './compose-start'
import { containerOptions, LABEL } from './container-options'
import { copyContainerOutput } from './container-output'
import { ContainerPort } from './container-port'
import { statusOf } from './docker-failure'
import { EngineEvents } from './engine-events'
import type { EngineIdentity } from './engine-probe'
import { gpuForm } from './gpu-form'
import { runInImage } from './image-command'
import { gpusPassedOver, startFailure } from './start-failure'
import { portsInUse } from '../process/port-owners'
import { unreachableStatus, UnreachableError } from '../unreachable'

type ComposePlan = NonNullable<NonNullable<StartSpec['container']>['compose']>
type ContainerHandle = Extract<StackHandle, { kind: 'container' }>

export interface DockerTargetOptions {
  spec: Extract<TargetSpec, { kind: 'docker' }>
  connection: DockerConnection
  identity: EngineIdentity
  /** File access on the engine's machine. */
  files: FileAccess
  images: ImageStore
  /** Made when files need it; removed with the target. */
  helper: { dispose(): Promise<void> }
  /** Asks a command of the engine's machine, where that is not this one and can be asked. */
  machineCommand?: NonNullable<Target['machineCommand']>
  /** Base address at which a port of that machine is reached from here. */
  reach: (port: number, last?: number) => Promise<string>
  /** Reads the GPUs of the engine's machine; empty when there are none or nobody can look. */
  gpus: (signal: AbortSignal) => Promise<Gpu[]>
  /** Free bytes where the stack's files will be, or null. */
  freeBytes: (facts: EngineFacts) => Promise<number | null>
  installation: string
  found?: boolean
  clock?: Clock
}

/** A look besides the engine's events, which are lost while it is away. */
const LOOK_EVERY_MS = 5000
/** Creating and starting take long on a busy machine, and longer where GPUs are handed over. */
const START_DEADLINE_MS = 120_000

/** As the engine's API names them; the last is Podman's for one that it has yet to tidy up after. */
const ENDED_STATES: ReadonlySet<string> = new Set(['exited', 'dead', 'created', 'stopped'])

/** The network that an engine gives containers when they ask for none. */
const OWN_BRIDGE = 'bridge'
const Network = z.object({ Created: z.string() })

/** An engine answers a kill when the container has ended; Podman waits up to 20 s for its own tidying up as well. */
const KILL_DEADLINE_MS = 30_000

/**
 * Podman’s words for a conflict, which it says with status 500. The second: it keeps a container while another one, as
 * a companion that stays, has its network.
 */
const PODMAN_CONFLICT = /container state improper|has dependent containers/

/** How a container that is not running ended, from what `docker inspect` says. Pure. */
export function livenessOf(state: Docker.ContainerInspectInfo['State']): Liveness {
  if (state.Paused) return { kind: 'running', paused: true }
  if (state.Running || state.Restarting) return { kind: 'running' }
  const ended = Date.parse(state.FinishedAt)
  // The zero time of a container that never ran.
  const at = Number.isNaN(ended) || ended <= 0 ? null : ended
  if (state.Status === 'created') return { kind: 'exited', exit: { kind: 'unknown' }, at: null }
  // The mark stays when any process of the container was killed so, though the stack went on and ended well.
  if (state.OOMKilled && state.ExitCode !== 0) return { kind: 'exited', exit: { kind: 'oom' }, at }
  return { kind: 'exited', exit: { kind: 'code', code: state.ExitCode }, at }
}

/** When a network was made, Unix milliseconds, as `docker network inspect` says; null when it does not. Pure. */
function createdAt(facts: unknown): number | null {
  const made = Date.parse(Network.safeParse(facts).data?.Created ?? '')
  return Number.isNaN(made) ? null : made
}

/** The signal an image asks to be stopped with; dockerode's types leave the field out. */
function stopSignal(facts: Docker.ContainerInspectInfo | null): string {
  const config: object = facts?.Config ?? {}
  const named = 'StopSignal' in config ? config.StopSignal : undefined
  return typeof named === 'string' && named !== '' ? named : 'SIGTERM'
}

/** Containers of one engine. */
export class DockerTarget implements Target {
  readonly spec
  readonly files
  readonly images
  readonly machineCommand?: NonNullable<Target['machineCommand']>
  readonly beside: BesideStack
  private readonly clock: Clock
  private readonly connection: DockerConnection
  private readonly events: EngineEvents
  private readonly waits = new Set<() => void>()
  private readonly ports = new Map<string, ContainerPort>()

  constructor(private readonly options: DockerTargetOptions) {
    this.spec = options.spec
    this.files = options.files
    this.images = options.images
    this.connection = options.connection
    this.beside = besideStack(options.connection, options.installation, options.spec.id)
    this.clock = options.clock ?? systemClock
    if (options.machineCommand !== undefined) this.machineCommand = options.machineCommand
    this.events = new EngineEvents(
      options.connection,
      `${LABEL.installation}=${options.installation}`,
      this.clock
    )
  }

  async probe(signal: AbortSignal): Promise<TargetStatus> {
    const began = this.clock.ticks()
    const base = { spec: this.spec, found: this.options.found ?? false }
    try {
      const facts = await this.options.identity.ask()
      const took = this.clock.ticks() - began
      const [gpus, freeBytes] = await Promise.all([
        this.options.gpus(signal),
        this.options.freeBytes(facts)
      ])
      return {
        ...base,
        reachable: 'yes',
        why: null,
        remedy: null,
        took,
        engineFacts: facts,
        engine: facts.engine,
        version: facts.version,
        gpus,
        freeBytes
      }
    } catch (thrown) {
      if (!(thrown instanceof UnreachableError)) throw thrown
      return { ...base, ...unreachableStatus(thrown), took: this.clock.ticks() - began }
    }
  }

  /** Docker makes its own bridge anew at each start. Podman has no engine that could end what runs. */
  async engineSince(): Promise<number | null> {
    if ((await this.options.identity.known()).engine === 'Podman') return null
    try {
      const facts: unknown = await this.connection.ask((docker) =>
        docker.getNetwork(OWN_BRIDGE).inspect()
      )
      return createdAt(facts)
    } catch (thrown) {
      // An engine without a bridge, or a door to it that does not let networks be looked at.
      if (statusOf(thrown) !== null) return null
      throw thrown
    }
  }

  imageCommand(question: ImageQuestion, signal: AbortSignal): Promise<CommandResult> {
    return runInImage(this.connection, this.options.installation, question, signal)
  }

  async endedOwn(): Promise<OwnLeftover[]> {
    const list = await this.connection.ask((docker) =>
      docker.listContainers({
        all: true,
        filters: { label: [`${LABEL.installation}=${this.options.installation}`] }
      })
    )
    // Not asked for by state: Podman refuses the question for the words it does not use itself.
    const over = list.filter(({ State }) => ENDED_STATES.has(State))
    return over.map(({ Id, Names, Labels, Created }) => ({
      id: Id,
      created: Created * 1000,
      name: (Names[0] ?? '').replace(/^\//, ''),
      runId: Labels[LABEL.run] ?? null
    }))
  }

  async start(spec: StartSpec): Promise<ContainerHandle> {
    const create = await this.creation(spec)
    const name = create.name ?? ''
    if (spec.container?.compose !== undefined) {
      const id = await this.startComposed(spec, spec.container.compose, create)
      return { kind: 'container', id, name, engine: this.spec.id }
    }
    return this.connection.ask(async (docker) => {
      let container: Docker.Container
      try {
        container = await docker.createContainer(create)
      } catch (thrown) {
        return fail(startFailure(thrown, create, this.connection.endpoint), thrown)
      }
      try {
        await container.start()
      } catch (thrown) {
        // Never ran and never will: nothing of the stack's is in it.
        await container.remove({ force: true })
        return fail(startFailure(thrown, create, this.connection.endpoint), thrown)
      }
      return { kind: 'container', id: container.id, name, engine: this.spec.id }
    }, START_DEADLINE_MS)
  }

  /** What to ask for, in this engine's way; throws what Docker would refuse and this engine would quietly do otherwise. */
  private async creation(spec: StartSpec): Promise<Docker.ContainerCreateOptions> {
    const { identity, installation } = this.options
    const facts = await identity.known()
    const form = gpuForm(facts)
    const { endpoint } = this.connection
    if (form === null && spec.container !== undefined && spec.container.gpus !== 'none')
      return fail(gpusPassedOver(endpoint, facts.version))
    const create = containerOptions(spec, installation, form ?? 'docker')
    if (facts.engine !== 'Podman') return create
    // Podman makes a folder that is not there, and a mistyped path would be an empty one.
    for (const { host, create: make } of spec.container?.mounts ?? [])
      if (make !== true && (await this.files.stat(host)) === null)
        fail(startFailure(new Error(`bind source path does not exist: ${host}`), create, endpoint))
    return create
  }

  /** Compose makes the container, and from its start on it is one like any other. Returns its id. */
  private async startComposed(
    spec: StartSpec,
    compose: ComposePlan,
    create: Docker.ContainerCreateOptions
  ): Promise<string> {
    const { installation } = this.options
    const refuse = (thrown: unknown): never =>
      fail(startFailure(thrown, create, this.connection.endpoint), thrown)
    // Compose would fetch one that is not there, without asking.
    await this.connection
      .ask((docker) => docker.getImage(create.Image ?? '').inspect())
      .catch(refuse)
    try {
      await composeContainer(spec, compose, installation, this.spec.via)
      await this.connection.ask(
        (docker) => docker.getContainer(create.name ?? '').start(),
        START_DEADLINE_MS
      )
    } catch (thrown) {
      const made = (await this.findOwn(installation)).find(
        (one) => one.runId === spec.runId && one.attempt === spec.attempt
      )
      if (made !== undefined) await this.remove(made.handle)
      return refuse(thrown)
    }
    const { Id } = await this.connection.ask((docker) =>
      docker.getContainer(create.name ?? '').inspect()
    )
    return Id
  }

  async look(handle: StackHandle): Promise<Liveness> {
    if (handle.kind !== 'container') return { kind: 'gone' }
    try {
      const facts = await this.connection.ask((docker) => docker.getContainer(handle.id).inspect())
      return livenessOf(facts.State)
    } catch (thrown) {
      if (statusOf(thrown) === 404) return { kind: 'gone' }
      if (thrown instanceof UnreachableError || statusOf(thrown) !== null)
        return { kind: 'unreachable', why: messageOf(thrown) }
      throw thrown
    }
  }

  onExit(handle: StackHandle, ended: () => void): () => void {
    let open = true
    let cancel = (): void => {}
    const stop = (): void => {
      open = false
      cancel()
      unlisten()
      this.waits.delete(stop)
    }
    const look = async (): Promise<void> => {
      const seen = await this.look(handle)
      if (!open || seen.kind === 'running' || seen.kind === 'unreachable') return
      stop()
      ended()
    }
    const again = (): void => {
      cancel = this.clock.after(LOOK_EVERY_MS, () => {
        void look().then(() => {
          if (open) again()
        })
      })
    }
    const unlisten = this.events.listen(() => void look())
    this.waits.add(stop)
    void look()
    again()
    return stop
  }

  async askToStop(handle: StackHandle): Promise<void> {
    if (handle.kind !== 'container') return
    // Not the engine's own stop, which kills when the grace is over: force is a step of its own.
    const facts = await this.signal(handle.id, (docker) => docker.getContainer(handle.id).inspect())
    const signal = stopSignal(facts)
    await this.signal(handle.id, (docker) => docker.getContainer(handle.id).kill({ signal }))
  }

  async kill(handle: StackHandle): Promise<void> {
    if (handle.kind !== 'container') return
    await this.signal(
      handle.id,
      (docker) => docker.getContainer(handle.id).kill({ signal: 'SIGKILL' }),
      KILL_DEADLINE_MS
    )
  }

  async remove(handle: StackHandle): Promise<void> {
    if (handle.kind !== 'container') return
    const facts = await this.signal(handle.id, (docker) => docker.getContainer(handle.id).inspect())
    await this.signal(handle.id, (docker) => docker.getContainer(handle.id).remove({ v: true }))
    const project = facts?.Config.Labels[PROJECT_LABEL]
    if (project !== undefined && project === projectOf(handle.name))
      await this.removeNetworks(project)
  }

  /** What compose made for the container of an attempt, whose project is that attempt's alone. */
  private async removeNetworks(project: string): Promise<void> {
    const list = await this.connection.ask((docker) =>
      docker.listNetworks({ filters: { label: [`${PROJECT_LABEL}=${project}`] } })
    )
    for (const { Id } of list) await this.signal(Id, (docker) => docker.getNetwork(Id).remove())
  }

  async findOwn(
    installation: string
  ): Promise<{ runId: string; attempt: number; handle: StackHandle }[]> {
    const list = await this.connection.ask((docker) =>
      docker.listContainers({
        all: true,
        filters: { label: [`${LABEL.installation}=${installation}`, LABEL.run] }
      })
    )
    return list.flatMap(({ Id, Names, Labels }) => {
      const runId = Labels[LABEL.run]
      const attempt = Number(Labels[LABEL.attempt])
      if (runId === undefined || !Number.isInteger(attempt)) return []
      if (LABEL.companion in Labels) return []
      const name = (Names[0] ?? '').replace(/^\//, '')
      const handle: ContainerHandle = { kind: 'container', id: Id, name, engine: this.spec.id }
      return [{ runId, attempt, handle }]
    })
  }

  copyOutput(handle: StackHandle, into: OutputFiles): () => Promise<void> {
    if (handle.kind !== 'container') return () => Promise.resolve()
    return copyContainerOutput({
      connection: this.connection,
      id: handle.id,
      into,
      clock: this.clock
    })
  }

  reach(port: number, last?: number): Promise<string> {
    return this.options.reach(port, last)
  }

  async listening(handle: StackHandle, port: number): Promise<Listening> {
    if (handle.kind !== 'container') return 'unknown'
    const known = this.ports.get(handle.id) ?? new ContainerPort(this.connection, handle.id)
    this.ports.set(handle.id, known)
    try {
      return await known.look(port)
    } catch (thrown) {
      // Gone or away: the look that follows finds out and says so.
      if (thrown instanceof UnreachableError || statusOf(thrown) !== null) return 'unknown'
      throw thrown
    }
  }

  async remains(handle: StackHandle, ports: readonly number[]): Promise<Remains> {
    if (handle.kind !== 'container') return { container: null, processes: [], ports: null }
    const { id, name } = handle
    this.ports.delete(id)
    const facts = await this.signal(id, (docker) => docker.getContainer(id).inspect())
    // Another machine's ports, and a virtual machine's, are not in this machine's tables.
    const here = this.connection.endpoint.kind === 'socket'
    return {
      container: facts === null ? null : name,
      processes: [],
      ports: here ? await portsInUse(ports) : null
    }
  }

  async dispose(): Promise<void> {
    for (const stop of [...this.waits]) stop()
    this.events.stop()
    await this.options.helper.dispose()
    await this.connection.dispose()
  }

  /** Runs an act on a container; one that is gone (404), or not running (409), is already as it was wanted. */
  private async signal<T>(
    id: string,
    act: (docker: Docker) => Promise<T>,
    deadlineMs?: number
  ): Promise<T | null> {
    try {
      return await this.connection.ask(act, deadlineMs)
    } catch (thrown) {
      const status = statusOf(thrown)
      if (status === 404 || status === 409 || status === 304) return null
      if (status === null) throw thrown
      if (PODMAN_CONFLICT.test(messageOf(thrown))) return null
      return fail(
        {
          code: 'docker-refused',
          where: id,
          what: {
            en: 'The engine refused to act on this container.',
            zh: '引擎拒绝对此容器执行操作。'
          },
          detail: messageOf(thrown)
        },
        thrown
      )
    }
  }
}
