/** What every service process does alike: its settings, its end, its messages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceLog } from './service-log.mjs'

/** @typedef {import('../config/runtime.mjs').Runtime} Runtime */

/**
 * Starts the common part. The service ends with its launcher: when the message channel breaks, the
 * launcher is gone, by whatever death.
 * @param {string} service
 * @param {string} runDir
 */
export function startService(service, runDir) {
  process.on('disconnect', () => process.exit(1))
  const log = new ServiceLog(runDir, service)
  /** @param {unknown} error */
  const fail = (error) => {
    log.write(...traceback(error))
    process.exit(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  /** @type {Runtime} */
  const runtime = {
    ...JSON.parse(readFileSync(join(runDir, service, 'runtime.yaml'), 'utf8')),
    tokens: JSON.parse(process.env['PRACTICE_SERVICE_TOKENS'] ?? '[]')
  }
  return { log, runtime, crash: crashPoint(runtime, log), channel: new Channel() }
}

/**
 * An error as a Python process ends with it: the cause is the last line.
 * @param {unknown} error
 */
export function traceback(error) {
  const known = error instanceof Error
  const frames = known ? (error.stack ?? '').split('\n').slice(1) : []
  const cause = known
    ? `${error.name === 'Error' ? 'RuntimeError' : error.name}: ${error.message}`
    : String(error)
  return [
    'Traceback (most recent call last):',
    ...frames.map((frame) => `  ${frame.trim()}`),
    cause
  ]
}

/**
 * Kills the process at the named point, for tests of what a crash leaves behind. `PRACTICE_CRASH_AT`
 * wins over the recipe; `name:3` means the third time the point is reached.
 * @param {Runtime} runtime
 * @param {ServiceLog} log
 * @returns {(point: string, before?: () => void) => void} `before` leaves what a kill at that point would
 */
function crashPoint(runtime, log) {
  const wanted = process.env['PRACTICE_CRASH_AT'] ?? runtime.crashAt ?? ''
  const [name, times = '1'] = wanted.split(':')
  let left = Number(times)
  return (point, before) => {
    if (point !== name || (left -= 1) > 0) return
    before?.()
    log.write(`practice: crash point '${point}' reached, killing this process`)
    process.kill(process.pid, 'SIGKILL')
  }
}

/** The service a request went to has ended; the launcher is about to end this one too. */
export class ServiceGone extends Error {}

/** Requests between services; the launcher passes them on. */
export class Channel {
  constructor() {
    /** @type {Map<number, { to: string, done: (value: any) => void, failed: (error: Error) => void }>} */
    this.open = new Map()
    this.last = 0
    /** @type {(kind: string, body: any) => Promise<unknown>} */
    this.answer = () => Promise.reject(new Error('this service answers no requests'))
    process.on('message', (message) => void this.receive(message))
  }

  /** @param {any} message */
  async receive(message) {
    if (message.gone !== undefined) {
      for (const [id, waiting] of this.open) {
        if (waiting.to !== message.gone) continue
        this.open.delete(id)
        waiting.failed(new ServiceGone(`service '${message.gone}' is gone`))
      }
      return
    }
    if (message.answerTo !== undefined) {
      const waiting = this.open.get(message.answerTo)
      this.open.delete(message.answerTo)
      if (message.error === undefined) waiting?.done(message.body)
      else waiting?.failed(new Error(message.error))
      return
    }
    try {
      const body = await this.answer(message.kind, message.body)
      process.send?.({ to: message.from, answerTo: message.id, body })
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      process.send?.({ to: message.from, answerTo: message.id, error: text })
    }
  }

  /**
   * @param {string} to service
   * @param {string} kind
   * @param {unknown} body
   * @returns {Promise<any>}
   */
  request(to, kind, body) {
    this.last += 1
    const id = this.last
    return new Promise((done, failed) => {
      this.open.set(id, { to, done, failed })
      process.send?.({ to, id, kind, body })
    })
  }

  ready() {
    process.send?.({ ready: true })
  }
}
