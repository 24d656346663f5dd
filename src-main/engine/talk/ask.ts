import { createParser } from 'eventsource-parser'
import { type Clock, fail, messageOf, redactor } from '../lib'
import { headerText, type ServiceAccess } from '../stacks'
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
  const streamed = isStreamed(response, question)
  let whole = !streamed
  for await (const piece of piecesOf(response, options, streamed)) {
    switch (piece.kind) {
      case 'text':
        firstAfter ??= clock.ticks() - begun
        yield piece
        break
      case 'receipt':
        receipt = piece.id
        break
      case 'end':
        whole = true
        break
      case 'broken':
        brokenOff(question, piece.words)
    }
  }
  if (!whole) brokenOff(question, 'the stream ended before the answer did')
  const took = clock.ticks() - begun
  yield {
    kind: 'done',
    receipt,
    releaseId: response.headers.get('x-reef-release-id'),
    firstAfter: firstAfter ?? took,
    took
  }
}

function brokenOff({ form }: Question, words: string, cause?: unknown): never {
  return fail(
    {
      code: 'answer-broken',
      what: { en: 'The answer broke off.', zh: '回答中断了。' },
      where: ROUTES[form],
      detail: words,
      remedy: { en: 'Ask again; see the log for why.', zh: '请重新提问；原因请查看日志。' }
    },
    cause
  )
}

/** The reason `fetch` hides in the cause. It may quote a header, so the token is hidden in it. */
function reasonOf(cause: unknown, token: string | null): string {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
  return redactor(token === null ? [] : [token])(messageOf(inner))
}

/** A service may answer whole although a stream was asked for, and the other way round: it says which. */
function isStreamed(response: Response, { stream }: Question): boolean {
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('event-stream')) return true
  return stream && !/json|html/.test(type)
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
        ...(scenario === null ? {} : { 'x-reef-scenario': headerText(scenario) }),
        ...(access.token === null ? {} : { authorization: `Bearer ${access.token}` }),
        ...(release === undefined ? {} : { 'x-practice-release': release }),
        ...(question.form === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {})
      },
      body: JSON.stringify(bodyOf(question)),
      ...(signal === undefined ? {} : { signal })
    })
  } catch (cause) {
    return fail(
      {
        code: 'service-away',
        what: { en: 'The service did not answer.', zh: '服务没有应答。' },
        where: `${access.address}${route}`,
        detail: reasonOf(cause, access.token),
        remedy: {
          en: 'See whether it is still running (in the Stack tab, or with `slipway show RUN`), then ask again.',
          zh: '请查看它是否仍在运行（“运行栈”标签页，或 `slipway show RUN`），然后重新提问。'
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

/** What comes, as it comes. A connection that is cut on the way is the answer's failure, not one of ours. */
async function* piecesOf(
  response: Response,
  options: AskOptions,
  streamed: boolean
): AsyncGenerator<Piece, void, undefined> {
  const { access, question, signal } = options
  const pieces = streamed ? streamPieces(response, question) : wholePieces(response, question)
  try {
    for await (const piece of pieces) yield piece
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    brokenOff(question, reasonOf(cause, access.token), cause)
  }
}

async function* wholePieces(
  response: Response,
  { form }: Question
): AsyncGenerator<Piece, void, undefined> {
  yield* readPieces(form, await response.text())
}

async function* streamPieces(
  response: Response,
  { form }: Question
): AsyncGenerator<Piece, void, undefined> {
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
