import { listeningInodes, type PortOwner, portsInUse } from './process/port-owners'
import type { Target } from './target'

/**
 * Those of these ports of a target's machine that anybody listens on, with who does where that can be told; empty where
 * nobody can look. Behind ssh the tables are read as files.
 */
export async function portsTaken(
  { spec, files, machineCommand }: Pick<Target, 'spec' | 'files' | 'machineCommand'>,
  ports: readonly number[]
): Promise<{ port: number; owner: PortOwner | null }[]> {
  if (spec.kind === 'attach' || (spec.kind === 'docker' && spec.via.kind === 'tcp')) return []
  if (machineCommand === undefined) return (await portsInUse(ports)) ?? []
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => files.read(path, 0, MOST_BYTES))
  )
  const there = new Set(
    tables.flatMap((table) => [...listeningInodes(Buffer.from(table ?? []).toString()).keys()])
  )
  return ports.filter((port) => there.has(port)).map((port) => ({ port, owner: null }))
}

/** Some thousand sockets. */
const MOST_BYTES = 1024 * 1024
