import type { Alert, WebhookStatus } from '../../contract/alerts'
import type { Text } from '../../contract/text'
import { type Clock, fail, messageOf, pause, redactor } from '../lib'

/** The address is a secret: whoever has it can write to the place behind it. */
export const WEBHOOK = 'SLIPWAY_WEBHOOK_URL'

/** Milliseconds until an answer is given up. */
const DEADLINE_MS = 10_000
/** Milliseconds before each further try: a chat service that is being restarted loses no alert. */
const AGAIN_MS = [2000, 15_000]

export interface WebhookOptions {
  clock: Clock
  /** Value of a secret by name, the environment first; null when there is none. */
  secret: (name: string) => Promise<string | null>
  /** Keeps a secret in the system's keyring; null where there is no window to do it. */
  store: ((name: string, value: string | null) => Promise<void>) | null
  /** Why the system keeps no secrets; null when it does. */
  cannotStore: () => Promise<Text | null>
  environment: Readonly<Record<string, string | undefined>>
  againMs?: readonly number[]
}

const redact = redactor([])

/** What is posted: a sentence under `text`, as chat services read it, and the alert in parts. No secret, no prompt. */
export function webhookBody({ at, run, runName, kind, text, step }: Alert): string {
  return JSON.stringify({
    text: redact(`${runName}: ${text.en}`),
    alert: {
      kind,
      run,
      step,
      at: new Date(at).toISOString(),
      name: redact(runName),
      en: redact(text.en),
      zh: redact(text.zh)
    }
  })
}

/** Whether an address can be posted to; plain http only to this machine, as the address itself is a secret. */
export function isWebhookAddress(address: string): boolean {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    // Not an address at all.
    return false
  }
  if (url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
}

type Sent = { ok: true } | { ok: false; why: Text; again: boolean }

async function post(address: string, body: string, signal: AbortSignal): Promise<Sent> {
  const late = AbortSignal.timeout(DEADLINE_MS)
  const stop = new AbortController()
  const end = (): void => {
    stop.abort()
  }
  signal.addEventListener('abort', end, { once: true })
  late.addEventListener('abort', end, { once: true })
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      // The address is for one place only: it is not carried on to another.
      redirect: 'manual',
      signal: stop.signal
    })
    await answer.body?.cancel()
    if (answer.ok) return { ok: true }
    return {
      ok: false,
      why: { en: `It answered ${answer.status}.`, zh: `它返回了 ${answer.status}。` },
      again: answer.status === 429 || answer.status >= 500
    }
  } catch (cause) {
    const said = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
    // A message may repeat the address.
    const why = messageOf(said).replaceAll(address, WEBHOOK)
    return {
      ok: false,
      why: { en: `It could not be reached: ${why}.`, zh: `无法连接：${why}。` },
      again: true
    }
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Posts alerts to an address the person has given. The address is looked up for each use and kept nowhere. */
export class Webhook {
  private last: WebhookStatus['last'] = null
  private readonly aborter = new AbortController()
  private readonly sending = new Set<Promise<unknown>>()

  constructor(private readonly options: WebhookOptions) {}

  async status(): Promise<WebhookStatus> {
    const { environment, secret, cannotStore } = this.options
    const set = (environment[WEBHOOK] ?? '') !== ''
    const address = set ? 'environment' : (await secret(WEBHOOK)) === null ? 'missing' : 'stored'
    return { address, cannotStore: await cannotStore(), last: this.last }
  }

  /** Keeps the address, or with null forgets it. FailureError for one that cannot be posted to. */
  async setAddress(address: string | null): Promise<WebhookStatus> {
    const { store, cannotStore } = this.options
    const why = await cannotStore()
    if (store === null || (why !== null && address !== null)) {
      fail({
        code: 'secret-not-stored',
        what: why ?? {
          en: 'Only the window can keep an address.',
          zh: '只有窗口程序可以保存地址。'
        },
        where: WEBHOOK,
        remedy: {
          en: `Set ${WEBHOOK} in the environment Slipway is started in.`,
          zh: `请在启动 Slipway 的环境中设置 ${WEBHOOK}。`
        }
      })
    }
    const clean = address?.trim() ?? null
    if (clean !== null && !isWebhookAddress(clean)) {
      fail({
        code: 'webhook-malformed',
        what: {
          en: 'This is no address Slipway posts to.',
          zh: 'Slipway 不会向此地址发送。'
        },
        where: WEBHOOK,
        remedy: {
          en: 'Write an https address without a name or password in it; http only for this computer.',
          zh: '请填写不含用户名和密码的 https 地址；http 仅限本机。'
        }
      })
    }
    await store(WEBHOOK, clean)
    this.last = null
    return this.status()
  }

  /** Posts one alert, trying again where that may help. Never rejects; how it went is in `status`. */
  async send(alert: Alert): Promise<void> {
    const work = this.deliver(webhookBody(alert))
    this.sending.add(work)
    await work
    this.sending.delete(work)
  }

  /** Gives up what is being posted. */
  async dispose(): Promise<void> {
    this.aborter.abort()
    await Promise.all(this.sending)
  }

  private async deliver(body: string): Promise<void> {
    const { clock, againMs = AGAIN_MS } = this.options
    const { signal } = this.aborter
    let address: string | null
    try {
      address = await this.options.secret(WEBHOOK)
    } catch (cause) {
      console.error(`[slipway] webhook: ${messageOf(cause)}`)
      return
    }
    if (address === null || address === '') return
    if (!isWebhookAddress(address)) {
      this.note({ en: `${WEBHOOK} is no address to post to.`, zh: `${WEBHOOK} 不是可发送的地址。` })
      return
    }
    for (let turn = 0; ; turn += 1) {
      const sent = await post(address, body, signal)
      if (signal.aborted) return
      this.note(sent.ok ? null : sent.why)
      const wait = againMs[turn]
      if (sent.ok || !sent.again || wait === undefined) return
      await pause(clock, wait, signal)
      if (signal.aborted) return
    }
  }

  private note(why: Text | null): void {
    this.last = { at: this.options.clock.now(), why }
  }
}
