import { z } from 'zod'
import type { ClusterLook, RaySeen, SglangEngine } from '../../contract/cluster'
import type { Text } from '../../contract/text'
import { type Clock, fail, FailureError, pause } from '../lib'
import type { RunStore } from '../runs'
import { type Below, findLogSources, isFinal } from '../stacks'
import type { StackHandle, Target } from '../targets'
import { lookAtRay } from './ray'
import { lookAtSglang } from './sglang'

/** Milliseconds between two looks. */
const EVERY_MS = 3_000
/** Ray's own choice, and the next ones where it is taken; NexRL asks for 8266. */
const DASHBOARDS = [8265, 8266]
const ROUTER = 30_000
/** How much of a log's beginning is searched for the address of the dashboard. */
const HEAD_BYTES = 1 << 20

export interface ClusterOptions {
  clock: Clock
  store: Pick<RunStore, 'read' | 'paths'>
  target: (run: string) => Promise<Target>
  /** Ports asked in place of the usual ones. */
  ports?: { dashboards: readonly number[]; router: number }
}

interface Stack {
  key: string
  target: Target
  handle: StackHandle
  plan: {
    practice: boolean
    ports: readonly { port: number; what: string }[]
    nexrl?: unknown
  }
  runDir: string
  attempt: number
  folder: string
}

const Head = z.object({ port: z.coerce.number().int().min(1).max(65_535) })

/** The dashboard's port as Ray prints it when it starts, or null. */
export function dashboardPort(text: string): number | null {
  const named = /[Vv]iew the (?:Ray )?dashboard at .{0,12}?(?:https?:\/\/)?[\w.-]+:(\d{2,5})/.exec(
    text
  )
  return Head.safeParse({ port: named?.[1] }).data?.port ?? null
}

/** Looks below a stack: Ray, SGLang and the GPUs of its machine. Reads only, and only while somebody wants to see it. */
export class ClusterService {
  /** Dashboard ports found in logs, by run and attempt: Ray says it once, at its start. */
  private readonly said = new Map<string, number>()

  constructor(private readonly options: ClusterOptions) {}

  async look(
    run: string,
    signal: AbortSignal = new AbortController().signal
  ): Promise<ClusterLook> {
    const stack = await this.stackOf(run)
    // Nothing of the kind is started, so nobody is asked, least of all somebody else's.
    if (stack.plan.practice) {
      const { gpus } = await stack.target.probe(signal)
      return {
        at: this.options.clock.now(),
        ray: { kind: 'unseen', why: noneByDesign },
        sglang: [],
        gpus
      }
    }
    const [ray, sglang, status] = await Promise.all([
      this.ray(stack, signal),
      this.sglang(stack, signal),
      stack.target.probe(signal)
    ])
    return { at: this.options.clock.now(), ray, sglang, gpus: status.gpus }
  }

  async *watch(run: string, signal?: AbortSignal): AsyncGenerator<ClusterLook, void, undefined> {
    const until = signal ?? new AbortController().signal
    while (!until.aborted) {
      yield await this.look(run, until)
      await pause(this.options.clock, EVERY_MS, until)
    }
  }

  private async stackOf(run: string): Promise<Stack> {
    const { store, target } = this.options
    const last = (await store.read(run)).attempts.at(-1)
    if (last === undefined || last.handle === null || isFinal(last.state)) {
      return fail({
        code: 'not-live',
        where: run,
        what: { en: 'The stack of this run does not run.', zh: '该运行的运行栈没有在运行。' }
      })
    }
    return {
      key: `${run}/${last.number}`,
      target: await target(run),
      handle: last.handle,
      plan: last.plan,
      runDir: last.runDir,
      attempt: last.number,
      folder: store.paths(run).attempt(last.number)
    }
  }

  /** Somebody else's Ray or router on the same machine is not this stack's. */
  private async ours({ target, handle }: Stack, port: number): Promise<boolean> {
    const whose = await target.listening(handle, port)
    return whose !== 'foreign' && whose !== 'nobody'
  }

  private async ray(stack: Stack, signal: AbortSignal): Promise<ClusterLook['ray']> {
    const usual = this.options.ports?.dashboards ?? DASHBOARDS
    const said = await this.portSaid(stack)
    for (const port of [...new Set([...(said === null ? [] : [said]), ...usual])]) {
      const seen = await this.rayAt(stack, port, signal)
      if (seen !== null) return seen
    }
    return { kind: 'unseen', why: unseen }
  }

  private async rayAt(stack: Stack, port: number, signal: AbortSignal): Promise<RaySeen | null> {
    if (!(await this.ours(stack, port))) return null
    return lookAtRay(await stack.target.reach(port), signal)
  }

  private async sglang(stack: Stack, signal: AbortSignal): Promise<SglangEngine[]> {
    const named = stack.plan.ports.filter(({ what }) => /sglang|router|engine/i.test(what))
    const ports = new Set(named.map(({ port }) => port))
    if (ports.size === 0) ports.add(this.options.ports?.router ?? ROUTER)
    const found: SglangEngine[] = []
    for (const port of ports) {
      if (!(await this.ours(stack, port))) continue
      found.push(...(await lookAtSglang(port, (each) => stack.target.reach(each), signal)))
    }
    return found
  }

  private async portSaid(stack: Stack): Promise<number | null> {
    const known = this.said.get(stack.key)
    if (known !== undefined) return known
    const { target, handle, runDir, attempt, folder } = stack
    const { clock } = this.options
    const nexrl = stack.plan.nexrl !== undefined
    try {
      const sources = await findLogSources({
        files: target.files,
        runDir,
        handle,
        attempt,
        attemptFolder: folder,
        nexrl,
        clock
      })
      for (const { files, path } of sources) {
        const head = await files.read(path, 0, HEAD_BYTES)
        const port = head === null ? null : dashboardPort(Buffer.from(head).toString('utf8'))
        if (port === null) continue
        this.said.set(stack.key, port)
        return port
      }
    } catch (cause) {
      // Logs that cannot be read here leave the usual ports.
      if (!(cause instanceof FailureError)) throw cause
    }
    return null
  }
}

/** What a look says of whether the stack works. Pure. */
export function belowOf({ ray, sglang, gpus }: ClusterLook): Below {
  const sum = (values: readonly (number | null)[]): number | null => {
    const told = values.flatMap((value) => value ?? [])
    return told.length === 0 ? null : told.reduce((all, value) => all + value, 0)
  }
  const busy = gpus.flatMap(({ utilisation }) => utilisation ?? [])
  return {
    waitingGpus: ray.kind === 'seen' ? sum(ray.pending.map((one) => one.gpus)) : null,
    running: sum(sglang.map((one) => one.running)),
    queued: sum(sglang.map((one) => one.queued)),
    gpuBusy: busy.length === 0 ? null : Math.round((sum(busy) ?? 0) / busy.length)
  }
}

const noneByDesign: Text = {
  en: 'The practice stack has no Ray and no SGLang: one process trains and serves.',
  zh: '练习栈没有 Ray 和 SGLang：由一个进程训练并提供服务。'
}

const unseen: Text = {
  en: 'No dashboard of this stack’s Ray answers. Without it (a Ray installed without “default”) only the log tells of Ray.',
  zh: '该运行栈的 Ray 没有可用的仪表板。若 Ray 安装时不含“default”，则只能从日志了解 Ray。'
}
