import type { Plan } from '../../contract/launch'
import type { ServiceStatus } from '../../contract/run'
import type { Text } from '../../contract/text'
import type { FileAccess, Listening } from '../targets'
import { errorOf, type ReefClient, type ReefStatus } from './reef-client'

/** One look at the gates of a starting stack. */
export interface GateLook {
  services: ServiceStatus[]
  /** First service that is not ready; null when all are. */
  waiting: string | null
  status: ReefStatus | null
}

type HttpGate = { ready: true; status: ReefStatus } | { ready: false; why: Text }

const text = (en: string, zh: string): Text => ({ en, zh })

/** Whether the service that answers is the stack's own. Asked before it: a token is nothing for a stranger. */
function ownerGate(listening: Listening, port: number): Text | null {
  switch (listening) {
    case 'foreign':
      return strangerOn(port)
    case 'nobody':
      return text(`Waiting for a service on port ${port}.`, `正在等待端口 ${port} 上的服务。`)
    case 'ours':
    case 'unknown':
      return null
  }
}

/** What is said while somebody else's program has the port of a stack. */
export function strangerOn(port: number): Text {
  return text(
    `Another program listens on port ${port}; it is not this run’s service, and nothing of it is shown here.`,
    `端口 ${port} 上监听的是其他程序，不是本次运行的服务；其内容不会显示在这里。`
  )
}

const unproven = text(
  'It answers; that it is this run’s own process could not be checked here.',
  '服务已应答；但此处无法确认它就是本次运行的进程。'
)

/** Health in the order that proves more each time: HTTP, training, inference (`docs/user-guide/operate.rst`). */
async function httpGate(client: ReefClient, listening: Listening): Promise<HttpGate> {
  const stranger = ownerGate(listening, Number(new URL(client.address).port))
  if (stranger !== null) return { ready: false, why: stranger }
  const health = await client.health()
  if (health.kind !== 'ok') {
    return {
      ready: false,
      why: text('Waiting for /healthz to answer.', '正在等待 /healthz 应答。')
    }
  }
  const status = await client.status()
  if (status.kind === 'away') {
    return {
      ready: false,
      why: text('Waiting for /reef/status to answer.', '正在等待 /reef/status 应答。')
    }
  }
  if (status.kind === 'refused') return { ready: false, why: refusal(status.status, status.text) }
  return judge(status.value)
}

function refusal(code: number, said: string): Text {
  if (code === 401) {
    return text(
      'The service refuses our token: the value Slipway has is not the one the stack was started with.',
      '服务拒绝了我们的令牌：Slipway 持有的值与启动运行栈时使用的不一致。'
    )
  }
  return text(`/reef/status answers ${code}: ${said}`, `/reef/status 返回 ${code}：${said}`)
}

function judge(status: ReefStatus): HttpGate {
  const error = errorOf(status)
  if (error !== null) {
    return { ready: false, why: text(`The service reports: ${error}`, `服务报告：${error}`) }
  }
  const preload = Object.entries(status.preload_errors ?? {})
  if (preload.length > 0) {
    const said = preload.map(([scenario, error]) => `${scenario}: ${String(error)}`).join('; ')
    return {
      ready: false,
      why: text(`A scenario could not be loaded: ${said}`, `场景加载失败：${said}`)
    }
  }
  const closed = Object.entries(status.scenarios).find(
    ([, scenario]) => scenario.inference_admission?.open === false
  )
  if (closed !== undefined) {
    return {
      ready: false,
      why: text(
        `Waiting until inference is admitted for “${closed[0]}”.`,
        `正在等待场景“${closed[0]}”开放推理准入。`
      )
    }
  }
  return { ready: true, status }
}

async function driverReady(files: FileAccess, runDir: string, name: string): Promise<boolean> {
  const exact = await files.stat(`${runDir}/${name}/bridge.ready`)
  if (exact !== null) return true
  // Newer launchers name the driver's service otherwise: any service's mark counts.
  const folders = (await files.list(runDir)) ?? []
  for (const folder of folders) {
    if (folder.kind !== 'directory') continue
    if ((await files.stat(`${runDir}/${folder.name}/bridge.ready`)) !== null) return true
  }
  return false
}

/** Looks at every planned service once. */
export async function lookAtGates(options: {
  planned: Plan['services']
  files: FileAccess
  runDir: string
  client: ReefClient
  /** Whose service listens on the planned port. */
  listening: Listening
  now: number
  before: readonly ServiceStatus[]
}): Promise<GateLook> {
  const services: ServiceStatus[] = []
  let waiting: string | null = null
  let status: ReefStatus | null = null
  for (const planned of options.planned) {
    const http = planned.name === 'reef'
    let ready: boolean
    let why = planned.readiness
    if (http) {
      const gate = await httpGate(options.client, options.listening)
      ready = gate.ready
      if (gate.ready) status = gate.status
      else why = gate.why
      if (ready && options.listening === 'unknown') why = unproven
    } else {
      ready = await driverReady(options.files, options.runDir, planned.name)
    }
    const state = ready ? 'ready' : waiting === null ? 'starting' : 'waiting'
    if (!ready) waiting ??= planned.name
    const earlier = options.before.find((one) => one.name === planned.name)
    services.push({
      name: planned.name,
      state,
      since: earlier?.state === state ? earlier.since : options.now,
      readiness: why,
      url: http ? options.client.address : null
    })
  }
  return { services, waiting, status }
}
