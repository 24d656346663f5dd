/** The agent's side: chat completions in OpenAI's form, messages in Anthropic's, each also streamed. */
import { randomUUID } from 'node:crypto'
import { answerPrompt } from '../model/policy.mjs'
import { RandomStream } from '../model/random.mjs'
import { badRequest, RequestError } from './errors.mjs'
import { readJson, route, scenarioHeader, sendJson } from './server.mjs'

/** @typedef {import('./server.mjs').Exchange} Exchange */
/** @typedef {import('./service.mjs').Service} Service */

/** @param {Service} service */
export function inferenceRoutes(service) {
  const sampling = new RandomStream(`${service.runtime.seed}/sampling/${service.incarnation}`)
  return [
    route('POST', '/v1/chat/completions', (exchange) => openAi(service, exchange, sampling)),
    route('POST', '/v1/messages', (exchange) => anthropic(service, exchange, sampling)),
    route('GET', '/v1/models', async (exchange) => {
      const model = { id: service.modelName, object: 'model', created: 0, owned_by: 'practice' }
      sendJson(exchange, 200, { object: 'list', data: [model] })
    })
  ]
}

/**
 * Text of the last user message; a message's content is a text or a list of parts.
 * @param {unknown} messages
 * @returns {string}
 */
export function promptOf(messages) {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw badRequest('messages must be a non-empty list')
  }
  const users = messages.filter((message) => message?.role === 'user')
  const content = (users.at(-1) ?? messages.at(-1))?.content
  if (typeof content === 'string') return content
  if (!Array.isArray(content))
    throw badRequest('message content must be a string or a list of parts')
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('')
}

/**
 * @param {unknown} value
 * @param {number} fallback
 */
function temperatureOf(value, fallback) {
  if (value === undefined || value === null) return fallback
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > 2) {
    throw badRequest('temperature must be a number between 0 and 2')
  }
  return value
}

/** @param {unknown} value */
function tokenLimit(value) {
  if (value === undefined || value === null) return Infinity
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw badRequest('max_tokens must be a positive integer')
  }
  return value
}

/**
 * The release a request is answered from: the served one, or the one the practice-only header names.
 * @param {import('../store/scenario.mjs').Scenario} scenario
 * @param {Exchange} exchange
 */
function releaseFor(scenario, { request }) {
  const bound = request.headers['x-reef-release-id']
  const start = scenario.releases[0]
  if (typeof bound === 'string' && bound !== start?.releaseId) {
    throw new RequestError(
      409,
      `scenario '${scenario.name}' is bound to release '${start?.releaseId}', not '${bound}'`,
      'ArtifactConflict'
    )
  }
  const wanted = request.headers['x-practice-release']
  return wanted === undefined ? scenario.head : scenario.findRelease(String(wanted))
}

/**
 * Answers and records.
 * @param {Service} service
 * @param {Exchange} exchange
 * @param {Record<string, any>} body
 * @param {RandomStream} sampling
 */
async function answer(service, exchange, body, sampling) {
  const scenario = await service.scenarios.forRequest(scenarioHeader(exchange))
  const release = releaseFor(scenario, exchange)
  const adapter = await service.loop.adapterOf(release)
  const prompt = promptOf(body.messages)
  const limit = tokenLimit(body.max_completion_tokens ?? body.max_tokens)
  const drawn = answerPrompt(service.base, adapter, prompt, {
    temperature: temperatureOf(body.temperature, 1),
    random: typeof body.seed === 'number' ? new RandomStream(body.seed) : sampling,
    ...(limit === Infinity ? {} : { maxTokens: limit })
  })
  const record = await scenario.addRecord({
    id: null,
    type: 'inference',
    references: [],
    score: null,
    release,
    cell: null,
    payload: {
      request: body,
      response: { text: drawn.text },
      tags: tagsOf(exchange),
      practice: { prompt, tokens: drawn.tokens, log_probabilities: drawn.logProbabilities }
    }
  })
  service.served += 1
  const usage = { prompt: prompt.split(/\s+/).length, completion: drawn.tokens.length }
  const model = typeof body.model === 'string' ? body.model : service.modelName
  return { text: drawn.text, receipt: record.id, release, usage, model }
}

