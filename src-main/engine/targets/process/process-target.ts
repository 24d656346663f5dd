import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { TargetSpec, TargetStatus } from '../../../contract/targets'
import { fail, pause, systemClock, type Clock } from '../../lib'
import { runCommand } from '../command'
import { readExitRecord } from './exit-record'
import { hostGpus } from '../host-gpus'
import { localFiles } from '../files/local-files'
import {
  EXIT_RECORD_VARIABLE,
  findCommand,
  inheritedEnvironment,
  parseWrapperArguments,
  runnable,
  spawnWrapper
} from './process-launch'
import { commandLines, descendants, processesWith, processNow, processTable } from './process-table'
import { portsInUse, PortWitness } from './port-owners'
import type { Listening, Liveness, Remains, StackHandle, StartSpec, Target } from '../target'

type ProcessHandle = Extract<StackHandle, { kind: 'process' }>

export interface ProcessTargetOptions {
  spec: Extract<TargetSpec, { kind: 'process' }>
  /** This installation's id; stands in the process table so that a later start knows its own. */
  installation: string
  /** The app's resources folder: `resources/` of the checkout, or of the packaged app. */
  resources: string
  /** Where runs are kept, for the free space shown. */
  home: string
  clock?: Clock
}

/** How often the end of a command is looked for besides the file system's notice. */
const LOOK_EVERY_MS = 1000
/** How long after the command's end what it started may take to end too. */
const LAST_LINES_MS = 10_000
/** Rounds of killing what a dying tree has just started. */
const KILL_ROUNDS = 20
const KILL_PAUSE_MS = 50

function refuse(
  code: string,
  where: string,
  en: string,
  zh: string,
  doEn: string,
  doZh: string
): never {
  return fail({ code, where, what: { en, zh }, remedy: { en: doEn, zh: doZh } })
}

/** Commands as processes of this machine, each in a session of its own that outlives us. */
export function createProcessTarget(options: ProcessTargetOptions): Target {
  return new ProcessTarget(options)
}

class ProcessTarget implements Target {
  readonly spec
  readonly files
  readonly images = null
  private readonly clock: Clock
  private readonly wrapper: string
  private readonly waits = new Set<() => void>()
  private readonly witnesses = new Map<string, PortWitness>()

  constructor(private readonly options: ProcessTargetOptions) {
    this.spec = options.spec
    this.clock = options.clock ?? systemClock
    this.files = localFiles(this.clock)
    this.wrapper = join(options.resources, 'process-wrapper', 'wrapper.cjs')
  }

  async probe(signal: AbortSignal): Promise<TargetStatus> {
    const [space, gpus, python] = await Promise.all([
      this.files.statfs(this.options.home),
      hostGpus(signal),
      this.pythonProblem()
    ])
    return {
      spec: this.spec,
      found: true,
      reachable: python === null ? 'yes' : 'no',
      why: python,
      remedy: null,
      engine: this.spec.python === null ? 'Node' : 'Python',
      version: this.spec.python === null ? process.version.slice(1) : null,
      gpus,
      freeBytes: space?.freeBytes ?? null
    }
  }

  async start(spec: StartSpec): Promise<ProcessHandle> {
    const exitFile = join(spec.attemptFolder, 'exit.json')
    const stdout = spec.output ?? join(spec.attemptFolder, 'stdout.log')
    const stderr = spec.output ?? join(spec.attemptFolder, 'stderr.log')
    const environment = { ...inheritedEnvironment(), ...spec.environment }
    const command = await this.checkStart(spec, exitFile, environment['PATH'] ?? '')
    const child = spawnWrapper({
      wrapper: this.wrapper,
      installation: this.options.installation,
      spec,
      command,
      environment,
      files: { exitFile, stdout, stderr }
    })
    const facts = child.pid === undefined ? null : processNow(child.pid)
    if (child.pid === undefined || facts === null)
      return refuse(
        'process-not-started',
        this.wrapper,
        'The operating system did not start the command.',
        '操作系统未能启动该命令。',
        'Check that there are free processes and memory, then try again.',
        '请检查进程数和内存是否充足，然后重试。'
      )
    return { kind: 'process', pid: child.pid, startTime: facts.startTime, exitFile, stdout, stderr }
  }

