import { randomUUID, timingSafeEqual } from 'node:crypto'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { platform, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { FailureError, messageOf } from '../lib'
import { type Act, ActReply, ActRequest, type ActResult } from './acts'

/** Longest request or reply line, in UTF-16 units. Notes are the largest thing that passes. */
const LONGEST_LINE = 4_000_000
/** Unix socket paths are cut at 104 bytes on macOS, 108 on Linux. */
const LONGEST_PATH = 100
/** An act may wait for a rollback to be served. */
const REPLY_MS = 120_000

/** Where this engine listens: in the home, or in a private temp folder when the home's path is too long for a socket. */
export async function socketAddress(home: string): Promise<string> {
  const name = `${randomUUID().slice(0, 13)}.sock`
  if (platform() === 'win32') return `\\\\.\\pipe\\slipway-${randomUUID()}`
  const inHome = join(home, 'engines', name)
  if (Buffer.byteLength(inHome) < LONGEST_PATH) {
    await mkdir(join(home, 'engines'), { recursive: true, mode: 0o700 })
    return inHome
  }
  const folder = join(tmpdir(), `slipway-${userInfo().uid}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  return join(folder, name)
}

function sameKey(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

async function answer(
  line: string,
  key: string,
  perform: (act: Act) => Promise<ActResult>
): Promise<ActReply> {
  let id = ''
  try {
    const request = ActRequest.parse(JSON.parse(line))
    id = request.id
    if (!sameKey(request.key, key)) {
      return {
        id,
        ok: false,
        failure: refused(
          'wrong-key',
          'The request does not carry the key of this engine.',
          '请求未携带本引擎的密钥。'
        )
      }
    }
    return { id, ok: true, result: await perform(request.act) }
  } catch (cause) {
    if (cause instanceof FailureError) return { id, ok: false, failure: cause.failure }
    return {
      id,
      ok: false,
      failure: {
        ...refused(
          'act-failed',
          'The engine that writes this run could not do it.',
          '写入该运行的引擎未能完成此操作。'
        ),
        detail: messageOf(cause)
      }
    }
  }
}

function refused(
  code: string,
  en: string,
  zh: string
): { code: string; what: { en: string; zh: string } } {
  return { code, what: { en, zh } }
}

/** Calls `line` for every whole line; a longer one than allowed ends the connection. */
function readLines(socket: Socket, line: (text: string) => void): void {
  let held = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    held += chunk
    for (let end = held.indexOf('\n'); end >= 0; end = held.indexOf('\n')) {
      const text = held.slice(0, end)
      held = held.slice(end + 1)
      line(text)
    }
    if (held.length > LONGEST_LINE) socket.destroy()
  })
}

/** The local door through which other engines of this machine ask for acts on the runs this one writes. */
export class ActServer {
  private constructor(
    private readonly server: Server,
    private readonly address: string,
    private readonly open: Set<Socket>
  ) {}

  static async listen(
    address: string,
    key: string,
    perform: (act: Act) => Promise<ActResult>
  ): Promise<ActServer> {
    const open = new Set<Socket>()
    const server = createServer((socket) => {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      // The asker went away: its act still runs to its end, only the answer has nobody to go to.
      socket.on('error', () => socket.destroy())
      readLines(socket, (text) => {
        void answer(text, key, perform).then((reply) => {
          if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`)
        })
      })
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(address, () => {
        server.removeListener('error', reject)
        resolve()
      })
    })
    if (platform() !== 'win32') await chmod(address, 0o600)
    // Listening must not keep a command alive that has nothing else to do.
    server.unref()
    return new ActServer(server, address, open)
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy()
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve()
      })
    })
    if (platform() !== 'win32') await rm(this.address, { force: true })
  }
}

/** Asks the engine behind `socket` for an act. Throws its FailureError, or one of our own when it cannot be reached. */
export async function sendAct(
  writer: { socket: string; key: string },
  act: Act
): Promise<ActResult> {
  const id = randomUUID()
  const reply = await exchange(writer.socket, `${JSON.stringify({ id, key: writer.key, act })}\n`)
  if (reply.ok) return reply.result
  throw new FailureError(reply.failure)
}

function exchange(address: string, line: string): Promise<ActReply> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(address)
    const give = (cause: unknown): void => {
      socket.destroy()
      reject(unreachable(address, cause, connected))
    }
    let connected = false
    socket.once('connect', () => {
      connected = true
    })
    socket.setTimeout(REPLY_MS, () => {
      give(new Error('no answer in time'))
    })
    socket.once('error', give)
    socket.once('close', () => {
      give(new Error('connection closed before an answer'))
    })
    readLines(socket, (text) => {
      try {
        resolve(ActReply.parse(JSON.parse(text)))
      } catch (cause) {
        reject(unreachable(address, cause, true))
      }
      socket.end()
    })
    socket.write(line)
  })
}

/** `connected`: the act may have been heard, so nobody may repeat it unasked. */
function unreachable(address: string, cause: unknown, connected: boolean): FailureError {
  return new FailureError(
    {
      code: connected ? 'writer-unreachable' : 'writer-gone',
      what: {
        en: 'Another Slipway on this machine holds this run, and it does not answer.',
        zh: '本机上的另一个 Slipway 正持有该运行，但没有应答。'
      },
      where: address,
      remedy: {
        en: 'Try again in a moment; if it stays silent, end that Slipway and try again. The stack itself goes on.',
        zh: '请稍后再试；若仍无应答，请结束那个 Slipway 后重试。运行栈本身不受影响。'
      },
      detail: messageOf(cause)
    },
    { cause }
  )
}
