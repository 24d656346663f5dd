import { open } from 'node:fs/promises'
import { errorCode, fail, messageOf } from '../lib'
import type { FileAccess } from '../targets'

/** Random reads of one file whose size was taken when it was opened. */
export interface ByteSource {
  /** Shown in messages. */
  readonly path: string
  readonly size: number
  /** Fills `into` from `offset`; fails when the file ends before. */
  read(into: Uint8Array, offset: number): Promise<void>
  close(): Promise<void>
}

/** Opens a file for random reads, or says null when there is none. */
export type OpenSource = (path: string) => Promise<ByteSource | null>

function shorter(path: string): never {
  return fail({
    code: 'file-cut-short',
    what: {
      en: 'The file ended while it was being read.',
      zh: '读取过程中文件提前结束。'
    },
    where: path,
    remedy: {
      en: 'It may still be written, or the copy is incomplete. Compare again when it is whole.',
      zh: '文件可能仍在写入，或拷贝不完整。请在文件完整后再比较。'
    }
  })
}

/** Files of this machine, read into the caller's memory without a copy between. */
export const openLocalSource: OpenSource = async (path) => {
  const handle = await open(path, 'r').catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return null
    return fail(
      {
        code: 'file-unreadable',
        what: { en: 'The file cannot be read.', zh: '无法读取该文件。' },
        where: path,
        detail: messageOf(cause)
      },
      cause
    )
  })
  if (handle === null) return null
  const stats = await handle.stat()
  if (!stats.isFile()) {
    await handle.close()
    return null
  }
  return {
    path,
    size: stats.size,
    async read(into, offset) {
      for (let done = 0; done < into.length;) {
        const { bytesRead } = await handle.read(into, done, into.length - done, offset + done)
        if (bytesRead === 0) return shorter(path)
        done += bytesRead
      }
    },
    close: () => handle.close()
  }
}

/** Files of a target, wherever it is. */
export function sourcesOf(files: FileAccess): OpenSource {
  return async (path) => {
    const facts = await files.stat(path)
    if (facts === null || facts.kind !== 'file') return null
    return {
      path,
      size: facts.size,
      async read(into, offset) {
        for (let done = 0; done < into.length;) {
          const bytes = await files.read(path, offset + done, into.length - done)
          if (bytes === null || bytes.length === 0) return shorter(path)
          into.set(bytes.subarray(0, into.length - done), done)
          done += bytes.length
        }
      },
      close: () => Promise.resolve()
    }
  }
}

/** The whole of a small text file, null when there is none; fails above `limit` bytes rather than allocate for it. */
export async function readText(
  openSource: OpenSource,
  path: string,
  limit = 64 * 1024 * 1024
): Promise<string | null> {
  const source = await openSource(path)
  if (source === null) return null
  try {
    if (source.size > limit)
      return fail({
        code: 'file-too-large',
        what: {
          en: `The file has ${source.size} bytes; one of this sort has at most ${limit}.`,
          zh: `该文件有 ${source.size} 字节；此类文件最多 ${limit} 字节。`
        },
        where: path
      })
    const bytes = new Uint8Array(source.size)
    await source.read(bytes, 0)
    return new TextDecoder().decode(bytes)
  } finally {
    await source.close()
  }
}
