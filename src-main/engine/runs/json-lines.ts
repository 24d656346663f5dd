import { open, readFile } from 'node:fs/promises'
import { errorCode } from '../lib'

const NEWLINE = 0x0a

/** Lines of an append-only file that parsed, and how many did not (a torn last line does not count). */
export interface JsonLines {
  values: unknown[]
  unreadable: number
}

function parse(line: string): { value: unknown } | null {
  try {
    const value: unknown = JSON.parse(line)
    return { value }
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}

/** Parses text of one JSON value a line. The piece after the last newline is a write that did not finish. */
export function parseJsonLines(text: string): JsonLines {
  const values: unknown[] = []
  let unreadable = 0
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  for (const line of lines) {
    if (line.trim() === '') continue
    const parsed = parse(line)
    if (parsed === null) unreadable += 1
    else values.push(parsed.value)
  }
  const tail = last.trim() === '' ? null : parse(last)
  if (tail !== null) values.push(tail.value)
  return { values, unreadable }
}

/** Reads a whole append-only file; a file that is not there has no lines. */
export async function readJsonLines(file: string): Promise<JsonLines> {
  try {
    return parseJsonLines(await readFile(file, 'utf8'))
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return { values: [], unreadable: 0 }
    throw cause
  }
}

/**
 * Makes the end of the file a line end again after a crash in the middle of an append: a tail that is whole JSON
 * gets its newline, a torn one is cut off (nobody was told that it had been written).
 */
async function mend(file: string): Promise<void> {
  let handle
  try {
    handle = await open(file, 'r+')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return
    throw cause
  }
  try {
    const bytes = await handle.readFile()
    if (bytes.length === 0 || bytes[bytes.length - 1] === NEWLINE) return
    const start = bytes.lastIndexOf(NEWLINE) + 1
    const tail = bytes.subarray(start).toString('utf8')
    if (parse(tail) === null) await handle.truncate(start)
    else await handle.write('\n', bytes.length)
  } finally {
    await handle.close()
  }
}

/** One writer's end of an append-only file of JSON lines. Appends keep their order. */
export class JsonLinesFile {
  private queue: Promise<void>

  constructor(private readonly file: string) {
    this.queue = Promise.resolve()
  }

  private mended = false

  /** Resolves when the lines are in the file (handed to the operating system: they survive our own crash). */
  append(values: readonly unknown[]): Promise<void> {
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join('')
    const write = this.queue.then(() => this.write(text))
    // A failed append must not make the ones after it fail unseen: its caller gets the error, the queue goes on.
    this.queue = write.catch(() => undefined)
    return write
  }

  private async write(text: string): Promise<void> {
    if (!this.mended) {
      await mend(this.file)
      this.mended = true
    }
    if (text === '') return
    const handle = await open(this.file, 'a', 0o600)
    try {
      const { size } = await handle.stat()
      try {
        await handle.writeFile(text)
      } catch (cause) {
        // A part may be there now (disk full), even whole lines, which the caller will write again.
        this.mended = false
        await handle.truncate(size)
        throw cause
      }
    } finally {
      await handle.close()
    }
  }
}

/**
 * Reads an append-only file again and again, each line once. A file that was replaced or cut is read from its start.
 * The values already given stay the same objects.
 */
export class JsonLinesReader<T> {
  private values: T[] = []
  private offset = 0
  private inode = -1
  private reading: Promise<T[]> = Promise.resolve([])

  /** @param accept gives the value of a line, or null for a line to leave out */
  constructor(
    private readonly file: string,
    private readonly accept: (value: unknown) => T | null
  ) {}

  /** All values of the file as it is now. */
  read(): Promise<T[]> {
    const next = this.reading.then(
      () => this.more(),
      () => this.more()
    )
    this.reading = next
    return next
  }

  private async more(): Promise<T[]> {
    let handle
    try {
      handle = await open(this.file, 'r')
    } catch (cause) {
      if (errorCode(cause) !== 'ENOENT') throw cause
      // The next file of this name may get the same inode.
      this.inode = -1
      this.offset = 0
      this.values = []
      return []
    }
    try {
      const facts = await handle.stat()
      if (facts.ino !== this.inode || facts.size < this.offset) {
        this.inode = facts.ino
        this.offset = 0
        this.values = []
      }
      if (facts.size > this.offset) {
        const bytes = Buffer.alloc(facts.size - this.offset)
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, this.offset)
        const end = bytes.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1
        const lines = parseJsonLines(bytes.subarray(0, end).toString('utf8'))
        this.offset += end
        const added = lines.values.map(this.accept).filter((value) => value !== null)
        this.values = [...this.values, ...added]
      }
      return this.values
    } finally {
      await handle.close()
    }
  }
}
