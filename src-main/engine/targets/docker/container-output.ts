import { open, readFile, type FileHandle } from 'node:fs/promises'
import { errorCode, FailureError, messageOf, pause, writeFileAtomic, type Clock } from '../../lib'
import { isMissing } from '../files/file-failure'
import type { OutputFiles } from '../target'
import { UnreachableError } from '../unreachable'
import type { DockerConnection } from './connection'
import { statusOf } from './docker-failure'
import { openStream } from './raw-stream'
import { FrameReader, type OutputEntry } from './frames'
import { BEGINNING, digestOf, OutputCursor, parsePosition, type Position } from './output-cursor'

interface CopyOptions {
  connection: DockerConnection
  id: string
  into: OutputFiles
  clock: Clock
}

const RETRY_MS = [100, 500, 1000, 2000, 5000, 10_000]
/** The engine keeps the output: it is asked again once there may be room. */
const FULL_RETRY_MS = 5_000
/** How often the position is made durable while output flows. */
const SAVE_EVERY_MS = 1000

/** Starts copying; returns how to stop, which resolves when the last bytes and the position are written. */
export function copyContainerOutput(options: CopyOptions): () => Promise<void> {
  const copy = new OutputCopy(options)
  const done = copy.run()
  return () => {
    copy.stop()
    return done
  }
}

async function storedPosition(file: string): Promise<Position> {
  try {
    return parsePosition(await readFile(file, 'utf8')) ?? BEGINNING
  } catch (thrown) {
    if (isMissing(thrown)) return BEGINNING
    throw thrown
  }
}

