import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { ShellAnswer } from '../files/shell-files'
import { ShellSession } from './shell-session'
import { sshMissing, sshUnreachable } from './ssh-failure'

export interface SshLinkOptions {
  destination: string
  /** Another configuration file than the person's own (`ssh -F`). */
  configFile?: string
}

/** Printed by ssh on this side as soon as it is connected and let in. */
const CONNECTED = 'slipway-connected'
const CONNECT_SECONDS = 15
/** A link that says nothing for about this long is taken for cut. */
const ALIVE_SECONDS = 10
const ALIVE_COUNT = 3
const MOST_WORDS = 4000
/** Shells open at once: a long digest must not hold up a short look. sshd allows ten by default. */
const MOST_SESSIONS = 4

interface Master {
  child: ChildProcess
  folder: string
  control: string
  /** Local sockets and ports by what they lead to. */
  forwards: Map<string, Promise<string>>
  /** Shells kept open, and those who wait for one. */
  sessions: number
  idle: ShellSession[]
  waiting: ((session: ShellSession) => void)[]
}

/**
 * One connection by the system's own ssh, so that its configuration, jump hosts, agent, known hosts and hardware keys
 * work as in a terminal. It never asks anything (BatchMode). Everything else goes through it: shell commands, and
 * forwards of sockets and ports. When it is cut, the next question opens it again.
 */
export class SshLink {
  private master: Promise<Master> | null = null
  private closed = false

  constructor(private readonly options: SshLinkOptions) {}

  /** Runs a shell script there; its arguments are "$1", …. Throws UnreachableError with ssh's own words. */
  async run(script: string, args: readonly string[]): Promise<ShellAnswer> {
    const master = await this.open()
    const session = await this.session(master)
    try {
      return await session.ask(script, args)
    } finally {
      const next = master.waiting.shift()
      if (next === undefined) master.idle.push(session)
      else next(session)
    }
  }

  /** A private local socket (path) that leads to the socket `remote` there. */
  forwardSocket(remote: string): Promise<string> {
    return this.forward(remote, ({ folder }, number) =>
      Promise.resolve({ local: join(folder, `f${number}`), rule: 'socket' })
    )
  }

  /** A free port of 127.0.0.1 here that leads to `port` of 127.0.0.1 there: `wanted`, where nobody has that. */
  async forwardPort(port: number, wanted = 0): Promise<number> {
    const local = await this.forward(`127.0.0.1:${port}`, async () => ({
      local: String(await freePort(wanted).catch(() => freePort(0))),
      rule: 'port'
    }))
    return Number(local)
  }

  /** Ends the connection for good: what is asked afterwards is refused, so that nothing opens it behind our back. */
  async close(): Promise<void> {
    this.closed = true
    const master = await this.master?.catch(() => null)
    this.master = null
    if (master !== null && master !== undefined) await end(master)
  }

  /** A session nobody uses now: an idle one, a new one, or the next that becomes free. */
  private async session(master: Master): Promise<ShellSession> {
    const idle = master.idle.pop()
    if (idle !== undefined) return idle.alive ? idle : this.newSession(master)
    if (master.sessions < MOST_SESSIONS) {
      master.sessions++
      return this.newSession(master)
    }
    const free = await new Promise<ShellSession>((resolve) => master.waiting.push(resolve))
    return free.alive ? free : this.newSession(master)
  }

  private newSession({ control }: Master): ShellSession {
    const child = this.spawnSsh(['-S', control, '-T'], ['env', 'LC_ALL=C', '/bin/sh'])
    return new ShellSession(child, (words) => sshUnreachable(this.options.destination, words))
  }

  private async forward(
    remote: string,
    place: (master: Master, number: number) => Promise<{ local: string; rule: string }>
  ): Promise<string> {
    const master = await this.open()
    const known = master.forwards.get(remote)
    if (known !== undefined) return known
    const made = this.makeForward(master, remote, place)
    master.forwards.set(remote, made)
    made.catch(() => master.forwards.delete(remote))
    return made
  }

