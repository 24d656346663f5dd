import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

/** The command line as it is built, under plain Node; `SLIPWAY_CLI` names another build of it. */
const CLI = resolve(process.env['SLIPWAY_CLI'] ?? 'out/main/cli.js')

export interface Outcome {
  code: number | null
  out: string
  err: string
}

function start(home: string, words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [CLI, '--home', home, '--json', '--lang', 'en', ...words], {
    stdio: ['ignore', 'pipe', 'pipe']
  })
}

interface Said {
  error?: { what: { en: string }; where?: string; detail?: string; remedy?: { en: string } }
  note?: { en: string }
}

/** Lines of JSON on standard error, as a person without --json would read them. */
function asRead(err: string): string {
  return err
    .split('\n')
    .map((line) => {
      if (!/^\{"(?:error|note)":/.test(line)) return line
      const { error, note } = JSON.parse(line) as Said
      if (error === undefined) return note?.en ?? line
      const { what, where, detail, remedy } = error
      const first = where === undefined ? what.en : `${what.en} [${where}]`
      return [first, detail, remedy?.en].filter((part) => part !== undefined).join('\n')
    })
    .join('\n')
}

/** One command to its end. */
export async function slipway(home: string, ...words: string[]): Promise<Outcome> {
  const child = start(home, words)
  if (child.stdout === null || child.stderr === null) throw new Error('no output')
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit')
  ])
  return { code: child.exitCode, out, err: asRead(err) }
}

/** The one JSON line a command printed. */
export function answerOf<T>({ out, err, code }: Outcome): T {
  const lines = out.split('\n').filter((line) => line !== '')
  if (lines.length !== 1) throw new Error(`not one line (code ${code}): ${out}${err}`)
  return JSON.parse(lines[0] ?? '') as T
}

/** A command that stays, read line by line. */
export class Staying {
  readonly child: ChildProcess
  private readonly lines: AsyncIterator<string>

  constructor(home: string, ...words: string[]) {
    this.child = start(home, words)
    if (this.child.stdout === null) throw new Error('no output')
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  /** The next line that `wanted` takes; what comes before it is passed over. */
  async line<T>(wanted: (said: T) => boolean = () => true): Promise<T> {
    for (;;) {
      const next = await this.lines.next()
      if (next.done === true) throw new Error('the command ended without saying it')
      const said = JSON.parse(next.value) as T
      if (wanted(said)) return said
    }
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const gone = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await gone
  }
}
