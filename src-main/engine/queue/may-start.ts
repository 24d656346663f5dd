import type { Override, Plan } from '../../contract/launch'
import type { Gpu } from '../../contract/targets'
import type { Text } from '../../contract/text'

/** A stack of ours that has not ended on the same target. */
export interface OwnStack {
  name: string
  gpus: number
  ports: readonly number[]
}

/** A port that somebody listens on, with the program where that can be told. */
export interface TakenPort {
  port: number
  owner: { pid: number; command: string } | null
}

/** What deciding needs to know. All of it was looked up before. */
export interface QueueFacts {
  plan: Pick<Plan, 'gpus'>
  /** Ports it cannot start without. */
  ports: readonly number[]
  own: readonly OwnStack[]
  /** As the target names them; empty where it cannot say. */
  gpus: readonly Gpu[]
  /** Those of its ports that anybody listens on there. */
  taken: readonly TakenPort[]
}

export type MayStart = { kind: 'go' } | { kind: 'wait'; why: Text }

/** Part of a GPU's memory below which nobody works on it: a driver keeps some hundred megabytes. */
const IDLE_SHARE = 0.05

function wait(en: string, zh: string): MayStart {
  return { kind: 'wait', why: { en, zh } }
}

/** The field that says where the service listens, however it is written. */
function isPort(path: string): boolean {
  return path.replaceAll('_', '-') === 'reef.port'
}

/**
 * The ports a launch cannot start without. The practice stack takes another one by itself, unless a person has asked for
 * one by an override. Pure.
 */
export function portsNeeded(
  { ports, practice }: Pick<Plan, 'ports' | 'practice'>,
  overrides: readonly Override[]
): number[] {
  if (!practice) return ports.map(({ port }) => port)
  const asked = Number(overrides.filter(({ path }) => isPort(path)).at(-1)?.value)
  return Number.isInteger(asked) ? [asked] : []
}

/** The stack of ours that has one of the ports. */
function portHolder({ ports, own }: QueueFacts): { name: string; port: number } | null {
  for (const { name, ports: its } of own) {
    const port = ports.find((one) => its.includes(one))
    if (port !== undefined) return { name, port }
  }
  return null
}

/** Whether a launch can start beside what runs on its target. Pure. */
export function mayStart(facts: QueueFacts): MayStart {
  const { plan, own, gpus } = facts
  const held = portHolder(facts)
  if (held !== null)
    return wait(
      `Port ${held.port} is used by “${held.name}”.`,
      `端口 ${held.port} 正由“${held.name}”使用。`
    )
  const [foreign] = facts.taken
  if (foreign !== undefined) {
    const { port, owner } = foreign
    const who = owner === null ? null : `${owner.command} (pid ${owner.pid})`
    return wait(
      `Port ${port} is used by ${who ?? 'another program'}, which is not Slipway’s.`,
      `端口 ${port} 正由${who === null ? '其他程序' : ` ${who} `}使用，它不属于 Slipway。`
    )
  }
  const needed = plan.gpus.devices?.length === 0 ? 0 : plan.gpus.count
  if (needed === 0) return { kind: 'go' }
  const users = own.filter((stack) => stack.gpus > 0)
  if (gpus.length === 0) {
    const first = users[0]
    // Nobody can say how many there are: two stacks side by side would be a guess.
    return first === undefined
      ? { kind: 'go' }
      : wait(`“${first.name}” uses the GPUs there.`, `“${first.name}”正在使用那里的 GPU。`)
  }
  const asked = plan.gpus.devices
  const mine = asked === null ? gpus : gpus.filter(({ index }) => asked.includes(String(index)))
  const idle = mine.filter(({ usedBytes, memoryBytes }) => usedBytes <= memoryBytes * IDLE_SHARE)
  const promised = users.reduce((sum, stack) => sum + stack.gpus, 0)
  const free = Math.min(idle.length, asked === null ? gpus.length - promised : idle.length)
  return free >= needed
    ? { kind: 'go' }
    : wait(
        `${needed} GPUs are needed, ${Math.max(0, free)} of ${mine.length} are free.`,
        `需要 ${needed} 块 GPU，${mine.length} 块中有 ${Math.max(0, free)} 块空闲。`
      )
}
