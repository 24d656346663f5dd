import { messageOf } from '../lib'

const DEADLINE_MS = 4_000
/** 8 MB: the metrics of a large engine are some hundred kilobytes. */
const MOST = 8_000_000

export type Got =
  { kind: 'ok'; text: string } | { kind: 'status'; status: number } | { kind: 'away'; why: string }

/** Asks one address, reading only. Never rejects. */
export async function httpGet(url: string, signal: AbortSignal): Promise<Got> {
  const aborter = new AbortController()
  const abort = (): void => {
    aborter.abort()
  }
  const timer = setTimeout(abort, DEADLINE_MS)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    const answer = await fetch(url, { signal: aborter.signal, redirect: 'error' })
    if (!answer.ok) {
      await answer.body?.cancel()
      return { kind: 'status', status: answer.status }
    }
    const text = await answer.text()
    return text.length > MOST
      ? { kind: 'away', why: 'the answer is too large' }
      : { kind: 'ok', text }
  } catch (cause) {
    const said = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
    return { kind: 'away', why: messageOf(said) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/** The answer's text as JSON; null for anything that is none. */
export function jsonOf(got: Got): unknown {
  if (got.kind !== 'ok') return null
  try {
    return JSON.parse(got.text)
  } catch {
    // Some other program's page.
    return null
  }
}
