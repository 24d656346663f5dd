import { readdir, readFile, readlink } from 'node:fs/promises'
import { errorCode } from '../lib'

export interface PortOwner {
  pid: number
  command: string
}

/** Listening sockets of a `/proc/net/tcp` table: port → inode. Source: Linux `Documentation/networking/proc_net_tcp.rst`. */
export function listeningInodes(table: string): Map<number, string> {
  const LISTEN = '0A'
  const found = new Map<number, string>()
  for (const line of table.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/)
    const port = Number.parseInt(fields[1]?.split(':').pop() ?? '', 16)
    const inode = fields[9]
    if (fields[3] === LISTEN && Number.isFinite(port) && inode !== undefined) found.set(port, inode)
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
  const listening = new Map<number, string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await glance(readFile(table, 'utf8'))
    if (text !== null) for (const [port, inode] of listeningInodes(text)) listening.set(port, inode)
  }
  const owners = new Map<number, PortOwner | null>()
  for (const port of ports) {
    const inode = listening.get(port)
    if (inode !== undefined) owners.set(port, await ownerOfInode(inode))
  }
  return owners
}
