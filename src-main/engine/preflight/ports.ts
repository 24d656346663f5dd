import type { Plan } from '../../contract/launch'
import { freePort, portIsFree } from '../stacks'
import { pass, skip, type CheckSpec, type Outcome } from './check-spec'
import { setting, textOf, type LaunchContext } from './launch-context'
import { stackKind } from './stack-kind'
import { listeningInodes, portOwners } from '../targets'

/** Ports that Ray gives its workers; a service there is taken away sooner or later. */
const RAY_WORKERS = { from: 10_002, to: 19_999 }

/** Ray's own store (GCS) listens here when a head is up. */
const RAY_HEAD = 6379
const loopback = /^(?:127\.|localhost$)/

type Planned = Plan['ports'][number]

async function ownerWords(context: LaunchContext, port: number): Promise<string> {
  const own = context.ownPorts.get(port)
  if (own !== undefined) return `run ${own}`
  const owner = (await portOwners([port])).get(port)
  return owner === undefined || owner === null ? '?' : `${owner.command} (pid ${owner.pid})`
}

/** The field of the recipe that says the port, so that another one can be given for this launch. */
function fieldOf(context: LaunchContext, { port, what }: Planned): string | null {
  if (what === 'reef') return 'reef.port'
  const field = context.recipe.resolved.find(
    ({ path, value }) => value === String(port) && /port$/i.test(path)
  )
  return field?.path ?? null
}

async function taken(context: LaunchContext, planned: Planned): Promise<Outcome> {
  const [owner, next] = await Promise.all([
    ownerWords(context, planned.port),
    freePort(planned.port + 1, '0.0.0.0', new Set(context.ownPorts.keys()))
  ])
  const field = fieldOf(context, planned)
  return {
    verdict: 'fail',
    evidence: {
      en: `Port ${planned.port} (${planned.what}) is taken by ${owner}.`,
      zh: `端口 ${planned.port}（${planned.what}）已被 ${owner} 占用。`
    },
    why: {
      en: 'The service cannot listen there and its start fails.',
      zh: '服务无法监听该端口，启动会失败。'
    },
    remedy:
      next === null
        ? { en: 'End that program, or choose another port.', zh: '结束该程序，或另选端口。' }
        : { en: `Use port ${next}, which is free.`, zh: `改用空闲端口 ${next}。` },
    ...(field === null || next === null
      ? {}
      : {
          fix: {
            kind: 'override' as const,
            title: { en: `Use port ${next}`, zh: `改用端口 ${next}` },
            path: field,
            value: String(next)
          }
        })
  }
}

function inRayRange(planned: Planned): boolean {
  return planned.port >= RAY_WORKERS.from && planned.port <= RAY_WORKERS.to
}

/** The address the service will listen on: another program on another address does not matter to it. */
function hostFor(context: LaunchContext, planned: Planned): string {
  const host = planned.what === 'reef' ? setting(context, 'reef.host') : undefined
  return host !== undefined && loopback.test(host) ? '127.0.0.1' : '0.0.0.0'
}

const elsewhere = skip({
  en: 'The target is another machine; its ports cannot be tried from here.',
  zh: '目标是另一台机器，无法从这里试探端口。'
})

/** The port the recipe asks for, when the plan took another one because that one is taken. */
function movedFrom(context: LaunchContext, { port, what }: Planned): string | null {
  if (what !== 'reef') return null
  const wanted = setting(context, 'reef.port')
  return wanted === undefined || wanted === String(port) ? null : wanted
}

function judgeFree(context: LaunchContext, planned: Planned): Outcome {
  const from = movedFrom(context, planned)
  const moved =
    from === null
      ? { en: '', zh: '' }
      : {
          en: `Port ${from} is taken on this machine; this run would use ${planned.port}. `,
          zh: `本机端口 ${from} 已被占用，本次运行将改用 ${planned.port}。`
        }
  const free = {
    en: `${moved.en}Port ${planned.port} is free.`,
    zh: `${moved.zh}端口 ${planned.port} 空闲。`
  }
  if (context.plan.practice || !inRayRange(planned)) return pass(free)
  return {
    verdict: 'warn',
    evidence: {
      en: `${free.en} It lies in Ray’s worker range ${RAY_WORKERS.from} to ${RAY_WORKERS.to}.`,
      zh: `${free.zh}它位于 Ray worker 端口范围 ${RAY_WORKERS.from}–${RAY_WORKERS.to} 内。`
    },
    why: {
      en: 'Ray may give the port to one of its workers first.',
      zh: 'Ray 可能先把该端口分给 worker。'
    },
    remedy: { en: 'Choose a port outside that range.', zh: '请选择该范围之外的端口。' }
  }
}

