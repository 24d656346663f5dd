import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ShellAnswer } from '../files/shell-files'
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

interface Master {
  child: ChildProcess
  folder: string
  control: string
  /** Local sockets and ports by what they lead to. */
  forwards: Map<string, Promise<string>>
}

/**
 * One connection by the system's own ssh, so that its configuration, jump hosts, agent, known hosts and hardware keys
 * work as in a terminal. It never asks anything (BatchMode). Everything else goes through it: shell commands, and
 * forwards of sockets and ports. When it is cut, the next question opens it again.
 */
export class SshLink {
  private master: Promise<Master> | null = null

  constructor(private readonly options: SshLinkOptions) {}

  /** Runs a shell script there; its arguments are "$1", …. Throws UnreachableError with ssh's own words. */
  async run(script: string, args: readonly string[]): Promise<ShellAnswer> {
    const { control } = await this.open()
    // By standard input: the login shell there may be any, and must not see quotes or dollars.
    const quoted = args.map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`).join(' ')
    const text = `LC_ALL=C; export LC_ALL\nset -- ${quoted}\n${script}\n`
    const answer = await this.ssh(['-S', control, '-T'], ['/bin/sh'], text)
    // 255 is ssh's own failure; a command that ends so is not among ours.
    if (answer.code !== 255) return answer
    this.forget()
    throw sshUnreachable(this.options.destination, answer.stderr)
  }

  /** A private local socket (path) that leads to the socket `remote` there. */
  forwardSocket(remote: string): Promise<string> {
    return this.forward(remote, ({ folder }, number) =>
      Promise.resolve({ local: join(folder, `f${number}`), rule: 'socket' })
    )
  }

  /** A free port of 127.0.0.1 here that leads to `port` of 127.0.0.1 there. */
  async forwardPort(port: number): Promise<number> {
    const local = await this.forward(`127.0.0.1:${port}`, async () => ({
      local: String(await freePort()),
      rule: 'port'
    }))
    return Number(local)
  }

  /** Cuts the connection; the next question opens it again. */
  async close(): Promise<void> {
    const master = await this.master?.catch(() => null)
    this.master = null
    if (master !== null && master !== undefined) await end(master)
  }

  private forget(): void {
    const old = this.master
    this.master = null
    void old?.then(end, () => {})
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
    const answer = await this.ssh(
      ['-S', master.control, '-O', 'forward', '-L', `${from}:${remote}`],
      [],
      ''
    )
    if (answer.code === 0) return local
    throw sshUnreachable(this.options.destination, answer.stderr)
  }

  private open(): Promise<Master> {
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
    const master: Master = { child, folder, control, forwards: new Map() }
    try {
      await this.connected(child)
    } catch (thrown) {
      await end(master)
      throw thrown
    }
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

  private ssh(
    flags: readonly string[],
    command: readonly string[],
    input: string
  ): Promise<ShellAnswer> {
    const { destination } = this.options
    return new Promise((resolve, reject) => {
      const child = spawn('ssh', [...this.common(), ...flags, '--', destination, ...command], {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: quietEnvironment()
      })
      const stdout: Buffer[] = []
      const stderr: Buffer[] = []
      child.stdout.on('data', (piece: Buffer) => stdout.push(piece))
      child.stderr.on('data', (piece: Buffer) => stderr.push(piece))
      child.once('error', () => {
        reject(sshMissing(destination))
      })
      child.once('close', (code) => {
        resolve({
          code: code ?? 255,
          stdout: Buffer.concat(stdout),
          stderr: Buffer.concat(stderr).toString()
        })
      })
      // It may end before it read everything; how it ended says why.
      child.stdin.on('error', () => {})
      child.stdin.end(input)
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  })
}
