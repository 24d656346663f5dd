import type { RaySeen } from '../../contract/cluster'

type Counted = Pick<RaySeen, 'nodes' | 'resources' | 'pending'>

const USAGE = /^\s*([\d.]+)\/([\d.]+) (\S+)(?: \(.*\))?\s*$/
const NODES = /^\s*(\d+) \S+\s*$/
const DEMAND = /^\s*(\{.*\}(?: \* \d+ \(\w+\))?): (\d+\+? .+)$/

/** GPUs of `{'GPU': 1.0, 'CPU': 1.0} * 16 (PACK)`; null where it names none. */
export function gpusOfDemand(demand: string): number | null {
  const each = /'GPU': ([\d.]+)/.exec(demand)?.[1]
  if (each === undefined) return null
  const times = /\} \* (\d+)/.exec(demand)?.[1] ?? '1'
  return Number(each) * Number(times)
}

/**
 * Reads the text of `ray status` (`/api/cluster_status?format=1`), older and newer spelling. Pure; what it does not
 * know it skips.
 */
export function parseRayStatus(text: string): Counted {
  let section = ''
  let nodes = 0
  const resources: Counted['resources'] = []
  const pending: Counted['pending'] = []
  for (const line of text.split('\n')) {
    const head =
      /^(?:Total )?(Active|Healthy|Pending|Idle|Recent failures|Usage|Demands|Pending Demands|From request_resources):?\s*$/.exec(
        line.trim()
      )?.[1]
    if (head !== undefined) {
      section = head
      continue
    }
    if (/^(Active|Healthy|Idle)$/.test(section)) nodes += Number(NODES.exec(line)?.[1] ?? 0)
    if (section === 'Usage') {
      const [, used, total, name] = USAGE.exec(line) ?? []
      if (name !== undefined && /^(CPU|GPU)$/.test(name))
        resources.push({ name, used: Number(used), total: Number(total) })
    }
    if (section.endsWith('Demands')) {
      const [, demand, what] = DEMAND.exec(line) ?? []
      if (demand !== undefined && what !== undefined)
        pending.push({ demand, gpus: gpusOfDemand(demand), what })
    }
  }
  return { nodes, resources, pending }
}
