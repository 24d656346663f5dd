import { createParser } from 'eventsource-parser'
import { type Clock, fail, messageOf } from '../lib'
import type { ServiceAccess } from '../stacks'
import { bodyOf, type Piece, type Question, readPieces, ROUTES } from './answer-forms'
import { refused } from './refusals'

/** Pieces of an answer, then its end; the release is named by id only. Times in milliseconds. */
export type Heard =
  | { kind: 'text'; text: string }
  | {
      kind: 'done'
      receipt: string | null
      releaseId: string | null
      firstAfter: number
      took: number
    }

export interface AskOptions {
  access: Pick<ServiceAccess, 'address' | 'token'>
  /** Null: the service knows no scenarios. */
  scenario: string | null
  question: Question
  /** Id of the release to answer from; only the practice stack understands it. */
  release?: string | undefined
  clock: Clock
  signal?: AbortSignal | undefined
}

/** Asks as a client library would and hands on what comes, as it comes. Ends early when the signal aborts. */
export async function* ask(options: AskOptions): AsyncGenerator<Heard, void, undefined> {
  const { clock, question } = options
  const begun = clock.ticks()
  const response = await send(options)
  let receipt = response.headers.get('x-reef-agent-record-id')
  let firstAfter: number | null = null
  for await (const piece of piecesOf(response, question)) {
    switch (piece.kind) {
      case 'text':
        firstAfter ??= clock.ticks() - begun
        yield piece
        break
      case 'receipt':
        receipt = piece.id
        break
      case 'broken':
        fail({
          code: 'answer-broken',
          what: { en: 'The answer broke off.', zh: '回答中断了。' },
          where: ROUTES[question.form],
          detail: piece.words,
          remedy: { en: 'Ask again; see the log for why.', zh: '请重新提问；原因请查看日志。' }
        })
    }
  }
  const took = clock.ticks() - begun
  yield {
    kind: 'done',
    receipt,
    releaseId: response.headers.get('x-reef-release-id'),
    firstAfter: firstAfter ?? took,
    took
  }
}

async function send({
  access,
  scenario,
  question,
  release,
  signal
}: AskOptions): Promise<Response> {
  const route = ROUTES[question.form]
  let response: Response
  try {
    response = await fetch(`${access.address}${route}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(scenario === null ? {} : { 'x-reef-scenario': scenario }),
        ...(access.token === null ? {} : { authorization: `Bearer ${access.token}` }),
        ...(release === undefined ? {} : { 'x-practice-release': release }),
        ...(question.form === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {})
      },
      body: JSON.stringify(bodyOf(question)),
      ...(signal === undefined ? {} : { signal })
    })
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
    return fail(
      {
        code: 'service-away',
        what: { en: 'The service did not answer.', zh: '服务没有应答。' },
        where: `${access.address}${route}`,
        detail: messageOf(inner),
        remedy: {
          en: 'See the Stack tab for whether it is still running, then ask again.',
          zh: '请在“训练栈”标签页查看它是否仍在运行，然后重新提问。'
        }
      },
      cause
    )
  }
  if (!response.ok) {
    const words = (await response.text()).slice(0, 2000)
    throw refused(response.status, words, route, 'ask-refused')
  }
  return response
}

async function* piecesOf(
  response: Response,
  { form, stream }: Question
): AsyncGenerator<Piece, void, undefined> {
  if (!stream) {
    yield* readPieces(form, await response.text())
    return
  }
  const waiting: Piece[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      waiting.push(...readPieces(form, data))
    }
  })
  const decoder = new TextDecoder()
  for await (const bytes of chunksOf(response)) {
    parser.feed(decoder.decode(bytes, { stream: true }))
    yield* waiting.splice(0)
  }
  parser.feed(`${decoder.decode()}\n\n`)
  yield* waiting.splice(0)
}

/** A web stream is not iterable everywhere the engine runs. Leaving early lets go of the connection. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const read: { done: boolean; value?: unknown } = await reader.read()
      if (read.done) return
      if (read.value instanceof Uint8Array) yield read.value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
