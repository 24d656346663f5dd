/** Writing so that a kill at any point leaves the old content or the new, never half of it. */
import { createHash } from 'node:crypto'
import { promises as fs } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Makes names of a folder durable.
 * @param {string} folder
 */
export async function syncFolder(folder) {
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {number} [mode]
 */
async function writeSynced(path, content, mode = 0o644) {
  const handle = await fs.open(path, 'w', mode)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Replaces a file by temporary file and rename. The rename itself is made durable by the caller, with
 * `syncFolder`, where the order after a power cut matters.
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {number} [mode]
 */
export async function writeAtomic(path, content, mode) {
  const temporary = join(
    dirname(path),
    `.${path.slice(dirname(path).length + 1)}.${process.pid}.tmp`
  )
  await writeSynced(temporary, content, mode)
  await fs.rename(temporary, path)
}

/**
 * Writes a folder of files under a temporary name and renames it into place, so that a folder with
 * its proper name is complete. An older folder of that name is replaced.
 * @param {string} folder
 * @param {Record<string, string | Uint8Array>} files
 * @param {(written: number) => void} [afterFile] for tests that stop between files
 */
export async function writeFolder(folder, files, afterFile) {
  const parent = dirname(folder)
  const temporary = join(parent, `.${folder.slice(parent.length + 1)}.writing.tmp`)
  await fs.rm(temporary, { recursive: true, force: true })
  await fs.mkdir(temporary, { recursive: true })
  let written = 0
  await Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      await writeSynced(join(temporary, name), content)
      written += 1
      afterFile?.(written)
    })
  )
  await syncFolder(temporary)
  await fs.rm(folder, { recursive: true, force: true })
  await fs.rename(temporary, folder)
  await syncFolder(parent)
}

/**
 * A file's text, or null when there is none.
 * @param {string} path
 */
export async function readOptional(path) {
  try {
    return await fs.readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** @param {unknown} error */
export function isMissing(error) {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** @param {string | Uint8Array} content */
export function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}

/** @typedef {{ value: any, offset: number, length: number }} StoredLine */

/**
 * Append-only file of JSON lines. What `append` resolved for is on disk; a line torn by a kill is
 * cut off at the next opening.
 */
export class LineFile {
  /**
   * @param {string} path
   * @param {import('node:fs').promises.FileHandle} handle
   * @param {number} size
   */
  constructor(path, handle, size) {
    this.path = path
    this.handle = handle
    this.size = size
    /** @type {{ text: Buffer, durable: boolean, done: (offset: number) => void, failed: (error: unknown) => void }[]} */
    this.waiting = []
    this.busy = false
  }

  /**
   * @param {string} path
   * @returns {Promise<{ file: LineFile, lines: StoredLine[], torn: number }>} torn: bytes cut off
   */
  static async open(path) {
    const handle = await fs.open(path, 'a+', 0o600)
    const content = await handle.readFile()
    const end = content.lastIndexOf(0x0a) + 1
    if (end < content.length) await handle.truncate(end)
    const lines = []
    for (let start = 0; start < end;) {
      const stop = content.indexOf(0x0a, start)
      const text = content.subarray(start, stop).toString('utf8')
      lines.push({ value: JSON.parse(text), offset: start, length: stop - start })
      start = stop + 1
    }
    return { file: new LineFile(path, handle, end), lines, torn: content.length - end }
  }

  /**
   * Appends one line; lines that wait together share one sync. A line that need not be durable by
   * itself becomes so with the next one that must.
   * @param {string} line without newline
   * @param {boolean} durable
   * @returns {Promise<number>} byte offset of the line
   */
  append(line, durable = true) {
    return new Promise((done, failed) => {
      this.waiting.push({ text: Buffer.from(`${line}\n`), durable, done, failed })
      if (!this.busy) void this.drain()
    })
  }

  async drain() {
    this.busy = true
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0)
      try {
        await this.handle.appendFile(Buffer.concat(group.map((item) => item.text)))
        if (group.some((item) => item.durable)) await this.handle.datasync()
        for (const item of group) {
          const offset = this.size
          this.size += item.text.length
          item.done(offset)
        }
      } catch (error) {
        for (const item of group) item.failed(error)
      }
    }
    this.busy = false
  }

  /**
   * @param {number} offset
   * @param {number} length bytes
   */
  async readAt(offset, length) {
    const buffer = Buffer.alloc(length)
    await this.handle.read(buffer, 0, length, offset)
    return JSON.parse(buffer.toString('utf8'))
  }

  async close() {
    await this.handle.close()
  }
}

/**
 * JSON with sorted keys and no spaces, the form of Reef's commit log.
 * @param {unknown} value
 * @returns {string}
 */
export function sortedJson(value) {
  return JSON.stringify(value, (_, item) => {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return item
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  })
}
