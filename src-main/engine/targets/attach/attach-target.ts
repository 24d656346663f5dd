import type { Text } from '../../../contract/text'
import type { TargetSpec, TargetStatus } from '../../../contract/targets'
import { fail, messageOf, systemClock, type Clock } from '../../lib'
import { obstacleOf } from '../docker/docker-failure'
import type { FileAccess, Listening, Liveness, Remains, StackHandle, Target } from '../target'

interface AttachSurroundings {
  secret?: (name: string) => Promise<string | null>
  clock?: Clock
}

const DEADLINE_MS = 10_000

/** What the address answered when asked for its health. */
export type AttachAnswer =
  | { kind: 'answer'; status: number; server: string | null; body: string }
  | { kind: 'error'; thrown: unknown; late: boolean }

/**
 * What an answer to `GET /reef/status` means (Reef's own route, so that another web server is told apart); null when
 * a Reef is there and lets us in. Pure.
 */
export function attachObstacle(address: string, answer: AttachAnswer): Text | null {
  if (answer.kind === 'error') return connectionWords(address, answer.thrown, answer.late)
  const { status, body, server } = answer
  if (status === 401 || status === 403)
    return {
      en: `There is a service at ${address}, but it does not accept the token.`,
      zh: `${address} 有服务，但不接受此令牌。`
    }
  if (status >= 200 && status < 300 && isJsonObject(body)) return null
  const who = server === null ? '' : ` (${server})`
  return {
    en: `What answers at ${address}${who} is not a Reef: /reef/status gives ${status}.`,
    zh: `${address}${who} 应答的不是 Reef:/reef/status 返回 ${status}。`
  }
}

function connectionWords(address: string, thrown: unknown, late: boolean): Text {
  switch (obstacleOf(causeOf(thrown), late)) {
    case 'not-running':
      return { en: `Nobody listens at ${address}.`, zh: `${address} 没有服务在监听。` }
    case 'name-unknown':
      return { en: `The name in ${address} is not known.`, zh: `${address} 中的主机名无法解析。` }
    case 'no-answer':
      return { en: `${address} does not answer in time.`, zh: `${address} 未在限时内应答。` }
    case 'certificate':
      return { en: `The certificate of ${address} is not valid.`, zh: `${address} 的证书无效。` }
    case 'absent':
    case 'permission':
    case 'not-docker':
    case 'network':
    case 'cut':
      return { en: `There is no connection to ${address}.`, zh: `无法连接 ${address}。` }
  }
}

/** fetch hides the system's error below its own. */
function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    // An HTML page: another server.
    return false
  }
}

function refuse(): never {
  return fail({
    code: 'attached-not-ours',
    what: {
      en: 'This stack is run by someone else: it can be watched here, not started or stopped.',
      zh: '此运行栈由他人运行：这里只能观察，不能启动或停止。'
    }
  })
}

/** The machine of an attached Reef is not ours to look at: its files are unknown, which is not the same as absent. */
const NO_FILES: FileAccess = {
  stat: () => refuseFiles(),
  statfs: () => refuseFiles(),
  list: () => refuseFiles(),
  read: () => refuseFiles(),
  digest: () => refuseFiles(),
  follow: () => () => {}
}

function refuseFiles(): Promise<never> {
  return Promise.resolve().then(() =>
    fail({
      code: 'files-not-reachable',
      what: {
        en: 'The files of an attached stack cannot be read from here.',
        zh: '无法从此处读取所连接运行栈的文件。'
      }
    })
  )
}

/** A Reef that someone else runs: an address and the name of a token. */
export class AttachTarget implements Target {
  readonly files = NO_FILES
  readonly images = null
  private readonly clock: Clock

  constructor(
    readonly spec: Extract<TargetSpec, { kind: 'attach' }>,
    private readonly surroundings: AttachSurroundings
  ) {
    this.clock = surroundings.clock ?? systemClock
  }

  async probe(signal: AbortSignal): Promise<TargetStatus> {
    const began = this.clock.ticks()
    const answer = await this.ask(signal)
    const why = attachObstacle(this.spec.address, answer)
    const said = answer.kind === 'error' ? messageOf(causeOf(answer.thrown)) : undefined
    return {
      spec: this.spec,
      found: false,
      reachable: why === null ? 'yes' : 'no',
      why,
      remedy: null,
      ...(said === undefined ? {} : { said }),
      took: this.clock.ticks() - began,
      engine: why === null ? 'Reef' : null,
      version: null,
      gpus: [],
      freeBytes: null
    }
  }

  start(): Promise<StackHandle> {
    return Promise.resolve().then(refuse)
  }

  async look(): Promise<Liveness> {
    const answer = await this.ask(new AbortController().signal)
    const why = attachObstacle(this.spec.address, answer)
    // Nobody answering says nothing about a stack that is not ours to see.
    return why === null ? { kind: 'running' } : { kind: 'unreachable', why: why.en }
  }

  onExit(): () => void {
    return () => {}
  }

  askToStop(): Promise<void> {
    return Promise.resolve().then(refuse)
  }

  kill(): Promise<void> {
    return Promise.resolve().then(refuse)
  }

  remove(): Promise<void> {
    return Promise.resolve()
  }

  copyOutput(): () => Promise<void> {
    return () => Promise.resolve()
  }

  reach(): Promise<string> {
    return Promise.resolve(this.spec.address.replace(/\/+$/, ''))
  }

  /** Whoever answers at the address the person gave is the stack. */
  listening(): Promise<Listening> {
    return Promise.resolve('ours')
  }

  remains(): Promise<Remains> {
    return Promise.resolve({ container: null, processes: [], ports: null })
  }

  findOwn(): Promise<[]> {
    return Promise.resolve([])
  }

  dispose(): Promise<void> {
    return Promise.resolve()
  }

  private async ask(signal: AbortSignal): Promise<AttachAnswer> {
    const { tokenName } = this.spec
    const token =
      tokenName === null ? null : ((await this.surroundings.secret?.(tokenName)) ?? null)
    const controller = new AbortController()
    const abort = (): void => {
      controller.abort()
    }
    signal.addEventListener('abort', abort, { once: true })
    let late = false
    const cancel = this.clock.after(DEADLINE_MS, () => {
      late = true
      abort()
    })
    try {
      const answer = await fetch(`${await this.reach()}/reef/status`, {
        signal: controller.signal,
        // A token must not follow a redirection to another machine.
        redirect: 'manual',
        headers: token === null ? {} : { authorization: `Bearer ${token}` }
      })
      const body = await answer.text()
      return { kind: 'answer', status: answer.status, server: answer.headers.get('server'), body }
    } catch (thrown) {
      return { kind: 'error', thrown, late }
    } finally {
      cancel()
      signal.removeEventListener('abort', abort)
    }
  }
}
