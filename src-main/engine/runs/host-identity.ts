import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname, platform } from 'node:os'
import { errorCode } from '../lib'

/** This machine, so that a lock in a shared folder is not judged by another machine's process table. */
export interface HostIdentity {
  name: string
  id: string
}

async function machineId(): Promise<string> {
  if (platform() !== 'linux') return ''
  try {
    return (await readFile('/etc/machine-id', 'utf8')).trim()
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'EACCES') return ''
    throw cause
  }
}

/** The machine id where the system keeps one (it outlives a change of name), else the name. */
export async function thisHost(): Promise<HostIdentity> {
  const name = hostname()
  const seed = (await machineId()) || name
  return { name, id: createHash('sha256').update(seed).digest('hex').slice(0, 16) }
}
