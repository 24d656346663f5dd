import { spawn, execFileSync, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Runs the practice stack for tests: a real launcher, real sockets, a folder of its own. */
const MAIN = resolve('resources/practice-stack/main.mjs')

export type Json = Record<string, unknown>

export interface Task {
  id: string
  prompt: string
  answer: string
}

export interface ReleaseRow {
  release_id: string
  parent_release_id: string | null
  content_id: string
  operation: string
  pending: boolean
  current: boolean
  checkpoint: boolean
  restorable: boolean
  rollback_target_release_id?: string
  metrics?: Record<string, number | boolean>
}

export interface Reply {
  status: number
  text: string
  headers: Headers
}

/** A port nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export function practiceTasks(seed: number, count = 200, task = 'modular'): Task[] {
  const args = [MAIN, 'tasks', '--seed', String(seed), '--count', String(count), '--task', task]
  const text = execFileSync(process.execPath, args, { encoding: 'utf8' })
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Task)
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds))
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // A zombie still answers signals; it runs nothing.
  return (
    !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  )
}

export class PracticeStack {
  child: ChildProcess | null = null
  exit: Promise<number | null> = Promise.resolve(null)

  private constructor(
    readonly folder: string,
    readonly port: number,
    readonly recipe: string,
    readonly flags: string[]
  ) {}

  /** `flags` are `training.options` names with values unless they begin with `--`. */
  static async create(
    options: Record<string, string | number> = {},
    { recipe = 'practice-sao', flags = [] }: { recipe?: string; flags?: string[] } = {}
  ): Promise<PracticeStack> {
    const folder = mkdtempSync(join(tmpdir(), 'practice-'))
    const given = Object.entries(options).flatMap(([name, value]) => [
      `--training.options.${name}`,
      String(value)
    ])
    return new PracticeStack(folder, await freePort(), recipe, [...given, ...flags])
  }

  get state(): string {
    return join(this.folder, 'work', this.recipe)
  }

  get runDir(): string {
    return join(this.state, 'run')
  }

  start(environment: NodeJS.ProcessEnv = {}, more: string[] = []): void {
    const output = openSync(join(this.folder, 'stdout'), 'a')
    const errors = openSync(join(this.folder, 'stderr'), 'a')
    const recipe = resolve('recipes', `${this.recipe}.yaml`)
    const port = ['--reef.port', String(this.port)]
    const child = spawn(
      process.execPath,
      [MAIN, 'serve', '-c', recipe, ...port, ...this.flags, ...more],
      {
        cwd: this.folder,
        stdio: ['ignore', output, errors],
        env: { ...process.env, ...environment }
      }
    )
    closeSync(output)
    closeSync(errors)
    this.child = child
    this.exit = new Promise((done) => child.once('exit', (code) => done(code)))
  }

  async call(
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    method?: string
  ): Promise<Reply> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  async json<T>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const reply = await this.call(path, body, headers)
    if (reply.status >= 400) throw new Error(`${path}: HTTP ${reply.status} ${reply.text}`)
    return JSON.parse(reply.text) as T
  }

  /** Asks again until the answer is as wanted; ends with an error when the stack does. */
  async until<T>(ask: () => Promise<T | null>, seconds = 100): Promise<T> {
    const last = Date.now() + seconds * 1000
    let gone = false
    void this.exit.then(() => (gone = true))
    while (Date.now() < last) {
      if (gone) throw new Error(`the stack ended: ${this.errors().slice(-2000)}`)
      const answer = await ask().catch(() => null)
      if (answer !== null) return answer
      await pause(50)
    }
    throw new Error(`not in ${seconds} s: ${this.errors().slice(-1000)}`)
  }

  async ready(): Promise<void> {
    await this.until(async () => ((await this.call('/healthz')).status === 200 ? true : null))
  }

  async releases(scenario = 'practice'): Promise<ReleaseRow[]> {
    const answer = await this.json<{ releases: ReleaseRow[] }>(
      `/reef/scenarios/${scenario}/releases`
    )
    return answer.releases
  }

  /** Waits for a commit step. */
  async step(wanted: number, scenario = 'practice'): Promise<ReleaseRow[]> {
    return this.until(async () => {
      const rows = await this.releases(scenario)
      return rows.length > wanted ? rows : null
    })
  }

  async ask(prompt: string, more: Json = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const body = {
      model: 'any',
      messages: [{ role: 'user', content: prompt }],
      temperature: 0,
      ...more
    }
    return this.call('/v1/chat/completions', body, { 'x-reef-scenario': 'practice', ...headers })
  }

  async answers(tasks: Task[], headers: Record<string, string> = {}): Promise<string[]> {
    const texts: string[] = []
    for (let from = 0; from < tasks.length; from += 20) {
      const part = tasks.slice(from, from + 20).map(async (task) => {
        const reply = await this.ask(task.prompt, {}, headers)
        const { choices } = JSON.parse(reply.text) as {
          choices: { message: { content: string } }[]
        }
        return choices[0]?.message.content ?? ''
      })
      texts.push(...(await Promise.all(part)))
    }
    return texts
  }

  /** Share of right answers, in percent. */
  async accuracy(tasks: Task[], headers: Record<string, string> = {}): Promise<number> {
    const texts = await this.answers(tasks, headers)
    const right = texts.filter((text, index) => text === tasks[index]?.answer)
    return (100 * right.length) / tasks.length
  }

  pids(): number[] {
    if (!existsSync(this.runDir)) return []
    const files = readdirSync(this.runDir, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [join(this.runDir, entry.name, `${entry.name}.pid`)] : []
    )
    return files
      .filter((file) => existsSync(file))
      .map((file) => Number(readFileSync(file, 'utf8')))
  }

  errors(): string {
    return readFileSync(join(this.folder, 'stderr'), 'utf8')
  }

  log(service: string): string {
    return readFileSync(join(this.runDir, service, `${service}.log`), 'utf8')
  }

  lines(path: string): Json[] {
    if (!existsSync(path)) return []
    const text = readFileSync(path, 'utf8')
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Json)
  }

  commits(scenario = 'practice'): Json[] {
    const stem = createHash('sha256').update(scenario).digest('hex')
    return this.lines(join(this.state, 'records', `${stem}.commits.jsonl`))
  }

  async stop(): Promise<number | null> {
    this.child?.kill('SIGTERM')
    return this.exit
  }

  /** Kills the launcher and waits until nothing of the stack is left. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL')
    await this.exit
    await this.gone()
  }

  async gone(): Promise<void> {
    const last = Date.now() + 20_000
    while (this.pids().some(isAlive)) {
      if (Date.now() > last) throw new Error(`orphans: ${this.pids().filter(isAlive).join(' ')}`)
      await pause(20)
    }
  }

  async dispose(): Promise<void> {
    if (this.child?.exitCode === null && this.child.signalCode === null) await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