/** Listening ports of a machine behind ssh, whose `/proc` is read as it is; null where it cannot be. */
async function remoteListeners(context: LaunchContext): Promise<ReadonlySet<number> | null> {
  const { spec } = context.target
  if (spec.kind !== 'docker' || spec.via.kind !== 'ssh') return null
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => textOf(context, path))
  )
  if (tables.every((table) => table === null || table === '')) return null
  return new Set(tables.flatMap((table) => [...listeningInodes(table ?? '').keys()]))
}

/** One check a planned port, and one for a Ray head that another run left. */
export function portChecks(plan: Plan): CheckSpec<LaunchContext>[] {
  const planned = plan.ports.map((one): CheckSpec<LaunchContext> => ({
    id: `ports/${one.port}`,
    group: 'ports' as const,
    title: { en: `Port ${one.port}, ${one.what}`, zh: `端口 ${one.port}，${one.what}` },
    deadline: 12_000,
    async run(context) {
      if (await context.here())
        return (await portIsFree(one.port, hostFor(context, one)))
          ? judgeFree(context, one)
          : taken(context, one)
      const there = await remoteListeners(context)
      if (there === null) return elsewhere
      return there.has(one.port) ? takenThere(one) : judgeFree(context, one)
    }
  }))
  return [...planned, rayHead]
}

function takenThere({ port, what }: Planned): Outcome {
  return {
    verdict: 'fail',
    evidence: {
      en: `Port ${port} (${what}) is taken on the target.`,
      zh: `目标上的端口 ${port}（${what}）已被占用。`
    },
    why: {
      en: 'The service cannot listen there and its start fails.',
      zh: '服务无法监听该端口，启动会失败。'
    },
    command: `ss -ltnp 'sport = :${port}'`
  }
}

const rayHead: CheckSpec<LaunchContext> = {
  id: 'ports/ray-head',
  group: 'ports',
  title: { en: 'Leftover Ray head', zh: '遗留的 Ray head' },
  deadline: 12_000,
  async run(context) {
    const kind = stackKind(context)
    if (kind === 'practice')
      return skip({ en: 'The practice stack does not use Ray.', zh: '练习栈不使用 Ray。' })
    if (kind === 'nexrl-driver' || kind === 'nexrl-launcher')
      return skip({ en: 'No Ray is started on this machine.', zh: '本机不会启动 Ray。' })
    const there = (await context.here())
      ? new Set((await portOwners([RAY_HEAD])).keys())
      : await remoteListeners(context)
    if (there === null) return elsewhere
    const own = context.ownRuns.find(
      (run) => run.target === context.request.target && run.gpus > 0 && there.has(RAY_HEAD)
    )
    if (own !== undefined)
      return pass({
        en: `${RAY_HEAD} is listened on; run ${own.name} of yours is running there.`,
        zh: `端口 ${RAY_HEAD} 有监听；你的运行 ${own.name} 正在该目标上运行。`
      })
    if (!there.has(RAY_HEAD))
      return pass({ en: `Nothing listens on ${RAY_HEAD}.`, zh: `端口 ${RAY_HEAD} 无人监听。` })
    return {
      verdict: 'warn',
      evidence: {
        en: `Something listens on ${RAY_HEAD}, where a Ray head does.`,
        zh: `端口 ${RAY_HEAD} 有程序监听，Ray head 通常使用该端口。`
      },
      why: {
        en: 'A stack that finds a stale Ray head joins it and waits for resources that are not there.',
        zh: '运行栈若加入残留的 Ray head，会一直等待不存在的资源。'
      },
      remedy: {
        en: 'If no stack of yours uses it, stop it.',
        zh: '如果没有运行栈在用，请停止它。'
      },
      command: 'ray stop'
    }
  }
}
