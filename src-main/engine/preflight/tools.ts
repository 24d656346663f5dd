import { execFile } from 'node:child_process'
import { errorCode } from '../lib'

/** What a small read-only command of the machine answered. */
export type ToolAnswer =
  | { kind: 'done'; code: number; stdout: string; stderr: string }
  | { kind: 'missing' }
  /** Ended by its deadline or by a signal. */
  | { kind: 'late' }

/** Asks a command of the machine the stack runs on; its arguments are never seen by a shell. */
export type Tool = (
  file: string,
  args: readonly string[],
  signal: AbortSignal
) => Promise<ToolAnswer>

const MOST_OUTPUT = 1024 * 1024

/** Asks a command of this machine. Never rejects; it is killed when `signal` says so. */
export const localTool: Tool = (file, args, signal) =>
  new Promise((resolve) => {
    execFile(
      file,
      [...args],
      { encoding: 'utf8', killSignal: 'SIGKILL', maxBuffer: MOST_OUTPUT, signal },
      (error, stdout, stderr) => {
        if (error === null) resolve({ kind: 'done', code: 0, stdout, stderr })
        else if (errorCode(error) === 'ENOENT') resolve({ kind: 'missing' })
        else if (typeof error.code === 'number')
          resolve({ kind: 'done', code: error.code, stdout, stderr })
        else resolve({ kind: 'late' })
      }
    )
  })
