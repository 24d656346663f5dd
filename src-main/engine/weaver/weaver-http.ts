import { type Clock, messageOf, pause } from '../lib'
import { refused, unanswered, unreadable } from './weaver-failure'

/** The SDK's own default server (`weaver/config.py`). */
export const WEAVER_SERVER = 'https://weaver-console.nex-agi.cn'

const REQUEST_MS = 60_000
const TRIES = 4
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

export interface WeaverAccess {
  server: string
  key: string
  clock: Clock
  /** How often a question is asked before it counts as not answered; absent: four times. */
  tries?: number
}

interface Request {
  method: 'GET' | 'PATCH' | 'POST'
  path: string
  body?: unknown
  signal?: AbortSignal | undefined
}

/**
 * One call of the REST API. A refusal for being too fast is waited out as long as the service asks; other troubles of
 * the service are tried again only where asking twice does no more than asking once.
 * @throws FailureError `weaver-…`
 */
export async function callWeaver(access: WeaverAccess, request: Request): Promise<unknown> {
  const { clock } = access
  const where = `${request.method} ${request.path}`
  const again = request.method !== 'POST'
  for (let turn = 1; ; turn += 1) {
    const answer = await once(access, request)
    if (answer.kind === 'ok') return parsed(answer.text, where)
    const last = turn >= (access.tries ?? TRIES) || request.signal?.aborted === true
    if (answer.kind === 'away') {
      if (last || !again || answer.late) throw unanswered(where, answer.why, access.key, again)
      await pause(clock, backOff(turn), request.signal)
      continue
    }
    const slow = answer.status === 429
    if (last || !(slow || (again && answer.status >= 500)))
      throw refused(answer.status, answer.text, where, access.key)
    await pause(clock, answer.after ?? backOff(turn), request.signal)
  }
}

function backOff(turn: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (turn - 1))
}

type Answer =
  | { kind: 'ok'; text: string }
  | { kind: 'refused'; status: number; text: string; after: number | null }
  /** `late`: it was there and said nothing for a minute. Asking it thrice more would take minutes without a word. */
  | { kind: 'away'; why: string; late: boolean }

async function once(access: WeaverAccess, request: Request): Promise<Answer> {
  const stop = new AbortController()
  const abort = (): void => {
    stop.abort()
  }
  let late = false
  const cancel = access.clock.after(REQUEST_MS, () => {
    late = true
    abort()
  })
  request.signal?.addEventListener('abort', abort, { once: true })
  if (request.signal?.aborted === true) stop.abort()
  try {
    const response = await fetch(`${access.server}/api/v1${request.path}`, {
      method: request.method,
      headers: {
        'X-WEAVER-API-KEY': access.key,
        accept: 'application/json',
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' })
      },
      // A redirect would carry the key to wherever it points.
      redirect: 'error',
      signal: stop.signal,
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) })
    })
    const text = await response.text()
    return response.ok
      ? { kind: 'ok', text }
      : { kind: 'refused', status: response.status, text, after: retryAfter(response.headers) }
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.cause : undefined
    const why = late
      ? `no answer within ${REQUEST_MS / 1000} s`
      : messageOf(cause === undefined ? thrown : cause)
    return { kind: 'away', why, late }
  } finally {
    cancel()
    request.signal?.removeEventListener('abort', abort)
  }
}

/** Seconds in `Retry-After` as milliseconds, at most a minute; null when it says nothing. */
function retryAfter(headers: Headers): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(60_000, seconds * 1000) : null
}

function parsed(text: string, where: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw unreadable(where, messageOf(thrown))
  }
}
