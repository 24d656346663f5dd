import { mkdir } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Companion } from '../../contract/launch'
import type { Exit } from '../../contract/run'
import { type Clock, fail, messageOf, pause } from '../lib'
import {
  type BesideStack,
  type InsideHandle,
  type Liveness,
  ownRuntime,
  type StackHandle,
  type Target,
  UnreachableError
} from '../targets'
import type { AttemptJournal } from './attempt-journal'
import {
  companionPlaces,
  companionWords,
  exitCodeIn,
  sharedFolder,
  type SharedFolder,
  SIGNAL,
  STILL_RUNS
} from './companion-script'
import { throughMounts } from './mounts'
import { servicePort } from './service-port'

export type CompanionHandle = StackHandle | InsideHandle

/** One start of a companion. Values of its environment are handed over and kept nowhere. */
export interface CompanionStart {
  companion: Companion
  start: number
  environment: Readonly<Record<string, string>>
  secretNames: readonly string[]
}

/** Where a companion runs, and how it is started, seen and ended there. */
export interface CompanionPlace {
  /** Address of the stack's service as seen from there; null where it has none. */
  address(): string | null
  start(start: CompanionStart): Promise<CompanionHandle>
  look(handle: CompanionHandle): Promise<Liveness>
  ask(handle: CompanionHandle): Promise<void>
  kill(handle: CompanionHandle): Promise<void>
  /** What was started and not written down; null when nothing was. */
  lost(name: string, start: number): Promise<CompanionHandle | null>
  /** Takes away what an ended one left there; gives the name of what would not go. */
  clear(handle: CompanionHandle): Promise<string | null>
}

export interface PlaceOptions {
  journal: AttemptJournal
  /** This machine. */
  here: () => Promise<Target>
  /** Where the stack runs, and its handle there. */
  target: Target
  stack: StackHandle
  installation: string
  clock: Clock
}

/** How long the end of what was killed is looked for. */
const KILLED_MS = 2_000
const KILLED_PAUSE_MS = 50
const CLEAR_MS = 5_000

function attemptFolder({ journal }: PlaceOptions): string {
  return journal.store.paths(journal.run).attempt(journal.attempt.number)
}

/** The place of a companion. What the plan was checked for is taken for granted. */
export function companionPlace(where: Companion['where'], options: PlaceOptions): CompanionPlace {
  switch (where) {
    case 'process':
      return new OnThisMachine(options)
    case 'stack-container':
      return new InStackContainer(options)
    case 'own-container':
      return new InOwnContainer(options)
  }
}

class OnThisMachine implements CompanionPlace {
  constructor(private readonly options: PlaceOptions) {}

  address(): string | null {
    return this.options.journal.attempt.address
  }

  async start({
    companion,
    start,
    environment,
    secretNames
  }: CompanionStart): Promise<StackHandle> {
    const { journal } = this.options
    const { number, cwd, plan } = journal.attempt
    const base = attemptFolder(this.options)
    const { name, command } = companion
    const { folder, log } = companionPlaces(base, name, start)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // A companion written in Node needs no Node of its own.
    const runtime = command[0] === 'node' ? ownRuntime() : null
    return (await this.options.here()).start({
      runId: this.idOf(name),
      attempt: number,
      argv: runtime === null ? command : [runtime.command, ...command.slice(1)],
      cwd: plan.image === null ? cwd : folder,
      environment: { ...environment, ...runtime?.environment },
      secretNames,
      attemptFolder: folder,
      output: log
    })
  }

  async look(handle: CompanionHandle): Promise<Liveness> {
    return handle.kind === 'inside' ? { kind: 'gone' } : (await this.options.here()).look(handle)
  }

  async ask(handle: CompanionHandle): Promise<void> {
    if (handle.kind !== 'inside') await (await this.options.here()).askToStop(handle)
  }

  async kill(handle: CompanionHandle): Promise<void> {
    if (handle.kind !== 'inside') await (await this.options.here()).kill(handle)
  }

  async lost(name: string): Promise<StackHandle | null> {
    const own = await (await this.options.here()).findOwn(this.options.installation)
    return own.find((one) => one.runId === this.idOf(name))?.handle ?? null
  }

  clear(): Promise<null> {
    return Promise.resolve(null)
  }

  private idOf(name: string): string {
    const { journal } = this.options
    return `${journal.run}.${journal.attempt.number}.companion-${name}`
  }
}

/** What both places in containers have: the engine, and a folder that both sides see. */
abstract class InContainers {
  constructor(protected readonly options: PlaceOptions) {}

  /** The service listens there, whatever way leads to it from this machine. */
  address(): string | null {
    const { attempt } = this.options.journal
    return attempt.address === null ? null : `http://127.0.0.1:${servicePort(attempt)}`
  }

  protected get beside(): BesideStack {
    return this.options.target.beside ?? noContainers()
  }

  protected get container(): string {
    const { stack } = this.options
    return stack.kind === 'container' ? stack.id : noContainers()
  }

  protected shared(): SharedFolder {
    const { attempt } = this.options.journal
    return sharedFolder(attempt, attemptFolder(this.options)) ?? nothingShared()
  }
}

class InStackContainer extends InContainers implements CompanionPlace {
  async start({ companion, start, environment }: CompanionStart): Promise<InsideHandle> {
    const { name, command } = companion
    const { host, inside } = this.shared()
    const exec = await this.beside.start(this.container, {
      argv: companionWords('stack-container', companionPlaces(inside, name, start), command),
      cwd: this.options.journal.attempt.plan.cwd,
      environment
    })
    const { folder } = companionPlaces(host, name, start)
    return { kind: 'inside', container: this.container, exec, folder }
  }

