import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path'
import type { StartSpec } from '../target'

/** argv[0] and environment that run a script on the runtime this engine runs on: plain Node, or the app's own. */
export function ownRuntime(): { command: string; environment: Record<string, string> } {
  return { command: process.execPath, environment: { ELECTRON_RUN_AS_NODE: '1' } }
}

/** What the command inherits from us: what a shell would have given it, without what belongs to the app's runtime. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !name.startsWith('ELECTRON_') &&
        name !== 'NODE_OPTIONS' &&
        name !== EXIT_RECORD_VARIABLE &&
        name !== 'CHROME_DESKTOP'
    )
  )
}

/** True for a file that this user may execute. */
export async function runnable(file: string): Promise<boolean> {
  const facts = await stat(file).catch(() => null)
  if (facts === null || !facts.isFile()) return false
  return access(file, constants.X_OK).then(
    () => true,
    () => false
  )
}

/** The command as it will be run, searched like a shell does; null when there is none. Paths are relative to `cwd`. */
export async function findCommand(name: string, cwd: string, path: string): Promise<string | null> {
  if (isAbsolute(name)) return (await runnable(name)) ? name : null
  if (name.includes('/') || name.includes(sep)) {
    const file = resolve(cwd, name)
    return (await runnable(file)) ? file : null
  }
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : ['']
  for (const folder of path.split(delimiter)) {
    for (const ending of endings) {
      const file = join(folder === '' ? cwd : folder, name + ending)
      if (await runnable(file)) return file
    }
  }
  return null
}

/** Everything a command starts inherits this variable; its value, the path of the exit record, is one attempt's own. */
export const EXIT_RECORD_VARIABLE = 'SLIPWAY_EXIT_RECORD'

export interface WrapperStart {
  /** Path of wrapper.cjs. */
  wrapper: string
  installation: string
  spec: StartSpec
  /** The found command, in place of `spec.argv[0]`. */
  command: string
  environment: NodeJS.ProcessEnv
  files: { exitFile: string; stdout: string; stderr: string }
}

/**
 * Starts the wrapper in a session of its own with the command's output going to files (0600), no pipe to us.
 * Never throws for a failed spawn: the child then has no pid.
 */
export function spawnWrapper({
  wrapper,
  installation,
  spec,
  command,
  environment,
  files
}: WrapperStart): ChildProcess {
  const out = openSync(files.stdout, 'a', 0o600)
  const err = openSync(files.stderr, 'a', 0o600)
  try {
    const child = spawn(
      process.execPath,
      [
        wrapper,
        ...['--installation', installation, '--run', spec.runId],
        ...['--attempt', String(spec.attempt), '--exit', files.exitFile],
        ...['--own-runtime', environment['ELECTRON_RUN_AS_NODE'] === '1' ? 'yes' : 'no'],
        ...['--', command, ...spec.argv.slice(1)]
      ],
      {
        cwd: spec.cwd,
        env: {
          ...environment,
          ELECTRON_RUN_AS_NODE: '1',
          [EXIT_RECORD_VARIABLE]: files.exitFile
        },
        stdio: ['ignore', out, err],
        detached: true,
        windowsHide: true
      }
    )
    // Without a listener a failed spawn would end the engine; `start` reports it by the missing pid.
    child.on('error', () => {})
    child.unref()
    return child
  } finally {
    closeSync(out)
    closeSync(err)
  }
}

/** Reads back the arguments `spawnWrapper` gave; null when the command line is not one of ours. */
export function parseWrapperArguments(
  argv: readonly string[]
): { installation: string; runId: string; attempt: number; exitFile: string } | null {
  if (!/[\\/]process-wrapper[\\/]wrapper\.cjs$/.test(argv[1] ?? '')) return null
  const end = argv.indexOf('--')
  const value = (name: string): string | undefined => {
    const at = argv.indexOf(`--${name}`)
    return at === -1 || at > end ? undefined : argv[at + 1]
  }
  const installation = value('installation')
  const runId = value('run')
  const attempt = Number(value('attempt'))
  const exitFile = value('exit')
  if (installation === undefined || runId === undefined || exitFile === undefined) return null
  return Number.isInteger(attempt) ? { installation, runId, attempt, exitFile } : null
}
