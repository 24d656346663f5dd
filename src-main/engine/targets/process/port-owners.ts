import { readdir, readFile, readlink } from 'node:fs/promises'
import { errorCode } from '../../lib'
import type { Listening } from '../target'

export interface PortOwner {
  pid: number
  command: string
}

/** Listening sockets of a `/proc/net/tcp` table: port → inodes, one for each address. Source: Linux `Documentation/networking/proc_net_tcp.rst`. */
export function listeningInodes(table: string): Map<number, string[]> {
  const LISTEN = '0A'
  const found = new Map<number, string[]>()
  for (const line of table.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/)
    const port = Number.parseInt(fields[1]?.split(':').pop() ?? '', 16)
    const inode = fields[9]
    if (fields[3] !== LISTEN || !Number.isFinite(port) || inode === undefined) continue
    found.set(port, [...(found.get(port) ?? []), inode])
  }
  return found
}

/** A file of /proc, or null when its process is already gone or belongs to somebody else. */
async function glance<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ESRCH' || code === 'EPERM') return null
    throw cause
  }
}

async function ownerOfInode(inode: string): Promise<PortOwner | null> {
  const wanted = `socket:[${inode}]`
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of processes) {
    const descriptors = (await glance(readdir(`/proc/${pid}/fd`))) ?? []
    for (const descriptor of descriptors) {
      if ((await glance(readlink(`/proc/${pid}/fd/${descriptor}`))) !== wanted) continue
      const words = (await glance(readFile(`/proc/${pid}/cmdline`, 'utf8'))) ?? ''
      // The program and its first arguments name it; the rest may hold what nobody should see.
      const command = words.split('\0').slice(0, 3).join(' ').trim().slice(0, 120)
      return { pid: Number(pid), command }
    }
  }
  return null
}

/** Who listens on which of these ports of this machine; null: somebody whose name we may not read. Linux only. */
export async function portOwners(ports: readonly number[]): Promise<Map<number, PortOwner | null>> {
  const owners = new Map<number, PortOwner | null>()
  for (const port of ports) {
    const inode = (await inodesOn(port))?.at(-1)
    if (inode !== undefined) owners.set(port, await ownerOfInode(inode))
  }
  return owners
}

/** Those of these ports of this machine that anybody listens on; null where the system does not say. Linux only. */
export async function portsInUse(
  ports: readonly number[]
): Promise<{ port: number; owner: PortOwner | null }[] | null> {
  if ((await inodesOn(0)) === null) return null
  const owners = await portOwners(ports)
  return [...owners].map(([port, owner]) => ({ port, owner }))
}

/** Inodes of the sockets that listen on a port of this machine; null where the system does not say. */
async function inodesOn(port: number): Promise<string[] | null> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((table) => glance(readFile(table, 'utf8')))
  )
  if (tables.every((table) => table === null)) return null
  return tables.flatMap((table) => listeningInodes(table ?? '').get(port) ?? [])
}

async function holdsOne(pid: number, inodes: readonly string[]): Promise<boolean | null> {
  const descriptors = await glance(readdir(`/proc/${pid}/fd`))
  if (descriptors === null) return null
  const links = await Promise.all(
    descriptors.map((name) => glance(readlink(`/proc/${pid}/fd/${name}`)))
  )
  return links.some((link) => inodes.some((inode) => link === `socket:[${inode}]`))
}

/**
 * Tells whether who listens on a port belongs to one stack, and remembers the socket that did: as long as it listens,
 * a look costs one small file. Linux only; elsewhere the answer is `unknown`.
 */
export class PortWitness {
  /** Inode of the stack's own socket, by port. */
  private readonly known = new Map<number, string>()

  /** @param pids processes of the stack; empty where they are not known */
  constructor(private readonly pids: () => Promise<readonly number[]>) {}

  async look(port: number): Promise<Listening> {
    const inodes = await inodesOn(port)
    if (inodes === null) return 'unknown'
    if (inodes.length === 0) return 'nobody'
    if (inodes.some((inode) => inode === this.known.get(port))) return 'ours'
    const pids = await this.pids()
    if (pids.length === 0) return 'unknown'
    for (const inode of inodes) {
      const holders = await Promise.all(pids.map((pid) => holdsOne(pid, [inode])))
      if (!holders.includes(true)) continue
      this.known.set(port, inode)
      return 'ours'
    }
    const seen = await Promise.all(pids.map((pid) => holdsOne(pid, inodes)))
    return seen.includes(null) ? 'unknown' : 'foreign'
  }
}
