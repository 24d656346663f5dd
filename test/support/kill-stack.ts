import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Processes of a practice stack started as a process, for tests that kill one. Linux: reads `/proc`. */
export interface StackProcesses {
  /** The wrapper, which leads the group that the launcher is in too. */
  wrapper: number
  /** Null while the wrapper has not started it yet. */
  launcher: number | null
  services: number[]
}

interface ProcessRow {
  pid: number
  parent: number
  argv: string[]
}

export async function processRows(): Promise<ProcessRow[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const rows = await Promise.all(names.map((name) => processRow(Number(name))))
  return rows.flatMap((row) => row ?? [])
}

async function processRow(pid: number): Promise<ProcessRow | null> {
  try {
    const stat = await readFile(join('/proc', String(pid), 'stat'), 'utf8')
    const line = await readFile(join('/proc', String(pid), 'cmdline'), 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie is over; only its parent has not looked yet.
    if (state === 'Z') return null
    return { pid, parent: Number(parent), argv: line.split('\0') }
  } catch {
    // It ended between the listing and the look.
    return null
  }
}

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z'
  } catch {
    return false
  }
}

/** The processes of one attempt by the file that will hold its exit record; null when it does not run. */
export async function stackProcesses(exitFile: string): Promise<StackProcesses | null> {
  const rows = await processRows()
  const wrapper = rows.find(({ argv }) => {
    const end = argv.indexOf('--')
    return argv.slice(0, end).includes(exitFile)
  })
  if (wrapper === undefined) return null
  const launcher = rows.find((row) => row.parent === wrapper.pid)?.pid ?? null
  const services = rows.filter((row) => row.parent === launcher).map((row) => row.pid)
  return { wrapper: wrapper.pid, launcher, services }
}

export type Victim = 'group' | 'launcher' | 'service'

/** `kill -9` of a part of a stack; of its whole group while the part is not there yet. */
export async function killStack(exitFile: string, victim: Victim): Promise<void> {
  const stack = await stackProcesses(exitFile)
  if (stack === null) throw new Error(`no stack runs for ${exitFile}`)
  process.kill(victimOf(stack, victim), 'SIGKILL')
}

function victimOf({ wrapper, launcher, services }: StackProcesses, victim: Victim): number {
  switch (victim) {
    case 'group':
      return -wrapper
    case 'launcher':
      return launcher ?? -wrapper
    case 'service':
      return services[randomInt(0, Math.max(1, services.length))] ?? -wrapper
  }
}

/** Ends whatever still runs below a home: the last resort of a test that failed. */
export async function endStacksBelow(folder: string): Promise<void> {
  for (const { pid, argv } of await processRows()) {
    if (pid === process.pid || !argv.some((word) => word.startsWith(folder))) continue
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Ended meanwhile.
    }
  }
}
