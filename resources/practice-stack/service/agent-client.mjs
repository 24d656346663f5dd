/** The HTTP client of the traffic generator: an agent like any other, through the public routes. */
import http from 'node:http'
import { randomUUID } from 'node:crypto'

const RETRY_MS = 500

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

/**
 * As UTF-8 bytes, which is how services read it; Node takes one byte a letter.
 * @param {string} scenario
 */
const scenarioHeader = (scenario) => ({
  'x-reef-scenario': Buffer.from(scenario, 'utf8').toString('latin1')
})

export class AgentClient {
  /**
   * @param {import('../config/runtime.mjs').Runtime} runtime
   * @param {(line: string) => void} say
   */
  constructor(runtime, say) {
    this.host = runtime.host === '0.0.0.0' ? '127.0.0.1' : runtime.host
    this.port = runtime.port
    this.token = runtime.tokens[0]
    this.say = say
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 16 })
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {Record<string, string>} headers
   * @returns {Promise<{ status: number, headers: http.IncomingHttpHeaders, text: string }>}
   */
  once(method, path, body, headers) {
    const { host, port, agent, token } = this
    const auth = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    const content = body === undefined ? {} : { 'Content-Type': 'application/json' }
    return new Promise((done, failed) => {
      const options = {
        method,
        path,
        host,
        port,
        agent,
        headers: { ...auth, ...content, ...headers }
      }
      const request = http.request(options, (response) => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (part) => (text += part))
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, headers: response.headers, text })
        )
        response.on('error', failed)
      })
      request.on('error', failed)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  /**
   * Tries until the service answers; a refusal (4xx) is an error in the traffic itself.
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   */
  async call(method, path, body, headers = {}) {
    for (;;) {
      try {
        const answer = await this.once(method, path, body, headers)
        if (answer.status < 400) return answer
        if (answer.status < 500)
          throw new Refused(`${method} ${path}: HTTP ${answer.status} ${answer.text}`)
        this.say(`${method} ${path}: HTTP ${answer.status}, trying again`)
      } catch (error) {
        if (error instanceof Refused) throw error
        const reason = error instanceof Error ? error.message : String(error)
        this.say(`${method} ${path}: ${reason}, trying again`)
      }
      await pause(RETRY_MS)
    }
  }

  /**
   * Asks for one answer.
   * @param {string} scenario
   * @param {string} prompt
   * @param {number} seed of the sampling, so that a run can be repeated
   * @returns {Promise<{ text: string, receipt: string }>}
   */
  async ask(scenario, prompt, seed) {
    const messages = [{ role: 'user', content: prompt }]
    const headers = scenarioHeader(scenario)
    const body = { model: 'practice', messages, seed }
    const answer = await this.call('POST', '/v1/chat/completions', body, headers)
    const { choices } = JSON.parse(answer.text)
    return {
      text: choices[0].message.content,
      receipt: String(answer.headers['x-reef-agent-record-id'])
    }
  }

  /**
   * Reports a score; the id makes trying again safe.
   * @param {string} scenario
   * @param {string} receipt
   * @param {number} score
   * @param {object} metadata
   */
  async report(scenario, receipt, score, metadata) {
    const body = {
      agent_record_id: `report-${randomUUID()}`,
      score,
      references: [receipt],
      metadata
    }
    await this.call('POST', '/reef/report', body, scenarioHeader(scenario))
  }

  /**
   * @param {string} scenario
   * @returns {Promise<{ step: number, processor: any, busy: boolean, metrics: Record<string, number> }>}
   */
  async status(scenario) {
    const { scenarios, training_job: job } = JSON.parse(
      (await this.call('GET', '/reef/status')).text
    )
    const mine = scenarios[scenario]
    return {
      step: mine.scenario_step,
      processor: mine.processor,
      busy: job !== null || mine.batch_ready,
      metrics: mine.last_committed_step?.metrics ?? {}
    }
  }
}

/** The service understood a request and refused it. */
class Refused extends Error {}
