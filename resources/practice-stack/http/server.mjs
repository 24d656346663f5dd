/** HTTP without a framework: routing, the service token, bodies, errors as plain text. */
import { createServer } from 'node:http'
import { RequestError } from './errors.mjs'

/** @typedef {{ request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, url: URL, params: Record<string, string> }} Exchange */
/** @typedef {(exchange: Exchange) => Promise<void>} Handler */
/** @typedef {{ method: string, pattern: RegExp, names: string[], handler: Handler }} Route */

/** How long an open answer may take to end when the service stops. */
const CLOSE_MS = 3000
/** Longer than clients keep a quiet connection, so that none sends into one that is just closing. */
const KEEP_ALIVE_MS = 75000
const BODY_LIMIT = 64 * 1024 * 1024

/**
 * @param {string} method
 * @param {string} path with `{name}` for one segment
 * @param {Handler} handler
 * @returns {Route}
 */
export function route(method, path, handler) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`)
  return { method, pattern, names, handler }
}

/**
 * @param {Exchange} exchange
 * @param {number} status
 * @param {unknown} body
 * @param {Record<string, string>} [headers]
 */
export function sendJson(exchange, status, body, headers = {}) {
  const text = JSON.stringify(body)
  exchange.response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers
  })
  exchange.response.end(text)
}

/**
 * @param {Exchange} exchange
 * @returns {Promise<Record<string, any>>}
 */
export async function readJson(exchange) {
  const parts = []
  let size = 0
  for await (const part of exchange.request) {
    size += part.length
    if (size > BODY_LIMIT) throw new RequestError(413, 'Request Entity Too Large')
    parts.push(part)
  }
  let value
  try {
    value = JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    throw new RequestError(400, 'request body must be valid JSON')
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new RequestError(400, 'request body must be a JSON object')
  }
  return value
}

/**
 * Value of the scenario header, which is UTF-8 as aiohttp reads it; Node hands it on as one letter a byte.
 * @param {Exchange} exchange
 */
export function scenarioHeader(exchange) {
  const value = exchange.request.headers['x-reef-scenario']
  if (typeof value !== 'string' || value.trim() === '') {
    throw new RequestError(400, 'header x-reef-scenario is required')
  }
  return Buffer.from(value, 'latin1').toString('utf8').trim()
}

/**
 * Whole number of the query.
 * @param {Exchange} exchange
 * @param {string} name
 * @param {{ fallback: number, least: number, most: number }} bounds
 */
export function queryNumber({ url }, name, { fallback, least, most }) {
  const text = url.searchParams.get(name)
  if (text === null) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < least || value > most) {
    const range = most === Infinity ? `at least ${least}` : `between ${least} and ${most}`
    throw new RequestError(400, `${name} must be an integer ${range}`)
  }
  return value
}

export class HttpService {
  /**
   * @param {{ routes: Route[], tokens: string[], origins: string[], report: (line: string) => void }} options
   */
  constructor({ routes, tokens, origins, report }) {
    this.routes = routes
    this.tokens = tokens
    this.origins = origins
    this.report = report
    this.server = createServer((request, response) => void this.serve(request, response))
    this.server.keepAliveTimeout = KEEP_ALIVE_MS
  }

  /** @param {string} host @param {number} port @returns {Promise<void>} */
  listen(host, port) {
    return new Promise((done, failed) => {
      this.server.once('error', failed)
      this.server.listen(port, host, () => done())
    })
  }

  /** Lets open answers end and takes no more requests. @returns {Promise<void>} */
  close() {
    return new Promise((done) => {
      this.server.close(() => done())
      this.server.closeIdleConnections()
      setTimeout(() => this.server.closeAllConnections(), CLOSE_MS).unref()
    })
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async serve(request, response) {
    const url = new URL(request.url ?? '/', 'http://practice')
    /** @type {Exchange} */
    const exchange = { request, response, url, params: {} }
    try {
      if (this.answerOrigin(exchange)) return
      this.checkToken(exchange)
      await this.find(exchange)(exchange)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /**
   * Browser pages of listed origins only; clients without an origin are not concerned.
   * @param {Exchange} exchange
   * @returns {boolean} answered already (a preflight)
   */
  answerOrigin({ request, response }) {
    const { origin } = request.headers
    if (origin === undefined || this.origins.length === 0) return false
    if (!this.origins.includes(origin)) throw new RequestError(403, 'origin not allowed')
    response.setHeader('Access-Control-Allow-Origin', origin)
    response.setHeader('Vary', 'Origin')
    if (request.method !== 'OPTIONS') return false
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE')
    response.setHeader(
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, x-reef-scenario'
    )
    response.writeHead(204).end()
    return true
  }

  /** @param {Exchange} exchange */
  checkToken({ request, url }) {
    if (url.searchParams.has('token')) throw new RequestError(401, 'invalid service token')
    if (this.tokens.length === 0 || url.pathname === '/healthz') return
    const { authorization } = request.headers
    const key = request.headers['x-api-key']
    const given = authorization === undefined ? key : /^Bearer (.+)$/.exec(authorization)?.[1]
    if (typeof given !== 'string' || !this.tokens.includes(given)) {
      throw new RequestError(401, 'invalid service token')
    }
  }

  /** @param {Exchange} exchange @returns {Handler} */
  find(exchange) {
    const { pathname } = exchange.url
    let pathKnown = false
    for (const { method, pattern, names, handler } of this.routes) {
      const match = pattern.exec(pathname)
      if (match === null) continue
      pathKnown = true
      if (method !== exchange.request.method) continue
      names.forEach((name, index) => {
        exchange.params[name] = decodeSegment(match[index + 1] ?? '')
      })
      return handler
    }
    throw pathKnown
      ? new RequestError(405, '405: Method Not Allowed')
      : new RequestError(404, '404: Not Found')
  }

  /** @param {Exchange} exchange @param {unknown} error */
  fail({ request, response, url }, error) {
    const known = error instanceof RequestError
    const status = known ? error.status : 500
    const kind = known ? error.kind : error instanceof Error ? error.name : 'Error'
    const message = error instanceof Error ? error.message : String(error)
    this.report(
      `${request.method} ${url.pathname} failed with ${kind}: ${message} (HTTP ${status})`
    )
    if (response.headersSent) {
      response.destroy()
      return
    }
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' })
    response.end(known ? message : '500 Internal Server Error')
  }
}

/** @param {string} segment */
function decodeSegment(segment) {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new RequestError(400, `the path is not valid percent-encoding: ${segment}`)
  }
}