class OutputCopy {
  private readonly controller = new AbortController()
  private cursor = new OutputCursor(BEGINNING)
  private files: { stdout: FileHandle; stderr: FileHandle } | null = null
  private savedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: CopyOptions) {}

  stop(): void {
    this.controller.abort()
  }

  async run(): Promise<void> {
    const { clock, into } = this.options
    const { signal } = this.controller
    try {
      while ((await this.copyFromStored()) === 'full') await pause(clock, FULL_RETRY_MS, signal)
    } catch (thrown) {
      into.problem?.(thrown instanceof FailureError ? thrown.failure : this.copyFailure(thrown))
    } finally {
      if (!signal.aborted) into.ended?.()
    }
  }

  /** Copies from the stored position on; `full` when the disk has no room for more at present. */
  private async copyFromStored(): Promise<'done' | 'full'> {
    try {
      const begin = await this.openFiles(await storedPosition(this.options.into.cursor))
      this.options.into.waits?.(null)
      if (!begin.ended) await this.copyToTheEnd()
      return 'done'
    } catch (thrown) {
      if (errorCode(thrown) !== 'ENOSPC' || this.controller.signal.aborted) throw thrown
      this.options.into.waits?.(thrown)
      return 'full'
    } finally {
      const { files } = this
      this.files = null
      await files?.stdout.close()
      await files?.stderr.close()
    }
  }

  private copyFailure(thrown: unknown): FailureError['failure'] {
    return {
      code: 'output-not-copied',
      where: this.options.into.cursor,
      what: {
        en: 'The container’s own output is no longer copied.',
        zh: '容器自身的输出已停止复制。'
      },
      remedy: {
        en: 'It is still in the engine ("docker logs"). Free the disk or mend the cause, then open the run again.',
        zh: '它仍保存在引擎中(“docker logs”)。请释放磁盘或排除原因,然后重新打开此运行。'
      },
      detail: messageOf(thrown)
    }
  }

  private async copyToTheEnd(): Promise<void> {
    const { signal } = this.controller
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const agreed = await this.agreeWithEngine()
        if (agreed) await this.copyPass(true)
        if (agreed && !signal.aborted && !(await this.isRunning())) {
          // What came between the end of the stream and the end of the container.
          if ((await this.copyPass(false)) === 'ended') {
            this.cursor.ended()
            await this.save()
            return
          }
        }
        if (agreed) failures = -1
      } catch (thrown) {
        if (statusOf(thrown) === 404) return
        if (!(thrown instanceof UnreachableError)) throw this.readingRefused(thrown)
      }
      await pause(
        this.options.clock,
        RETRY_MS[Math.min(failures + 1, RETRY_MS.length - 1)] ?? 0,
        signal
      )
    }
    await this.save()
  }

  private readingRefused(thrown: unknown): unknown {
    if (statusOf(thrown) === null) return thrown
    return new FailureError(
      {
        code: 'output-not-readable',
        where: this.options.id,
        what: {
          en: 'The engine does not give this container’s own output back (its log driver cannot be read).',
          zh: '引擎无法返回此容器自身的输出(其日志驱动不支持读取)。'
        },
        remedy: {
          en: 'The services’ own log files are read all the same. Use the json-file or local log driver to see launcher lines.',
          zh: '各服务自己的日志文件仍会读取。若要查看启动器的输出,请使用 json-file 或 local 日志驱动。'
        },
        detail: messageOf(thrown)
      },
      { cause: thrown }
    )
  }

  /** Opens the copies at the stored position: cuts what was written after it, starts over when less is there. */
  private async openFiles(stored: Position): Promise<Position> {
    const { into } = this.options
    const [stdout, stderr] = await Promise.all([
      open(into.stdout, 'a', 0o600),
      open(into.stderr, 'a', 0o600)
    ])
    this.files = { stdout, stderr }
    const sizes = { stdout: (await stdout.stat()).size, stderr: (await stderr.stat()).size }
    const whole = sizes.stdout >= stored.stdout && sizes.stderr >= stored.stderr
    const begin = whole ? stored : BEGINNING
    await stdout.truncate(begin.stdout)
    await stderr.truncate(begin.stderr)
    this.cursor = new OutputCursor(begin)
    return begin
  }

  private async isRunning(): Promise<boolean> {
    const facts = await this.options.connection.ask((docker) =>
      docker.getContainer(this.options.id).inspect()
    )
    return facts.State.Running || facts.State.Restarting
  }

  /**
   * Makes sure that the entries we would skip are the ones we copied. They are not when the engine dropped some
   * (rotation), or its clock jumped while we were away: then our last entry is looked for, and if it is gone, so is
   * an unknown part, which is told. False when that could not be found out: an answer that was cut short, by us or by
   * an engine that went away, proves nothing, and the position stays what it is.
   */
  private async agreeWithEngine(): Promise<boolean> {
    const position = this.cursor.now()
    if (position.last === null) return true
    const { last, since, skip, total } = position
    const usual = await this.placeOf(last, since, skip)
    if (usual === 'cut') return false
    if (usual === skip) return true
    const place = await this.placeOf(last, 0, total)
    if (place === 'cut') return false
    if (place !== null) {
      this.cursor = new OutputCursor({ ...position, since: 0, skip: place, total: place })
      return true
    }
    const first = await this.firstStamp()
    if (first === 'cut') return false
    // An engine that is going down may end an answer as if it were whole; then this throws.
    await this.isRunning()
    if (first.stamp !== null) this.options.into.gap?.({ after: last.stamp, before: first.stamp })
    this.cursor = new OutputCursor({
      ...position,
      since: 0,
      skip: 0,
      total: 0,
      newest: 0,
      last: null
    })
    return true
  }

  /** Number (from 1) of the entry `last` among those from `since` on, `expected` if it is that one; else null. */
  private async placeOf(
    last: NonNullable<Position['last']>,
    since: number,
    expected: number
  ): Promise<number | null | 'cut'> {
    let count = 0
    let place: number | null = null
    const end = await this.read(since, false, (entry) => {
      count++
      if (entry.stamp !== last.stamp || digestOf(entry) !== last.digest) return 'go on'
      place = count
      // Not the same line printed twice within a nanosecond, but the one meant.
      return count >= expected ? 'stop' : 'go on'
    })
    return end === 'cut' ? 'cut' : place
  }

  private async firstStamp(): Promise<{ stamp: string | null } | 'cut'> {
    let stamp: string | null = null
    const end = await this.read(0, false, (entry) => {
      stamp = entry.stamp
      return 'stop'
    })
    return end === 'cut' ? 'cut' : { stamp }
  }

  private async copyPass(follow: boolean): Promise<'ended' | 'cut'> {
    const position = this.cursor.now()
    let left = position.skip
    let stdout: Uint8Array[] = []
    let stderr: Uint8Array[] = []
    const end = await this.read(
      position.since,
      follow,
      (entry) => {
        if (left > 0) {
          left--
          return 'go on'
        }
        this.cursor.took(entry)
        if (entry.stream === 'stdout') stdout.push(entry.bytes)
        else stderr.push(entry.bytes)
        return 'go on'
      },
      async () => {
        await this.append(stdout, stderr)
        stdout = []
        stderr = []
      }
    )
    await this.save()
    return end
  }

  private async append(stdout: Uint8Array[], stderr: Uint8Array[]): Promise<void> {
    if (stdout.length > 0) await this.files?.stdout.appendFile(Buffer.concat(stdout))
    if (stderr.length > 0) await this.files?.stderr.appendFile(Buffer.concat(stderr))
    if (this.options.clock.ticks() - this.savedAt >= SAVE_EVERY_MS) await this.save()
  }

  private async save(): Promise<void> {
    if (this.files === null) return
    // The bytes first: a position must never stand for bytes that a power cut took.
    await Promise.all([this.files.stdout.datasync(), this.files.stderr.datasync()])
    await writeFileAtomic(this.options.into.cursor, `${JSON.stringify(this.cursor.now())}\n`)
    this.savedAt = this.options.clock.ticks()
  }

  /**
   * Reads entries from `since` until the stream ends, `take` says stop, or we are told to stop. `cut`: there may be more,
   * though nobody said stop.
   */
  private async read(
    since: number,
    follow: boolean,
    take: (entry: OutputEntry) => 'go on' | 'stop',
    afterPiece: () => Promise<void> = () => Promise.resolve()
  ): Promise<'ended' | 'cut'> {
    const { signal } = this.controller
    if (signal.aborted) return 'cut'
    const stream = await this.options.connection.stream((docker) =>
      openStream(docker, `/containers/${this.options.id}/logs?`, {
        ...{ stdout: true, stderr: true, timestamps: true, since, follow }
      })
    )
    const cut = (): void => void stream.destroy()
    signal.addEventListener('abort', cut, { once: true })
    const frames = new FrameReader(true)
    try {
      for await (const piece of stream) {
        if (!(piece instanceof Uint8Array)) continue
        const stop = frames.push(piece).some((entry) => take(entry) === 'stop')
        await afterPiece()
        if (stop) return 'ended'
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
}

function isCut(thrown: unknown): boolean {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : ''
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR'
}
