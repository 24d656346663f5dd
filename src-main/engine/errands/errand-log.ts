import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { redactor } from '../lib'

/** Lines kept at hand; all are in the file. */
const KEPT = 500

const redact = redactor([])

/** What an errand's commands say: every line in a file, the last ones at hand. Credentials are taken out by shape. */
export class ErrandLog {
  private kept: string[] = []
  private count = 0

  private constructor(
    readonly path: string,
    /** Null: nothing more is added. */
    private readonly file: WriteStream | null
  ) {}

  /** What an errand that has ended had said; nothing is written. */
  static of(path: string, lines: readonly string[]): ErrandLog {
    const log = new ErrandLog(path, null)
    for (const line of lines) log.add(line)
    return log
  }

  static async open(path: string): Promise<ErrandLog> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await once(file, 'open')
    // The errand goes on where the disk is full; its log in the window does, too.
    file.on('error', (cause) => {
      console.error(`[slipway] ${path}: ${cause.message}`)
    })
    return new ErrandLog(path, file)
  }

  get tail(): { lines: string[]; earlier: number } {
    return { lines: [...this.kept], earlier: this.count - this.kept.length }
  }

  add(text: string): void {
    const line = redact(text)
    this.count += 1
    this.kept.push(line)
    if (this.kept.length > KEPT * 2) this.kept = this.kept.slice(-KEPT)
    if (this.file !== null && !this.file.destroyed) this.file.write(`${line}\n`)
  }

  async close(): Promise<void> {
    if (this.file === null || this.file.destroyed) return
    this.file.end()
    await once(this.file, 'close')
  }
}
