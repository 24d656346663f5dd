import { open, readFile, type FileHandle } from 'node:fs/promises'
import { errorCode, FailureError, messageOf, pause, writeFileAtomic, type Clock } from '../../lib'
import { isMissing } from '../files/file-failure'
import type { OutputFiles } from '../target'
import { UnreachableError } from '../unreachable'
import type { DockerConnection } from './connection'
import { statusOf } from './docker-failure'
import type { OutputEntry } from './frames'
import { drops, expectedBetween, keepsOf, KeptOutput } from './output-gap'
import { BEGINNING, digestOf, OutputCursor, parsePosition, type Position } from './output-cursor'
import { OutputReader, type Window } from './output-reader'

interface CopyOptions {
  connection: DockerConnection
  id: string
  into: OutputFiles
  clock: Clock
}

const RETRY_MS = [100, 500, 1000, 2000, 5000, 10_000]
/** The engine keeps the output: it is asked again once there may be room. */
const FULL_RETRY_MS = 5_000
/** How often an engine that drops old output is asked for new one, while there is some. */
const NEWEST_EVERY_MS = 200
/** The same while nothing comes. */
const QUIET_EVERY_MS = 1000
const LEAST_ASKED = 256
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
  /** Entries copied by this process. */
  private taken = 0
  private savedAt = Number.NEGATIVE_INFINITY
  /** Tells of what the engine dropped, once the entry after it is known. */
  private missing: ((next: OutputEntry) => void) | null = null

  private readonly reader: OutputReader
  /** Whether the engine drops old output of this container; null before it was asked. */
  private dropping: boolean | null = null
  /** Newest entries asked for at once of an engine that drops old ones. */
  private ask = LEAST_ASKED

  constructor(private readonly options: CopyOptions) {
    this.reader = new OutputReader(options.connection, options.id, this.controller.signal)
  }

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
        zh: '它仍保存在引擎中（“docker logs”）。请释放磁盘或排除原因，然后重新打开此运行。'
      },
      detail: messageOf(thrown)
    }
  }

  private async copyToTheEnd(): Promise<void> {
    const { signal } = this.controller
    const { clock } = this.options
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const dropping = await this.engineDrops()
        // As it is followed an engine repeats and leaves out entries when it begins a new file; as it is read it does not.
        const state = dropping ? await this.copyNewest() : await this.copyFollowing()
        if (state === 'ended') return
        if (state !== 'unsure') failures = -1
        if (dropping)
          await pause(clock, state === 'quiet' ? QUIET_EVERY_MS : NEWEST_EVERY_MS, signal)
      } catch (thrown) {
        if (statusOf(thrown) === 404) return
        if (!(thrown instanceof UnreachableError)) throw this.readingRefused(thrown)
      }
      await pause(clock, RETRY_MS[Math.min(failures + 1, RETRY_MS.length - 1)] ?? 0, signal)
    }
    await this.save()
  }

  private async engineDrops(): Promise<boolean> {
    if (this.dropping === null) {
      const log = await this.reader.logConfig()
      this.dropping = log !== null && drops(log)
    }
    return this.dropping
  }

  /** Copies as it comes. `unsure`: the answer was cut before it could be told what is new. */
  private async copyFollowing(): Promise<'ended' | 'going on' | 'unsure'> {
    if (!(await this.agreeWithEngine())) return 'unsure'
    await this.copyPass(true)
    if (this.controller.signal.aborted || (await this.reader.isRunning())) return 'going on'
    // What came between the end of the stream and the end of the container.
    return (await this.copyPass(false)) === 'ended' ? this.finish() : 'going on'
  }

  /** Copies what the engine has by now; `quiet` when that is nothing new. */
  private async copyNewest(): Promise<'ended' | 'going on' | 'quiet' | 'unsure'> {
    const now = await this.newest()
    if (now !== 'nothing') return now
    if (await this.reader.isRunning()) return 'quiet'
    // What came between the answer and the end of the container.
    const rest = await this.newest()
    return rest === 'nothing' ? this.finish() : rest
  }

  private async newest(): Promise<'going on' | 'nothing' | 'unsure'> {
    const { taken } = this
    let pass = await this.newestPass()
    while (pass === 'more') pass = await this.newestPass()
    if (pass === 'cut') return 'unsure'
    return this.taken === taken ? 'nothing' : 'going on'
  }

  private async finish(): Promise<'ended'> {
    this.cursor.ended()
    await this.save()
    return 'ended'
  }

  private readingRefused(thrown: unknown): unknown {
    if (statusOf(thrown) === null) return thrown
    return new FailureError(
      {
        code: 'output-not-readable',
        where: this.options.id,
        what: {
          en: 'The engine does not give this container’s own output back (its log driver cannot be read).',
          zh: '引擎无法返回此容器自身的输出（其日志驱动不支持读取）。'
        },
        remedy: {
          en: 'The services’ own log files are read all the same. Use the json-file or local log driver to see launcher lines.',
          zh: '各服务自己的日志文件仍会读取。若要查看启动器的输出，请使用 json-file 或 local 日志驱动。'
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
    const kept = new KeptOutput()
    const place = await this.placeOf(last, 0, total, kept)
    if (place === 'cut') return false
    if (place !== null) {
      this.cursor = new OutputCursor({ ...position, since: 0, skip: place, total: place })
      return true
    }
    await this.missed(last, position, kept)
    return true
  }

  /** The last entry that was copied is gone: what follows is copied from the first one that is left. */
  private async missed(
    last: NonNullable<Position['last']>,
    position: Position,
    kept: KeptOutput
  ): Promise<void> {
    // An engine that is going down may end an answer as if it were whole; then this throws.
    const log = await this.reader.logConfig()
    const keeps = log === null ? '' : keepsOf(log)
    // Told with the first entry that is copied after it: more may be dropped until then.
    this.missing = ({ stamp }) => {
      const around = { after: last.stamp, before: stamp }
      const expected = expectedBetween(around, position, kept)
      this.options.into.gap?.({ ...around, expected, keeps })
    }
    this.cursor = new OutputCursor({
      ...position,
      since: 0,
      skip: 0,
      total: 0,
      first: 0,
      newest: 0,
      last: null
    })
  }

  /** Number (from 1) of the entry `last` among those from `since` on, `expected` if it is that one; else null. */
  private async placeOf(
    last: NonNullable<Position['last']>,
    since: number,
    expected: number,
    kept?: KeptOutput
  ): Promise<number | null | 'cut'> {
    let count = 0
    let place: number | null = null
    const end = await this.reader.read({ since }, false, (entry) => {
      count++
      kept?.took(entry)
      if (entry.stamp !== last.stamp || digestOf(entry) !== last.digest) return 'go on'
      place = count
      // Not the same line printed twice within a nanosecond, but the one meant.
      return count >= expected ? 'stop' : 'go on'
    })
    return end === 'cut' ? 'cut' : place
  }

  private async copyPass(follow: boolean): Promise<'ended' | 'cut'> {
    const position = this.cursor.now()
    let left = position.skip
    return this.copy({ since: position.since }, follow, () => {
      if (left === 0) return true
      left--
      return false
    })
  }

  /**
   * Copies what came after the last entry, out of the newest ones the engine has. `more`: it is not among those that were
   * asked for, and more will be asked for, or it is gone, which is told with the first entry that is still there.
   */
  private async newestPass(): Promise<'done' | 'more' | 'cut'> {
    const position = this.cursor.now()
    const { last } = position
    if (last === null) {
      return (await this.copy({ since: 0 }, false, () => true)) === 'cut' ? 'cut' : 'done'
    }
    const kept = new KeptOutput()
    let place: 'before' | 'at' | 'after' = 'before'
    const end = await this.copy({ tail: this.ask }, false, (entry) => {
      kept.took(entry)
      // One buffer of the stack may have one stamp, and the same line in it twice.
      const same =
        place !== 'after' && entry.stamp === last.stamp && digestOf(entry) === last.digest
      if (same) place = 'at'
      else if (place === 'at') place = 'after'
      return place === 'after'
    })
    if (end === 'cut') return 'cut'
    if (place !== 'before') {
      this.ask = LEAST_ASKED
      return 'done'
    }
    if (kept.lines >= this.ask) this.ask *= 4
    else await this.missed(last, position, kept)
    return 'more'
  }

  /** Copies the entries of which `fresh` says so; the last ones of an answer that was cut too. */
  private async copy(
    window: Window,
    follow: boolean,
    fresh: (entry: OutputEntry) => boolean
  ): Promise<'ended' | 'cut'> {
    let stdout: Uint8Array[] = []
    let stderr: Uint8Array[] = []
    const { taken } = this
    const end = await this.reader.read(
      window,
      follow,
      (entry) => {
        if (!fresh(entry)) return 'go on'
        this.missing?.(entry)
        this.missing = null
        this.cursor.took(entry)
        this.taken++
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
    if (this.taken > taken) await this.save()
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
}
