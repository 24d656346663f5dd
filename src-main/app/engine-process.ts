import {
  MessageChannelMain,
  utilityProcess,
  type MessagePortMain,
  type UtilityProcess
} from 'electron'
import type { Failure } from '../contract/failure'

const RESTARTS_PER_WINDOW = 5
const RESTART_WINDOW_MS = 60_000

interface Options {
  module: string
  environment: Record<string, string>
  /** A fresh engine is up: hand its host port to whoever serves it, and give the page a new port. */
  started: (hostPort: MessagePortMain) => void
  /** The engine died; whether it is started again is decided next. */
  lost: () => void
  /** The engine died more often than its budget allows. */
  gaveUp: (exitCode: number) => void
  /** The engine is up and cannot work: its home is not to be used. */
  unusable: (failure: Failure) => void
}

/**
 * The engine's own process. It is restarted when it dies, within a budget per minute;
 * a quit is never mistaken for a crash. Stacks do not depend on it: they go on meanwhile.
 */
export class EngineProcess {
  private child: UtilityProcess | null = null
  private quitting = false
  private readonly deaths: number[] = []

  constructor(private readonly options: Options) {}

  start(): void {
    const child = utilityProcess.fork(this.options.module, [], {
      serviceName: 'slipway-engine',
      stdio: 'inherit',
      env: this.options.environment
    })
    this.child = child
    child.once('exit', (code) => {
      if (this.child === child) this.died(code)
    })
    child.on('message', (message: { kind: 'unusable'; failure: Failure }) => {
      if (this.child === child) this.options.unusable(message.failure)
    })
    const { port1, port2 } = new MessageChannelMain()
    child.postMessage({ kind: 'host' }, [port1])
    this.options.started(port2)
  }

  /** A new port on the engine for a page, or null while there is no engine. */
  connect(): MessagePortMain | null {
    if (this.child === null) return null
    const { port1, port2 } = new MessageChannelMain()
    this.child.postMessage({ kind: 'page' }, [port1])
    return port2
  }

  get pid(): number | undefined {
    return this.child?.pid
  }

  /** Asks the engine to put everything down, and ends it when it has or after `deadlineMs`. */
  async quit(deadlineMs: number): Promise<void> {
    this.quitting = true
    const child = this.child
    if (child === null) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        child.kill()
      }, deadlineMs)
      child.once('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      child.postMessage({ kind: 'quit' })
    })
    this.child = null
  }

  private died(code: number): void {
    this.child = null
    if (this.quitting) return
    this.options.lost()
    const now = Date.now()
    this.deaths.push(now)
    const recent = this.deaths.filter((at) => now - at < RESTART_WINDOW_MS)
    if (recent.length > RESTARTS_PER_WINDOW) {
      this.options.gaveUp(code)
      return
    }
    console.error(`engine ended with code ${code}; starting it again`)
    this.start()
  }
}
