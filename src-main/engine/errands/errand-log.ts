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
    private readonly file: WriteStream
  ) {}

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
    if (!this.file.destroyed) this.file.write(`${line}\n`)
  }

  async close(): Promise<void> {
    if (this.file.destroyed) return
    this.file.end()
    await once(this.file, 'close')
  }
}
