import type { Readable } from 'node:stream'
import { pause, type Clock } from '../../lib'
import type { DockerConnection } from './connection'

/** Times to wait before asking for events again, growing while the engine stays away. */
const RETRY_MS = [250, 500, 1000, 2000, 5000, 10_000]

/**
 * Tells that something happened to containers with a label, over one stream however many listen. Which thing it was
 * is left to a look at the container: events are lost while nobody is connected, so they are hints and never facts.
 * After each reconnection everybody is told.
 */
export class EngineEvents {
  private readonly listeners = new Set<() => void>()
  private running: AbortController | null = null

  constructor(
    private readonly connection: DockerConnection,
    private readonly label: string,
    private readonly clock: Clock
  ) {}

  /** Calls `happened` after each event; returns how to stop. The stream lives while anybody listens. */
  listen(happened: () => void): () => void {
    this.listeners.add(happened)
    if (this.running === null) {
      this.running = new AbortController()
      void this.run(this.running.signal)
    }
    return () => {
      this.listeners.delete(happened)
      if (this.listeners.size === 0) this.stop()
    }
  }

  stop(): void {
    this.running?.abort()
    this.running = null
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const began = await this.followOnce(signal)
      if (began) failures = 0
      await pause(this.clock, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000, signal)
    }
  }

  /** Follows until the stream ends; true when there was one. */
  private async followOnce(signal: AbortSignal): Promise<boolean> {
    let stream: Readable
    try {
      stream = await this.connection.stream(
        async (docker) =>
          // dockerode types this as a bare ReadableStream; it is the HTTP answer.
          (await docker.getEvents({
            filters: { type: ['container'], label: [this.label] }
          })) as Readable
      )
    } catch {
      // Away: that is for `look` to report. Here it only means asking again later.
      return false
    }
    const cut = (): void => void stream.destroy()
    if (signal.aborted) cut()
    signal.addEventListener('abort', cut, { once: true })
    this.tell()
    await new Promise<void>((done) => {
      stream.on('data', () => {
        this.tell()
      })
      stream.on('error', () => {
        done()
      })
      stream.on('close', done)
    })
    signal.removeEventListener('abort', cut)
    return true
  }

  private tell(): void {
    for (const happened of [...this.listeners]) happened()
  }
}
