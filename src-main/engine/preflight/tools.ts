import { type CommandResult, runCommand } from '../targets'

/** What a small read-only command of the machine answered; `late`: ended by its deadline or by a signal. */
export type ToolAnswer = Exclude<CommandResult, { kind: 'late' }> | { kind: 'late' }

/** Asks a command of the machine the stack runs on; its arguments are never seen by a shell. */
export type Tool = (
  file: string,
  args: readonly string[],
  signal: AbortSignal,
  /** Variables besides those it inherits. Only heeded on this machine. */
  environment?: Readonly<Record<string, string>>
) => Promise<ToolAnswer>

/** Asks a command of this machine. Never rejects; it is killed when `signal` says so. */
export const localTool: Tool = (file, args, signal, environment) =>
  runCommand(file, args, {
    deadlineMs: null,
    signal,
    ...(environment === undefined ? {} : { environment: { ...process.env, ...environment } })
  })
