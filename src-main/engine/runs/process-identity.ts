import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname, platform } from 'node:os'
import { promisify } from 'node:util'
import { errorCode } from '../lib'

const run = promisify(execFile)

async function textOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return null
    throw cause
  }
}

/** Field 22 of `/proc/<pid>/stat` (proc(5)); the name in brackets may hold spaces and brackets itself. */
export function startTicksOf(stat: string): string | null {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/)
  // A zombie has ended; only its parent has not looked yet.
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  return fields[19] ?? null
}

async function onLinux(pid: number): Promise<string | null> {
  const stat = await textOrNull(`/proc/${pid}/stat`)
  const ticks = stat === null ? null : startTicksOf(stat)
  if (ticks === null) return null
  const boot = await textOrNull('/proc/sys/kernel/random/boot_id')
  return `${boot?.trim() ?? ''}:${ticks}`
}

async function byCommand(command: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await run(command, [...args], { windowsHide: true })
    const text = stdout.trim()
    return text === '' ? null : text
  } catch (cause) {
    // Both tools end with status 1 when there is no such process; a tool that is missing must not pass for that.
    if (errorCode(cause) === 'ENOENT') throw cause
    return null
  }
}

/**
 * When the operating system says this process began, as an opaque text; null when there is no such process.
 * Together with the pid it names one process for ever: pids are reused, pairs are not.
 */
export function processStart(pid: number): Promise<string | null> {
  switch (platform()) {
    case 'linux':
      return onLinux(pid)
    case 'win32':
      return byCommand('powershell.exe', [
        '-NoProfile',
        '-Command',
        `(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.ToFileTimeUtc()`
      ])
    default:
      return byCommand('ps', ['-o', 'lstart=', '-p', String(pid)])
  }
}

/** This machine, so that a lock in a shared folder is not judged by another machine's process table. */
export interface HostIdentity {
  name: string
  id: string
}

/** The machine id where the system keeps one (it outlives a change of name), else the name. */
export async function thisHost(): Promise<HostIdentity> {
  const name = hostname()
  const machine = platform() === 'linux' ? await textOrNull('/etc/machine-id') : null
  const seed = machine === null || machine.trim() === '' ? name : machine.trim()
  return { name, id: createHash('sha256').update(seed).digest('hex').slice(0, 16) }
}
