import { spawn, type ChildProcess } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { errorCode } from '../lib'

/** How a watched command ended. */
export type CommandEnd =
  | { kind: 'code'; code: number }
  | { kind: 'signal'; signal: string }
  | { kind: 'missing' }
  | { kind: 'cancelled' }

/** Milliseconds a command has to clear up after SIGINT until it is killed. */
const GRACE_MS = 10_000
/** A line longer than this is shown in pieces. */
const LONGEST_LINE = 8192

/** Cuts a stream into lines. A carriage return draws a line anew, so each drawing counts as one. */
export class Lines {
  private readonly decoder = new StringDecoder('utf8')
  private rest = ''

  constructor(private readonly line: (text: string) => void) {}

  write(bytes: Buffer): void {
    const parts = (this.rest + this.decoder.write(bytes)).split(/\r\n|\n|\r/)
    this.rest = parts.pop() ?? ''
    for (const part of parts) this.line(part)
    while (this.rest.length > LONGEST_LINE) {
      this.line(this.rest.slice(0, LONGEST_LINE))
      this.rest = this.rest.slice(LONGEST_LINE)
    }
  }

  end(): void {
    const last = this.rest + this.decoder.end()
    this.rest = ''
    if (last !== '') this.line(last)
  }
}

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    // The whole group: git and docker work through helpers of their own.
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (cause) {
    if (errorCode(cause) !== 'ESRCH') throw cause
  }
}

/** Runs a command to its end, handing on each line of both outputs. Arguments are never seen by a shell. Never rejects. */
export function watchCommand(
  argv: readonly string[],
  options: { environment: NodeJS.ProcessEnv; signal: AbortSignal; line: (text: string) => void }
): Promise<CommandEnd> {
  const { environment, signal, line } = options
  const [file = '', ...args] = argv
  if (signal.aborted) return Promise.resolve({ kind: 'cancelled' })
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true
    })
    let killing: NodeJS.Timeout | undefined
    const cancel = (): void => {
      signalAll(child, 'SIGINT')
      killing = setTimeout(() => {
        signalAll(child, 'SIGKILL')
      }, GRACE_MS)
    }
    const finish = (end: CommandEnd): void => {
      clearTimeout(killing)
      signal.removeEventListener('abort', cancel)
      resolve(signal.aborted ? { kind: 'cancelled' } : end)
    }
    signal.addEventListener('abort', cancel, { once: true })
    for (const stream of [child.stdout, child.stderr]) {
      const lines = new Lines(line)
      stream.on('data', (bytes: Buffer) => {
        lines.write(bytes)
      })
      stream.on('end', () => {
        lines.end()
      })
    }
    child.once('error', (cause) => {
      if (errorCode(cause) !== 'ENOENT') line(cause.message)
      finish(errorCode(cause) === 'ENOENT' ? { kind: 'missing' } : { kind: 'code', code: 127 })
    })
    child.once('close', (code, by) => {
      finish(code === null ? { kind: 'signal', signal: by ?? '' } : { kind: 'code', code })
    })
  })
}
