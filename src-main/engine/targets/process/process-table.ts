import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { errorCode } from '../../lib'
import { runCommand } from '../command'

/** One living process. `startTime` together with `pid` names it for ever, also across a reboot. */
export interface ProcessFacts {
  pid: number
  parent: number
  session: number
  startTime: string
  /** Ended, and only waiting for its parent to notice. */
  zombie: boolean
}

const DEADLINE_MS = 10_000

/**
 * Parses `/proc/<pid>/stat` (proc(5)). The command name, second field, may hold spaces and brackets, so the
 * fields are counted from the last closing bracket. Null when the text is not such a line.
 */
export function parseProcStat(text: string, bootId: string): ProcessFacts | null {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 1 || close < open) return null
  const pid = Number(text.slice(0, open).trim())
  const rest = text
    .slice(close + 1)
    .trim()
    .split(/\s+/)
  const [state, parent, , session] = rest
  const started = rest[19]
  if (!Number.isInteger(pid) || state === undefined || started === undefined) return null
  return {
    pid,
    parent: Number(parent),
    session: Number(session),
    startTime: `${bootId}:${started}`,
    zombie: state === 'Z' || state === 'X'
  }
}

/** Parses `ps -axo pid=,ppid=,sess=,stat=,lstart=` of macOS: the start time has a resolution of one second. */
export function parsePs(text: string): ProcessFacts[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
    if (match === null) return []
    const [, pid, parent, session, stat, started] = match
    if (started === undefined || stat === undefined) return []
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        // macOS prints 0 for the session; the process group cannot be told from it, so nothing matches by session there.
        session: Number(session) || -1,
        startTime: started.replace(/\s+/g, ' '),
        zombie: stat.startsWith('Z')
      }
    ]
  })
}

/** Parses the `pid parent ticks` lines of the PowerShell query below; ticks are 100 ns since year 1. */
export function parsePowerShell(text: string): ProcessFacts[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(\d+) (\d+) (\d+)\s*$/.exec(line)
    if (match === null) return []
    const [, pid, parent, started] = match
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        session: -1,
        startTime: started ?? '',
        zombie: false
      }
    ]
  })
}

const PS_COLUMNS = ['-axo', 'pid=,ppid=,sess=,stat=,lstart=']
const POWERSHELL_QUERY =
  'Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.Ticks)" }'
const POWERSHELL = ['-NoProfile', '-NonInteractive', '-Command']

let knownBootId: string | null = null
function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return knownBootId
}

/** True when a process that began then did so since this machine was last started; false where that is not known. */
export function startedThisBoot(startTime: string): boolean {
  return process.platform === 'linux' && startTime.startsWith(`${bootId()}:`)
}

/**
 * Facts of one process at once, or null when there is none. Blocking on purpose: right after `spawn`, before the
 * event loop turns, the child cannot have been reaped, so that even one which dies at once still has a start time.
 * macOS and Windows: written from the tools' manuals, not run.
 */
export function processNow(pid: number): ProcessFacts | null {
  if (process.platform === 'linux') {
    try {
      return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'), bootId())
    } catch (thrown) {
      const code = errorCode(thrown)
      if (code === 'ENOENT' || code === 'ESRCH') return null
      throw thrown
    }
  }
  const options = { encoding: 'utf8', timeout: DEADLINE_MS, windowsHide: true } as const
  const all =
    process.platform === 'win32'
      ? parsePowerShell(execFileSync('powershell', [...POWERSHELL, POWERSHELL_QUERY], options))
      : parsePs(execFileSync('ps', PS_COLUMNS, options))
  return all.find((facts) => facts.pid === pid) ?? null
}

async function linuxTable(): Promise<ProcessFacts[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  // What ended between the two calls, and what may not be looked at, is not in the table.
  const facts = await Promise.all(names.map((name) => linuxProcess(name).catch(() => null)))
  return facts.filter((entry) => entry !== null)
}

/**
 * When the operating system says this process began, as an opaque text; null when there is no such process, or only
 * what its parent has not noticed yet. Together with the pid it names one process for ever: pids are reused.
 */
export async function processStart(pid: number): Promise<string | null> {
  const facts =
    process.platform === 'linux'
      ? await linuxProcess(String(pid))
      : (await processTable()).find((one) => one.pid === pid)
  return facts === null || facts === undefined || facts.zombie ? null : facts.startTime
}

async function linuxProcess(name: string): Promise<ProcessFacts | null> {
  try {
    return parseProcStat(await readFile(`/proc/${name}/stat`, 'utf8'), bootId())
  } catch (thrown) {
    const code = errorCode(thrown)
    // Not to be able to look is not the same as nothing being there: only that is an answer.
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw thrown
  }
}

/** Every process of this machine that we may see. */
export async function processTable(): Promise<ProcessFacts[]> {
  if (process.platform === 'linux') return linuxTable()
  const result =
    process.platform === 'win32'
      ? await runCommand('powershell', [...POWERSHELL, POWERSHELL_QUERY], {
          deadlineMs: DEADLINE_MS
        })
      : await runCommand('ps', PS_COLUMNS, { deadlineMs: DEADLINE_MS })
  if (result.kind !== 'done') return []
  return process.platform === 'win32' ? parsePowerShell(result.stdout) : parsePs(result.stdout)
}

/** Everything below `root` in the tree of parents, and everything in its session; `root` itself not. Pure. */
export function descendants(root: number, table: readonly ProcessFacts[]): number[] {
  const found = new Set<number>()
  const waiting = [root]
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const { pid, parent: of, session } of table) {
      if (pid === root || found.has(pid) || (of !== parent && session !== root)) continue
      found.add(pid)
      waiting.push(pid)
    }
  }
  return [...found]
}

async function linuxTexts(
  file: 'cmdline' | 'environ'
): Promise<{ pid: number; parts: string[] }[]> {
  if (process.platform !== 'linux') return []
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(
    names.map(async (name) => ({
      pid: Number(name),
      // Ended meanwhile, or another person's: neither is ours.
      parts: (await readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')).split('\0')
    }))
  )
}

/** Arguments of every process, for finding our own wrappers again. Linux only; elsewhere nothing is found. */
export async function commandLines(): Promise<{ pid: number; argv: string[] }[]> {
  const lines = await linuxTexts('cmdline')
  return lines.flatMap(({ pid, parts }) => (parts.length > 1 ? [{ pid, argv: parts }] : []))
}

/**
 * Living processes that inherited the variable `entry` (`NAME=value`), whatever became of their parents and
 * sessions: the proof that they belong to a command we started. Linux only.
 */
export async function processesWith(entry: string): Promise<number[]> {
  const all = await linuxTexts('environ')
  return all.flatMap(({ pid, parts }) => (parts.includes(entry) ? [pid] : []))
}
