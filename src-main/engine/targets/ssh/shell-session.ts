import type { ChildProcessByStdio } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import type { ShellAnswer } from '../files/shell-files'

/** Longest end mark: newline, token, space, exit code, newline. */
const MARK_BYTES = 48

/** Collects one stream until it ends with the mark of the running question. */
class MarkedOutput {
  private pieces: Buffer[] = []

  constructor(private readonly mark: RegExp) {}

  /** The number in the mark when `piece` brought it, else null. */
  push(piece: Buffer): number | null {
    this.pieces.push(piece)
    const found = this.mark.exec(this.tail())
    return found === null ? null : Number(found[1])
  }

  /** Everything before the mark. */
  bytes(): Buffer {
    const all = Buffer.concat(this.pieces)
    const length = this.mark.exec(this.tail())?.[0].length ?? 0
    return all.subarray(0, all.length - length)
  }

  private tail(): string {
    let text = ''
    for (let at = this.pieces.length - 1; at >= 0 && text.length < MARK_BYTES; at--)
      text = (this.pieces[at]?.subarray(-MARK_BYTES).toString('latin1') ?? '') + text
    return text
  }
}

/**
 * One shell kept open there, asked one question after another: opening a session runs the person's whole shell
 * start-up, which takes longer than most questions. The end of an answer is a random mark that no file can hold.
 */
export class ShellSession {
  private ended: Error | null = null
  private fail: ((why: Error) => void) | null = null

  constructor(
    private readonly child: ChildProcessByStdio<Writable, Readable, Readable>,
    /** What is thrown when the session ends, from the words it left. */
    why: (words: string) => Error
  ) {
    let words = ''
    child.stderr.on('data', (piece: Buffer) => {
      words = (words + piece.toString()).slice(-2000)
    })
    const end = (): void => {
      this.ended ??= why(words)
      this.fail?.(this.ended)
    }
    child.once('error', end)
    child.once('close', end)
    // How it ended says why a write failed.
    child.stdin.on('error', () => {})
  }

  get alive(): boolean {
    return this.ended === null
  }

  /** Asks one question; the caller waits for the answer before asking the next. */
  ask(script: string, args: readonly string[]): Promise<ShellAnswer> {
    const { child } = this
    const token = randomBytes(16).toString('hex')
    const stdout = new MarkedOutput(new RegExp(`\\n${token} (\\d+)\\n$`))
    const stderr = new MarkedOutput(new RegExp(`\\n${token} (\\d+)\\n$`))
    const quoted = args.map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`).join(' ')
    return new Promise((resolve, reject) => {
      if (this.ended !== null) {
        reject(this.ended)
        return
      }
      let code: number | null = null
      let complete = false
      const finish = (): void => {
        if (code === null || !complete) return
        stop()
        resolve({ code, stdout: stdout.bytes(), stderr: stderr.bytes().toString() })
      }
      const onStdout = (piece: Buffer): void => {
        code ??= stdout.push(piece)
        finish()
      }
      const onStderr = (piece: Buffer): void => {
        complete ||= stderr.push(piece) !== null
        finish()
      }
      const stop = (): void => {
        this.fail = null
        child.stdout.off('data', onStdout)
        child.stderr.off('data', onStderr)
      }
      this.fail = (why) => {
        stop()
        reject(why)
      }
      child.stdout.on('data', onStdout)
      child.stderr.on('data', onStderr)
      child.stdin.write(
        `set -- ${quoted}\n(\n${script}\n) </dev/null\nprintf '\\n${token} %d\\n' $?\nprintf '\\n${token} 0\\n' >&2\n`
      )
    })
  }

  close(): void {
    this.child.kill('SIGTERM')
  }
}
