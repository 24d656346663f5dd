import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Progress } from '../../contract/logs'
import { type Clock, FailureError } from '../lib'
import { buildStep, type ImageStore } from '../targets'
import type { AttemptJournal } from './attempt-journal'

/** Name of the build's log in the attempt's folder. */
export const BUILD_LOG = 'image-build.log'

/** How preparing an image ended. `cancelled`: by us, whoever asked for it. */
export type Prepared =
  { kind: 'ready'; reference: string } | { kind: 'cancelled' } | { kind: 'failed'; cause: unknown }

/** Makes the practice image for an attempt that waits for it, with its log beside the attempt's. */
export class ImagePreparation {
  private readonly aborter = new AbortController()
  private lines: Progress | null = null

  constructor(
    readonly journal: AttemptJournal,
    private readonly images: ImageStore,
    private readonly clock: Clock
  ) {}

  /** The build's own steps while it runs. */
  get progress(): Progress[] {
    return this.lines === null ? [] : [this.lines]
  }

  cancel(): void {
    this.aborter.abort()
  }

  /** Never rejects. */
  async run(): Promise<Prepared> {
    const { journal } = this
    const number = journal.attempt.number
    const folder = journal.store.paths(journal.run).attempt(number)
    const began = this.clock.ticks()
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await this.tell('image-build', 'Making the practice image.', '正在构建练习镜像。')
      const built = await this.build(join(folder, BUILD_LOG))
      const seconds = Math.round((this.clock.ticks() - began) / 1000)
      await this.tell(
        'image-built',
        `The practice image ${built.reference} is made, in ${seconds} s.`,
        `练习镜像 ${built.reference} 已就绪，用时 ${seconds} 秒。`,
        { ...built, seconds }
      )
      return { kind: 'ready', reference: built.reference }
    } catch (cause) {
      return this.aborter.signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', cause }
    } finally {
      this.lines = null
    }
  }

  private async build(file: string): Promise<{ reference: string; id: string }> {
    // An engine that died while building left its part of the log: ours follows it.
    const log = createWriteStream(file, { flags: 'a', mode: 0o600 })
    await once(log, 'open')
    try {
      return await this.images.buildPractice({
        log: (line) => {
          log.write(`${line}\n`)
          const step = buildStep(line)
          if (step !== null) this.draw(line, step)
        },
        signal: this.aborter.signal
      })
    } catch (cause) {
      log.write(`${cause instanceof FailureError ? (cause.failure.detail ?? '') : String(cause)}\n`)
      throw cause
    } finally {
      log.end()
      await once(log, 'close')
    }
  }

  private draw(label: string, step: { done: number; total: number }): void {
    const source = `${this.journal.attempt.number}/image-build`
    this.lines = { source, label, ...step, left: null, at: this.clock.now() }
  }

  private tell(
    kind: string,
    en: string,
    zh: string,
    data: Record<string, unknown> = {}
  ): Promise<void> {
    return this.journal.tell({ kind, text: { en, zh }, data })
  }
}
