/**
 * The launcher: starts the services one after the other, passes their messages on, repeats their
 * logs late and in pieces, and ends them all together, as Reef's orchestrator does
 * (`reef/service/deploy/orchestrator.py`, `process.py`).
 */
import { fork } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import http from 'node:http'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @typedef {import('./config/runtime.mjs').Runtime} Runtime */
/** @typedef {{ name: string, child: import('node:child_process').ChildProcess, exited: Promise<void>, gone: boolean, ready: Promise<void>, echoed: number }} Service */

const HERE = dirname(fileURLToPath(import.meta.url))
const PIECE = 65536
const ECHO_STARTING_MS = 250
const ECHO_RUNNING_MS = 5000
const GRACE_MS = 30000
const HEALTH_MS = 100

/** @param {string} line */
function say(line) {
  try {
    writeSync(2, `[reef] ${line}\n`)
  } catch {
    // Nobody reads the launcher's output any more: the stack goes on, its files are the record.
  }
}

export class Launcher {
  /** @param {Runtime} runtime */
  constructor(runtime) {
    this.runtime = runtime
    /** @type {Service[]} */
    this.services = []
    this.stopping = false
    this.up = false
    /** @type {Service | null} the one whose readiness is waited for */
    this.awaited = null
    /** @type {(reason: string) => void} */
    this.failStart = () => {}
    this.startFailed = new Promise((_, failed) => {
      this.failStart = (reason) => failed(new Error(reason))
    })
    // Nobody may be waiting for it at that moment; the next wait hears of it.
    this.startFailed.catch(() => {})
    this.skipGrace = () => {}
    /** @type {(code: number) => void} */
    this.finish = () => {}
    this.finished = new Promise((/** @type {(code: number) => void} */ done) => {
      this.finish = done
    })
  }

  /** Runs the stack to its end. @returns {Promise<number>} exit code */
  async run() {
    process.on('SIGTERM', () => this.onSignal())
    process.on('SIGINT', () => this.onSignal())
    const echo = { timer: setInterval(() => this.echoAll(), ECHO_STARTING_MS) }
    try {
      await this.start()
      if (!this.stopping) {
        this.up = true
        say(`stack up. logs: ${this.runtime.runDir}/*.log`)
        clearInterval(echo.timer)
        echo.timer = setInterval(() => this.echoAll(), ECHO_RUNNING_MS)
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.stopping) {
        say(`deployment startup failed: ${reason}`)
        say(`  logs: ${this.runtime.runDir}/*.log`)
        void this.stop(1)
      }
    }
    const code = await this.finished
    clearInterval(echo.timer)
    this.echoAll()
    return code
  }