  async look(handle: CompanionHandle): Promise<Liveness> {
    if (handle.kind !== 'inside') return { kind: 'gone' }
    try {
      const before = await this.written(handle)
      if (before !== null) return ended(before)
      const { exec } = handle
      const seen = exec === null ? null : await this.beside.look(exec)
      if (seen?.running ?? (await this.script(handle, STILL_RUNS))) return { kind: 'running' }
      // It may have written its end and gone between the two looks.
      return ended((await this.written(handle)) ?? seen?.code ?? null)
    } catch (thrown) {
      if (thrown instanceof UnreachableError) return { kind: 'unreachable', why: messageOf(thrown) }
      throw thrown
    }
  }

  async ask(handle: CompanionHandle): Promise<void> {
    if (handle.kind === 'inside') await this.script(handle, SIGNAL, 'TERM')
  }

  async kill(handle: CompanionHandle): Promise<void> {
    if (handle.kind !== 'inside') return
    const { clock } = this.options
    await this.script(handle, SIGNAL, 'KILL')
    for (let waited = 0; waited < KILLED_MS; waited += KILLED_PAUSE_MS) {
      if ((await this.look(handle)).kind !== 'running') return
      await pause(clock, KILLED_PAUSE_MS)
    }
  }

  async lost(name: string, start: number): Promise<InsideHandle | null> {
    const { folder } = companionPlaces(this.shared().host, name, start)
    const noted = await this.options.target.files.stat(posix.join(folder, 'pid'))
    return noted === null ? null : { kind: 'inside', container: this.container, exec: null, folder }
  }

  clear(): Promise<null> {
    return Promise.resolve(null)
  }

  private async written({ folder }: InsideHandle): Promise<number | null> {
    const bytes = await this.options.target.files.read(posix.join(folder, 'exit'), 0, 16)
    return bytes === null ? null : exitCodeIn(new TextDecoder().decode(bytes))
  }

  private async script(handle: InsideHandle, script: string, ...more: string[]): Promise<boolean> {
    const { mounts } = this.options.journal.attempt.plan
    const folder = throughMounts(handle.folder, mounts)
    if (folder === null) return false
    return (await this.beside.ask(handle.container, script, [folder, ...more])) === 0
  }
}

function ended(code: number | null): Liveness {
  const exit: Exit = code === null ? { kind: 'unknown' } : { kind: 'code', code }
  return { kind: 'exited', exit, at: null }
}

class InOwnContainer extends InContainers implements CompanionPlace {
  async start({
    companion,
    start,
    environment,
    secretNames
  }: CompanionStart): Promise<StackHandle> {
    const { target, journal } = this.options
    const { plan, number } = journal.attempt
    const { name, image, command } = companion
    if (image === undefined) return noImage(name)
    const { inside, mount } = this.shared()
    // What a compose file says of the network is not in the plan, so the stack's own is shared.
    const host = plan.compose === undefined && plan.network !== 'published'
    return target.start({
      runId: journal.run,
      attempt: number,
      companion: { name, start },
      argv: companionWords('own-container', companionPlaces(inside, name, start), command),
      cwd: plan.cwd,
      environment,
      secretNames,
      attemptFolder: attemptFolder(this.options),
      container: {
        image,
        mounts: plan.mounts.map((one) => ({ ...one, readOnly: one.readOnly || one !== mount })),
        gpus: 'none',
        hostNetwork: host,
        ...(host ? {} : { joins: this.container }),
        ports: [],
        ipcHost: false,
        shmBytes: null,
        user: plan.user ?? null
      }
    })
  }

  async look(handle: CompanionHandle): Promise<Liveness> {
    return handle.kind === 'inside' ? { kind: 'gone' } : this.options.target.look(handle)
  }

  async ask(handle: CompanionHandle): Promise<void> {
    if (handle.kind !== 'inside') await this.options.target.askToStop(handle)
  }

  async kill(handle: CompanionHandle): Promise<void> {
    if (handle.kind !== 'inside') await this.options.target.kill(handle)
  }

  async lost(name: string, start: number): Promise<StackHandle | null> {
    const { journal } = this.options
    const there = await this.beside.containers(journal.run, journal.attempt.number)
    return there.find((one) => one.name === name && one.start === start)?.handle ?? null
  }

  async clear(handle: CompanionHandle): Promise<string | null> {
    if (handle.kind !== 'container') return null
    const { target, clock } = this.options
    for (let waited = 0; ; waited += KILLED_PAUSE_MS) {
      await target.remove(handle)
      if ((await target.look(handle)).kind === 'gone') return null
      if (waited >= CLEAR_MS) return handle.name
      await pause(clock, KILLED_PAUSE_MS)
    }
  }
}

function noContainers(): never {
  return fail({
    code: 'companion-place',
    what: {
      en: 'The stack does not run in a container, so a companion can only be a process of this computer.',
      zh: '该运行栈不在容器中运行，因此伴随命令只能是本机进程。'
    }
  })
}

function nothingShared(): never {
  return fail({
    code: 'companion-place',
    what: {
      en: 'The stack’s container has no writable folder of its machine for the companion’s log.',
      zh: '该运行栈的容器没有可写的宿主机目录来存放伴随命令的日志。'
    }
  })
}

function noImage(name: string): never {
  return fail({
    code: 'companion-image',
    where: name,
    what: {
      en: 'A companion in a container of its own needs the name of an image.',
      zh: '在独立容器中运行的伴随命令需要指定镜像名称。'
    }
  })
}