  private async makeForward(
    master: Master,
    remote: string,
    place: (master: Master, number: number) => Promise<{ local: string; rule: string }>
  ): Promise<string> {
    const { local, rule } = await place(master, master.forwards.size)
    const from = rule === 'port' ? `127.0.0.1:${local}` : local
    const answer = await this.control([
      '-S',
      master.control,
      '-O',
      'forward',
      '-L',
      `${from}:${remote}`
    ])
    if (answer.code === 0) return local
    throw sshUnreachable(this.options.destination, answer.words)
  }

  private open(): Promise<Master> {
    if (this.closed)
      return Promise.reject(sshUnreachable(this.options.destination, 'closed by Slipway'))
    if (this.master !== null) return this.master
    const opening = this.connect()
    this.master = opening
    const forgetThis = (): void => {
      if (this.master === opening) this.master = null
    }
    opening.then(({ child }) => {
      if (child.exitCode !== null || child.signalCode !== null) forgetThis()
      child.once('exit', forgetThis)
    }, forgetThis)
    return opening
  }

  private async connect(): Promise<Master> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-ssh-'))
    const control = join(folder, 'c')
    const child = spawn(
      'ssh',
      [
        ...this.common(),
        ...['-M', '-S', control, '-N', '-T'],
        ...['-o', 'ControlPersist=no', '-o', 'ExitOnForwardFailure=yes'],
        ...[
          '-o',
          `ServerAliveInterval=${ALIVE_SECONDS}`,
          '-o',
          `ServerAliveCountMax=${ALIVE_COUNT}`
        ],
        ...['-o', 'PermitLocalCommand=yes', '-o', `LocalCommand=echo ${CONNECTED}`],
        ...['-o', 'StreamLocalBindUnlink=yes', '-o', 'StreamLocalBindMask=0177'],
        ...['-o', 'ForwardAgent=no', '-o', 'ForwardX11=no', '-o', 'ClearAllForwardings=no'],
        ...['--', this.options.destination]
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: quietEnvironment() }
    )
    const master: Master = {
      child,
      folder,
      control,
      forwards: new Map(),
      sessions: 0,
      idle: [],
      waiting: []
    }
    try {
      await this.connected(child)
    } catch (thrown) {
      await end(master)
      throw thrown
    }
    child.once('exit', () => void rm(folder, { recursive: true, force: true }))
    return master
  }

  private connected(
    child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }
  ): Promise<void> {
    const { destination } = this.options
    return new Promise((resolve, reject) => {
      let words = ''
      child.stderr.on('data', (piece: Buffer) => {
        words = (words + piece.toString()).slice(-MOST_WORDS)
      })
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line === CONNECTED) resolve()
      })
      child.once('error', () => {
        reject(sshMissing(destination))
      })
      child.once('close', () => {
        reject(sshUnreachable(destination, words))
      })
    })
  }

  private common(): string[] {
    const { configFile } = this.options
    return [
      ...(configFile === undefined ? [] : ['-F', configFile]),
      ...['-o', 'BatchMode=yes', '-o', `ConnectTimeout=${CONNECT_SECONDS}`]
    ]
  }

  /** Speaks to our own connection, not to the other side: answers at once. */
  private control(flags: readonly string[]): Promise<{ code: number; words: string }> {
    return new Promise((resolve, reject) => {
      const child = this.spawnSsh(flags, [])
      let words = ''
      child.stderr.on('data', (piece: Buffer) => {
        words += piece.toString()
      })
      child.stdout.resume()
      child.stdin.end()
      child.once('error', () => {
        reject(sshMissing(this.options.destination))
      })
      child.once('close', (code) => {
        resolve({ code: code ?? 255, words })
      })
    })
  }

  private spawnSsh(
    flags: readonly string[],
    command: readonly string[]
  ): ChildProcessByStdio<Writable, Readable, Readable> {
    return spawn('ssh', [...this.common(), ...flags, '--', this.options.destination, ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: quietEnvironment()
    })
  }
}

function quietEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, SSH_ASKPASS_REQUIRE: 'never' }
}

async function end({ child, folder }: Master): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const ended = new Promise<void>((done) => {
      child.once('exit', () => {
        done()
      })
    })
    child.kill('SIGTERM')
    await ended
  }
  await rm(folder, { recursive: true, force: true })
}

function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  })
}