  async start() {
    mkdirSync(this.runtime.runDir, { recursive: true })
    say('recipe package resolves from the practice stack')
    const names = ['slime-driver', 'reef', ...(this.runtime.traffic === 'on' ? ['traffic'] : [])]
    for (const name of names) say(`${name}: executor=local (practice backend)`)
    for (const name of names) {
      if (this.stopping) return
      const service = this.launch(name)
      await this.untilReady(service)
      const { host, port } = this.runtime
      if (!this.stopping)
        say(`${name}: ready${name === 'reef' ? ` at http://${host}:${port}` : ''}`)
    }
  }

  /** @param {string} name @returns {Service} */
  launch(name) {
    const folder = join(this.runtime.runDir, name)
    mkdirSync(folder, { recursive: true })
    rmSync(join(folder, 'bridge.ready'), { force: true })
    // A token is in no file: services get it by their environment.
    const { tokens, ...written } = this.runtime
    writeFileSync(join(folder, 'runtime.yaml'), JSON.stringify(written, null, 2), { mode: 0o600 })
    const module = { 'slime-driver': 'driver', reef: 'http', traffic: 'traffic' }[name] ?? name
    const script = join(HERE, 'service', `${module}.mjs`)
    say(`starting ${name}: ${process.execPath} ${script} ${this.runtime.runDir}`)
    const output = openSync(join(folder, `${name}.log`), 'a')
    const { size } = fstatSync(output)
    const child = fork(script, [this.runtime.runDir], {
      stdio: ['ignore', output, output, 'ipc'],
      detached: true,
      execArgv: ['--no-warnings'],
      env: { ...process.env, PRACTICE_SERVICE_TOKENS: JSON.stringify(tokens) }
    })
    closeSync(output)
    const pid = child.pid ?? 0
    // Whole or not at all: whoever reads half a pid would look after another process.
    const pidFile = join(folder, `${name}.pid`)
    writeFileSync(`${pidFile}.tmp`, `${pid}\n`)
    renameSync(`${pidFile}.tmp`, pidFile)
    writeFileSync(
      join(this.runtime.runDir, `${name}.worker.json`),
      `${JSON.stringify({ host: hostname(), pids: [pid], run_dir: folder })}\n`
    )
    return this.follow(name, child, size)
  }

  /**
   * @param {string} name
   * @param {import('node:child_process').ChildProcess} child
   * @param {number} size of the log before this start
   */
  follow(name, child, size) {
    let markReady = () => {}
    const ready = new Promise((/** @type {(value: void) => void} */ done) => {
      markReady = done
    })
    /** @type {Service} */
    const service = { name, child, gone: false, echoed: size, ready, exited: Promise.resolve() }
    service.exited = new Promise((done) => {
      child.once('exit', () => {
        service.gone = true
        this.onExit(service)
        done()
      })
    })
    child.on('message', (/** @type {any} */ message) => {
      if (message.ready === true) markReady()
      else this.pass(name, message)
    })
    child.on('error', (error) => say(`${name}: execution backend failed: ${error.message}`))
    this.services.push(service)
    return service
  }

  /** @param {string} from @param {any} message */
  pass(from, message) {
    const target = this.services.find((service) => service.name === message.to)
    if (target === undefined || target.gone || !target.child.connected) return
    // A message to a service that is just ending is lost with it; the stack comes down anyway.
    target.child.send({ ...message, from }, () => {})
  }

  /** @param {Service} service */
  async untilReady(service) {
    const { name } = service
    this.awaited = service
    const limit =
      name === 'slime-driver' ? this.runtime.trainingReadyTimeout : this.runtime.readyTimeout
    let timer
    const late = new Promise((_, failed) => {
      timer = setTimeout(
        () => failed(new Error(`service '${name}' did not become ready within ${limit}s`)),
        limit * 1000
      )
    })
    const died = service.exited.then(() => {
      throw new Error(`service '${name}' exited before ready`)
    })
    try {
      await Promise.race([service.ready, late, died, this.startFailed])
      if (name === 'reef') await Promise.race([this.untilHealthy(), late, died, this.startFailed])
    } finally {
      clearTimeout(timer)
      died.catch(() => {})
      late.catch(() => {})
    }
  }

  async untilHealthy() {
    const host = this.runtime.host === '0.0.0.0' ? '127.0.0.1' : this.runtime.host
    while (!this.stopping) {
      if (await answersHealthz(host, this.runtime.port)) return
      await new Promise((done) => setTimeout(done, HEALTH_MS))
    }
  }

  /** @param {Service} service */
  onExit(service) {
    for (const other of this.services) {
      if (!other.gone && other.child.connected) other.child.send({ gone: service.name }, () => {})
    }
    if (this.stopping) return
    if (!this.up) {
      // One that was ready already, while a later one is still coming up.
      if (service !== this.awaited)
        this.failStart(`service '${service.name}' exited during startup`)
      return
    }
    say(`${service.name}: exited; bringing down the stack`)
    void this.stop(1)
  }

  onSignal() {
    if (this.stopping) {
      say('received another signal, forcing process cleanup')
      this.skipGrace()
      return
    }
    say(
      this.up
        ? 'received signal, shutting down (press Ctrl-C again to skip the grace period)'
        : 'received signal during startup, shutting down'
    )
    void this.stop(0)
  }

  /** Ends the services in reverse order within one grace period. @param {number} code */
  async stop(code) {
    this.stopping = true
    let expire = () => {}
    const expired = new Promise((/** @type {(value: void) => void} */ done) => {
      expire = done
    })
    const timer = setTimeout(expire, GRACE_MS)
    this.skipGrace = expire
    let over = false
    void expired.then(() => {
      over = true
    })
    for (const service of [...this.services].reverse()) {
      if (service.gone) continue
      say(`stopping ${service.name} (process group ${service.child.pid})`)
      signalGroup(service, 'SIGTERM')
      await Promise.race([service.exited, expired])
      if (!service.gone) {
        if (over) say(`${service.name}: process tree did not exit in 30s, SIGKILL`)
        signalGroup(service, 'SIGKILL')
        await service.exited
      }
    }
    clearTimeout(timer)
    this.finish(code)
  }

  echoAll() {
    for (const service of this.services) this.echo(service)
  }

  /** One piece of a service's log, cut anywhere. @param {Service} service */
  echo(service) {
    const { runDir } = this.runtime
    const descriptor = openSync(join(runDir, service.name, `${service.name}.log`), 'r')
    const piece = Buffer.alloc(PIECE)
    const length = readSync(descriptor, piece, 0, PIECE, service.echoed)
    closeSync(descriptor)
    if (length === 0) return
    service.echoed += length
    appendFileSync(join(runDir, `${service.name}.log`), piece.subarray(0, length))
    try {
      writeSync(1, piece, 0, length)
    } catch {
      // As in `say`: an output nobody reads must not end the stack.
    }
  }
}

/**
 * @param {Service} service
 * @param {NodeJS.Signals} signal
 */
function signalGroup(service, signal) {
  try {
    process.kill(-(service.child.pid ?? 0), signal)
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ESRCH'
    if (!gone) throw error
  }
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function answersHealthz(host, port) {
  return new Promise((done) => {
    const request = http.get({ host, port, path: '/healthz', agent: false }, (response) => {
      response.resume()
      done(response.statusCode === 200)
    })
    request.on('error', () => done(false))
  })
}