/** @param {Exchange} exchange */
function tagsOf({ request }) {
  const tags = Object.entries(request.headers).filter(([name]) => name.startsWith('x-reef-tag-'))
  return Object.fromEntries(tags.map(([name, value]) => [name.slice('x-reef-tag-'.length), value]))
}

/**
 * @param {Service} service
 * @param {Exchange} exchange
 * @param {RandomStream} sampling
 */
async function openAi(service, exchange, sampling) {
  const body = await readJson(exchange)
  if ((body.n ?? 1) !== 1) throw badRequest('n must be 1')
  const drawn = await answer(service, exchange, body, sampling)
  const usage = {
    prompt_tokens: drawn.usage.prompt,
    completion_tokens: drawn.usage.completion,
    total_tokens: drawn.usage.prompt + drawn.usage.completion
  }
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: drawn.model
  }
  const releaseHeader = { 'x-reef-release-id': drawn.release.releaseId }
  if (body.stream !== true) {
    const message = { role: 'assistant', content: drawn.text }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
    const receipt = { 'x-reef-agent-record-id': drawn.receipt, ...releaseHeader }
    sendJson(exchange, 200, { ...head, object: 'chat.completion', choices, usage }, receipt)
    return
  }
  startEvents(exchange, releaseHeader)
  /** @type {(delta: object, finish: string | null, more?: object) => void} */
  const chunk = (delta, finish, more = {}) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
    const data = { ...head, object: 'chat.completion.chunk', choices, ...more }
    exchange.response.write(`data: ${JSON.stringify(data)}\n\n`)
  }
  const reef = { reef: { agent_record_id: drawn.receipt } }
  const withUsage = body.stream_options?.include_usage === true
  chunk({ role: 'assistant', content: '' }, null)
  for (const letter of drawn.text) chunk({ content: letter }, null)
  chunk({}, 'stop', withUsage ? {} : reef)
  if (withUsage) {
    const last = { ...head, object: 'chat.completion.chunk', choices: [], usage, ...reef }
    exchange.response.write(`data: ${JSON.stringify(last)}\n\n`)
  }
  exchange.response.end('data: [DONE]\n\n')
}

/**
 * @param {Exchange} exchange
 * @param {Record<string, string>} headers
 */
function startEvents({ response }, headers) {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache',
    ...headers
  })
}

/**
 * @param {Service} service
 * @param {Exchange} exchange
 * @param {RandomStream} sampling
 */
async function anthropic(service, exchange, sampling) {
  const body = await readJson(exchange)
  const drawn = await answer(service, exchange, body, sampling)
  const message = {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model: drawn.model,
    content: /** @type {object[]} */ ([]),
    stop_reason: /** @type {string | null} */ (null),
    stop_sequence: null,
    usage: { input_tokens: drawn.usage.prompt, output_tokens: 0 }
  }
  const usage = { ...message.usage, output_tokens: drawn.usage.completion }
  const releaseHeader = { 'x-reef-release-id': drawn.release.releaseId }
  if (body.stream !== true) {
    const content = [{ type: 'text', text: drawn.text }]
    const receipt = { 'x-reef-agent-record-id': drawn.receipt, ...releaseHeader }
    sendJson(exchange, 200, { ...message, content, stop_reason: 'end_turn', usage }, receipt)
    return
  }
  startEvents(exchange, releaseHeader)
  /** @type {(type: string, more: object) => void} */
  const event = (type, more) => {
    exchange.response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`)
  }
  event('message_start', { message })
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  event('ping', {})
  for (const letter of drawn.text) {
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: letter } })
  }
  event('content_block_stop', { index: 0 })
  event('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: usage.output_tokens }
  })
  event('message_stop', { reef: { agent_record_id: drawn.receipt } })
  exchange.response.end()
}