  async look(handle: StackHandle): Promise<Liveness> {
    if (handle.kind !== 'process') return { kind: 'gone' }
    const before = await readExitRecord(handle.exitFile)
    if (before !== null) {
      return (await this.stillEnding(handle, before.at))
        ? { kind: 'running' }
        : { kind: 'exited', ...before }
    }
    if (isSame(handle)) return { kind: 'running' }
    // Somebody killed the wrapper alone: what it started goes on, and is still ours.
    if ((await heirs(handle)).length > 0) return { kind: 'running' }
    // It may have written its record and ended between the two looks.
    const after = await readExitRecord(handle.exitFile)
    return after === null ? { kind: 'gone' } : { kind: 'exited', ...after }
  }

  /**
   * Whether something the command started is still about to end with it, and may write its last lines. What has not
   * ended a while after the command is a daemon that means to stay, and is not waited for.
   */
  private async stillEnding(handle: ProcessHandle, endedAt: number | null): Promise<boolean> {
    if (endedAt === null || this.clock.now() - endedAt > LAST_LINES_MS) return false
    return (await heirs(handle)).some((pid) => pid !== handle.pid)
  }

  onExit(handle: StackHandle, ended: () => void): () => void {
    if (handle.kind !== 'process') return () => {}
    let open = true
    let cancel = (): void => {}
    const stop = (): void => {
      open = false
      cancel()
      unfollow()
      this.waits.delete(stop)
    }
    const look = async (): Promise<void> => {
      const seen = await this.look(handle).catch(() => null)
      if (!open) return
      if (seen === null || seen.kind === 'running' || seen.kind === 'unreachable') return
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
    const unfollow = this.files.follow(handle.exitFile, () => void look())
    this.waits.add(stop)
    void look()
    again()
    return stop
  }

  async askToStop(handle: StackHandle): Promise<void> {
    if (handle.kind !== 'process') return
    if (!isSame(handle)) {
      for (const pid of await heirs(handle)) signalOne(pid, 'SIGTERM')
      return
    }
    if (process.platform === 'win32') {
      // No signals there: without /F this asks, as closing the window would. Written, not run.
      await runCommand('taskkill', ['/T', '/PID', String(handle.pid)], { deadlineMs: 10_000 })
      return
    }
    signalGroup(handle.pid, 'SIGTERM')
  }

  async kill(handle: StackHandle): Promise<void> {
    if (handle.kind !== 'process') return
    if (process.platform === 'win32') {
      if (!isSame(handle)) return
      await runCommand('taskkill', ['/F', '/T', '/PID', String(handle.pid)], { deadlineMs: 10_000 })
      return
    }
    // The tree below the wrapper first, so that it can still write how the command ended.
    for (let round = 0; round < KILL_ROUNDS; round++) {
      const own = isSame(handle)
      const below = new Set(await ownProcesses(handle))
      below.delete(handle.pid)
      if (!own && below.size === 0) return
      for (const pid of below) signalOne(pid, 'SIGKILL')
      await pause(this.clock, KILL_PAUSE_MS)
    }
    if (isSame(handle)) signalGroup(handle.pid, 'SIGKILL')
  }

  remove(): Promise<void> {
    return Promise.resolve()
  }

  copyOutput(): () => Promise<void> {
    return () => Promise.resolve()
  }

  reach(port: number): Promise<string> {
    return Promise.resolve(`http://127.0.0.1:${port}`)
  }

  async listening(handle: StackHandle, port: number): Promise<Listening> {
    if (handle.kind !== 'process') return 'unknown'
    const known = this.witnesses.get(handle.exitFile)
    if (known !== undefined) return known.look(port)
    const witness = new PortWitness(() => ownProcesses(handle))
    this.witnesses.set(handle.exitFile, witness)
    return witness.look(port)
  }

  async remains(handle: StackHandle, ports: readonly number[]): Promise<Remains> {
    if (handle.kind !== 'process') return { container: null, processes: [], ports: null }
    const pids = (await heirs(handle)).filter((pid) => pid !== handle.pid)
    const lines = pids.length === 0 ? [] : await commandLines()
    const processes = pids.map((pid) => {
      const argv = lines.find((line) => line.pid === pid)?.argv ?? []
      return { pid, command: argv.slice(0, 3).join(' ').slice(0, 120) }
    })
    return { container: null, processes, ports: await portsInUse(ports) }
  }

  async findOwn(
    installation: string
  ): Promise<{ runId: string; attempt: number; handle: StackHandle }[]> {
    const lines = await commandLines()
    return lines.flatMap(({ pid, argv }) => {
      const own = parseWrapperArguments(argv)
      if (own?.installation !== installation) return []
      const facts = processNow(pid)
      if (facts === null || facts.zombie) return []
      const folder = resolve(own.exitFile, '..')
      const handle: ProcessHandle = {
        kind: 'process',
        pid,
        startTime: facts.startTime,
        exitFile: own.exitFile,
        stdout: join(folder, 'stdout.log'),
        stderr: join(folder, 'stderr.log')
      }
      return [{ runId: own.runId, attempt: own.attempt, handle }]
    })
  }

  dispose(): Promise<void> {
    for (const stop of [...this.waits]) stop()
    return Promise.resolve()
  }

  private async pythonProblem(): Promise<TargetStatus['why']> {
    const folder = this.spec.python
    if (folder === null) return null
    const file =
      process.platform === 'win32'
        ? join(folder, 'Scripts', 'reef.exe')
        : join(folder, 'bin', 'reef')
    if (await runnable(file)) return null
    return {
      en: `There is no reef command in this Python environment (looked for ${file}).`,
      zh: `此 Python 环境中没有 reef 命令（已查找 ${file}）。`
    }
  }

  private async checkStart(spec: StartSpec, exitFile: string, path: string): Promise<string> {
    const cwd = await stat(spec.cwd).catch(() => null)
    if (cwd === null || !cwd.isDirectory())
      refuse(
        'working-folder-missing',
        spec.cwd,
        `The working folder ${spec.cwd} does not exist.`,
        `工作目录 ${spec.cwd} 不存在。`,
        'Create it, or choose another folder.',
        '请创建该目录，或选择其他目录。'
      )
    const name = spec.argv[0] ?? ''
    const command = await findCommand(name, spec.cwd, path)
    if (command === null)
      refuse(
        'command-missing',
        name,
        `There is no command "${name}" that could be run on this computer.`,
        `此计算机上找不到可运行的命令“${name}”。`,
        'Install it, give its full path, or choose another target.',
        '请安装该命令、填写完整路径，或选择其他目标。'
      )
    await mkdir(spec.attemptFolder, { recursive: true, mode: 0o700 })
    if ((await readExitRecord(exitFile)) !== null)
      refuse(
        'attempt-folder-used',
        exitFile,
        'This folder already holds the record of an ended command.',
        '此文件夹中已有一条命令的退出记录。',
        'Start a new attempt, which gets a folder of its own.',
        '请开始新的尝试，它会使用自己的文件夹。'
      )
    return command
  }
}

/** Living processes that this start brought about, wherever they moved; the wrapper among them. */
function heirs(handle: ProcessHandle): Promise<number[]> {
  return processesWith(`${EXIT_RECORD_VARIABLE}=${handle.exitFile}`)
}

/** The same, and what stands below the wrapper in the tree of parents. */
async function ownProcesses(handle: ProcessHandle): Promise<number[]> {
  const own = new Set(await heirs(handle))
  if (isSame(handle)) for (const pid of descendants(handle.pid, await processTable())) own.add(pid)
  return [...own]
}

function isSame(handle: ProcessHandle): boolean {
  const facts = processNow(handle.pid)
  return facts !== null && !facts.zombie && facts.startTime === handle.startTime
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (thrown) {
    // Already gone is what was wanted; a refusal shows itself in the next look, which still says running.
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EINVAL') throw thrown
  }
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalOne(-leader, signal)
}
