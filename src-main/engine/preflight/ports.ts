import type { Plan } from '../../contract/launch'
import { freePort, portIsFree } from '../stacks'
import { pass, skip, type CheckSpec, type Outcome } from './check-spec'
import type { LaunchContext } from './launch-context'
import { portOwners } from './port-owners'

/** Ports that Ray gives its workers; a service there is taken away sooner or later. */
const RAY_WORKERS = { from: 10_002, to: 19_999 }

type Planned = Plan['ports'][number]

async function ownerWords(context: LaunchContext, port: number): Promise<string> {
  const own = context.ownPorts.get(port)
  if (own !== undefined) return `run ${own}`
  const owner = (await portOwners([port])).get(port)
  return owner === undefined || owner === null ? '?' : `${owner.command} (pid ${owner.pid})`
}

async function taken(context: LaunchContext, planned: Planned): Promise<Outcome> {
  const [owner, next] = await Promise.all([
    ownerWords(context, planned.port),
    freePort(planned.port + 1, '127.0.0.1', new Set(context.ownPorts.keys()))
  ])
  const fix = planned.what === 'reef' && next !== null
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
    ...(fix
      ? {
          fix: {
            kind: 'override' as const,
            title: { en: `Use port ${next}`, zh: `改用端口 ${next}` },
            path: 'reef.port',
            value: String(next)
          }
        }
      : {})
  }
}

function inRayRange(planned: Planned): boolean {
  return planned.port >= RAY_WORKERS.from && planned.port <= RAY_WORKERS.to
}

/** One check a planned port. */
export function portChecks(plan: Plan): CheckSpec<LaunchContext>[] {
  return plan.ports.map((planned) => ({
    id: `ports/${planned.port}`,
    group: 'ports' as const,
    title: {
      en: `Port ${planned.port}, ${planned.what}`,
      zh: `端口 ${planned.port}，${planned.what}`
    },
    deadline: 5000,
    async run(context) {
      if (!context.local)
        return skip({
          en: 'The target is another machine; its ports cannot be tried from here.',
          zh: '目标是另一台机器，无法从这里试探端口。'
        })
      if (!(await portIsFree(planned.port, '0.0.0.0'))) return taken(context, planned)
      const free = { en: `Port ${planned.port} is free.`, zh: `端口 ${planned.port} 空闲。` }
      if (!inRayRange(planned)) return pass(free)
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
        remedy: {
          en: 'Choose a port outside that range.',
          zh: '请选择该范围之外的端口。'
        }
      }
    }
  }))
}
