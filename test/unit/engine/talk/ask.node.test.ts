import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { TalkForm } from '../../../../src-main/contract/talk'
import { FailureError, systemClock } from '../../../../src-main/engine/lib'
import { ReefClient } from '../../../../src-main/engine/stacks'
import { ask } from '../../../../src-main/engine/talk/ask'
import { z } from 'zod'

const TOKEN = 'token-of-this-test'
const EVENTS = { 'content-type': 'text/event-stream' }
const PIECE = 'data: {"choices":[{"delta":{"content":"fo"}}]}\n\n'
const LAST =
  'data: {"choices":[{"delta":{},"finish_reason":"stop"}],"reef":{"agent_record_id":"rec-1"}}\n\n'

let server: Server | undefined

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void
): Promise<string> {
  const made = createServer(answer)
  server = made
  await new Promise<void>((listening) => made.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`
}

afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((closed) => (server === undefined ? closed(null) : server.close(closed)))
  server = undefined
})

interface Said {
  text: string
  receipt: string | null
  failure: { code: string; detail: string } | null
}

async function hear(
  address: string,
  {
    stream = true,
    scenario = 'practice',
    form = 'openai',
    token = TOKEN
  }: { stream?: boolean; scenario?: string; form?: TalkForm; token?: string } = {}
): Promise<Said> {
  const said: Said = { text: '', receipt: null, failure: null }
  const turns = [{ role: 'user' as const, text: 'Hello' }]
  const question = { form, stream, model: 'm', turns }
  try {
    for await (const one of ask({
      access: { address, token },
      scenario,
      question,
      clock: systemClock
    })) {
      if (one.kind === 'text') said.text += one.text
      else said.receipt = one.receipt
    }
  } catch (thrown) {
    if (!(thrown instanceof FailureError)) throw thrown
    said.failure = { code: thrown.failure.code, detail: thrown.failure.detail ?? '' }
  }
  return said
}

describe('an answer that is cut off is said to be', () => {
  it('when the connection goes in the middle of the stream', async () => {
    const address = await serve((_request, response) => {
      response.writeHead(200, EVENTS)
      response.write(PIECE, () => response.socket?.destroy())
    })
    expect(await hear(address)).toMatchObject({
      text: 'fo',
      receipt: null,
      failure: { code: 'answer-broken' }
    })
  })

  it.each<[TalkForm, string]>([
    ['openai', PIECE],
    ['anthropic', 'data: {"type":"content_block_delta","delta":{"text":"fo"}}\n\n']
  ])('when the stream of %s ends properly, but without its last event', async (form, piece) => {
    const address = await serve((_request, response) => {
      response.writeHead(200, EVENTS).end(piece)
    })
    expect(await hear(address, { form })).toEqual({
      text: 'fo',
      receipt: null,
      failure: { code: 'answer-broken', detail: 'the stream ended before the answer did' }
    })
  })

  it('when a whole answer stops half-way', async () => {
    const address = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
      response.write('{"choices":[', () => response.socket?.destroy())
    })
    expect(await hear(address, { stream: false })).toMatchObject({
      failure: { code: 'answer-broken' }
    })
  })

  it('when a proxy answers with a page', async () => {
    const address = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>')
    })
    expect((await hear(address)).failure).toMatchObject({
      code: 'answer-broken',
      detail: '<html>Sign in</html>'
    })
  })
})

describe('an answer that is whole', () => {
  it('streamed, with its receipt', async () => {
    const address = await serve((_request, response) => {
      response.writeHead(200, EVENTS).end(`${PIECE}${LAST}data: [DONE]\n\n`)
    })
    expect(await hear(address)).toEqual({ text: 'fo', receipt: 'rec-1', failure: null })
  })

  it('in one piece, though a stream was asked for', async () => {
    const address = await serve((_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-reef-agent-record-id': 'rec-2'
      })
      response.end('{"choices":[{"message":{"content":"four"},"finish_reason":"stop"}]}')
    })
    expect(await hear(address)).toEqual({ text: 'four', receipt: 'rec-2', failure: null })
  })
})

describe('what stands in the headers', () => {
  it('a Chinese scenario reaches the service as UTF-8, by both ways to call it', async () => {
    const names: string[] = []
    const address = await serve((request, response) => {
      const header = String(request.headers['x-reef-scenario'])
      names.push(Buffer.from(header, 'latin1').toString('utf8'))
      response.writeHead(200, EVENTS).end(`${PIECE}${LAST}`)
    })
    expect((await hear(address, { scenario: '客服·夜班' })).failure).toBeNull()
    const client = new ReefClient(address, TOKEN, new AbortController().signal)
    await client.call('POST', '/reef/report', z.unknown(), {}, { 'x-reef-scenario': '客服·夜班' })
    expect(names).toEqual(['客服·夜班', '客服·夜班'])
  })

  it('a token that cannot stand in one is not quoted', async () => {
    const token = 'token-with\na-line-break'
    const { failure } = await hear('http://127.0.0.1:9', { token })
    expect(failure?.code).toBe('service-away')
    expect(failure?.detail).not.toContain('token-with')
    const client = new ReefClient('http://127.0.0.1:9', token, new AbortController().signal)
    expect(JSON.stringify(await client.health())).not.toContain('token-with')
  })
})
