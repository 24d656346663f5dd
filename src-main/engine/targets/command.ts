import { execFile } from 'node:child_process'
import { errorCode } from '../lib'

/** What a finished helper command left. `code` is null when a signal or the deadline ended it. */
export type CommandResult =
  | { kind: 'done'; code: number; stdout: string; stderr: string }
  | { kind: 'missing' }
  | { kind: 'late'; stdout: string; stderr: string }

/** 4 MiB: far more than any of the tools we ask ever prints. */
const MOST_OUTPUT = 4 * 1024 * 1024

/** Runs a helper command to its end or to the deadline; arguments are never seen by a shell. Never rejects. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: {
    /** Null: only the signal ends it early. */ deadlineMs: number | null
    signal?: AbortSignal
    environment?: NodeJS.ProcessEnv
  }
): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(
      file,
      [...args],
      {
        encoding: 'utf8',
        timeout: options.deadlineMs ?? 0,
        killSignal: 'SIGKILL',
        maxBuffer: MOST_OUTPUT,
        windowsHide: true,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        ...(options.environment === undefined ? {} : { env: options.environment })
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ kind: 'done', code: 0, stdout, stderr })
        else if (errorCode(error) === 'ENOENT') resolve({ kind: 'missing' })
        else if (typeof error.code === 'number')
          resolve({ kind: 'done', code: error.code, stdout, stderr })
        else resolve({ kind: 'late', stdout, stderr })
      }
    )
  })
}
