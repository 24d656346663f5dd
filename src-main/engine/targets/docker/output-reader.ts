import type Docker from 'dockerode'
import type { DockerConnection } from './connection'
import { FrameReader, type OutputEntry } from './frames'
import { openStream } from './raw-stream'

type LogConfig = NonNullable<Docker.HostConfig['LogConfig']>

/** Which part of a container's output: from a second on (0: all there is), or so many of its newest entries. */
export type Window = { since: number } | { tail: number }

/** The engine's own words in the stream ("Error grabbing logs: …") have no stamp, and nothing after them is in order. */
const STAMPED = /^\d/

function isCut(thrown: unknown): boolean {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : ''
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR'
}

/** Reads one container's output as its engine has it. */
export class OutputReader {
  constructor(
    private readonly connection: DockerConnection,
    private readonly id: string,
    private readonly signal: AbortSignal
  ) {}

  async isRunning(): Promise<boolean> {
    const { State } = await this.inspect()
    return State.Running || State.Restarting
  }

  async logConfig(): Promise<LogConfig | null> {
    return (await this.inspect()).HostConfig.LogConfig ?? null
  }

  /**
   * Reads entries until the stream ends, `take` says stop, or we are told to stop. `cut`: there may be more, though nobody
   * said stop.
   */
  async read(
    window: Window,
    follow: boolean,
    take: (entry: OutputEntry) => 'go on' | 'stop',
    afterPiece: () => Promise<void> = () => Promise.resolve()
  ): Promise<'ended' | 'cut'> {
    const { signal } = this
    if (signal.aborted) return 'cut'
    const stream = await this.connection.stream((docker) =>
      openStream(docker, `/containers/${this.id}/logs?`, {
        stdout: true,
        stderr: true,
        timestamps: true,
        follow,
        ...window
      })
    )
    const cut = (): void => void stream.destroy()
    signal.addEventListener('abort', cut, { once: true })
    const frames = new FrameReader(true)
    try {
      for await (const piece of stream) {
        if (!(piece instanceof Uint8Array)) continue
        const end = takeAll(frames.push(piece), take)
        await afterPiece()
        if (end !== null) return end
        if (signal.aborted) return 'cut'
      }
      return signal.aborted ? 'cut' : 'ended'
    } catch (thrown) {
      // Cut by us, or by an engine that went away: both end this pass, and what was taken is written.
      if (!isCut(thrown)) throw thrown
      return 'cut'
    } finally {
      signal.removeEventListener('abort', cut)
      stream.destroy()
    }
  }

  private inspect(): Promise<Docker.ContainerInspectInfo> {
    return this.connection.ask((docker) => docker.getContainer(this.id).inspect())
  }
}

function takeAll(
  entries: readonly OutputEntry[],
  take: (entry: OutputEntry) => 'go on' | 'stop'
): 'ended' | 'cut' | null {
  for (const entry of entries) {
    if (!STAMPED.test(entry.stamp)) return 'cut'
    if (take(entry) === 'stop') return 'ended'
  }
  return null
}
