import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { errorCode, fail, writeFileAtomic } from '../lib'

const PLAIN_ID = /^[\w-]{1,80}$/

/** A folder of small JSON documents, one file each, written whole or not at all. */
export class Shelf<T extends { id: string }> {
  constructor(
    private readonly folder: string,
    private readonly schema: z.ZodType<T>
  ) {}

  /** Every document; names of the files that hold none are given apart. */
  async list(): Promise<{ documents: T[]; unreadable: string[] }> {
    const names = await readdir(this.folder).catch((cause: unknown) => {
      if (errorCode(cause) === 'ENOENT') return []
      throw cause
    })
    const documents: T[] = []
    const unreadable: string[] = []
    for (const name of names.filter((one) => /^[\w-]+\.json$/.test(one)).sort()) {
      const file = join(this.folder, name)
      const document = this.parse(await readFile(file, 'utf8'))
      if (document === null) unreadable.push(file)
      else documents.push(document)
    }
    return { documents, unreadable }
  }

  /** Throws FailureError `kept-unknown` for an id that is not there, `kept-unreadable` for a damaged file. */
  async get(id: string): Promise<T> {
    const text = await readFile(this.file(id), 'utf8').catch((cause: unknown) => {
      if (errorCode(cause) === 'ENOENT') return this.unknown(id)
      throw cause
    })
    return (
      this.parse(text) ??
      fail({
        code: 'kept-unreadable',
        what: { en: 'This file is damaged.', zh: '该文件已损坏。' },
        where: this.file(id),
        remedy: { en: 'Put it back from a backup, or remove it.', zh: '请从备份恢复，或将其删除。' }
      })
    )
  }

  async put(document: T): Promise<T> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    await writeFileAtomic(this.file(document.id), `${JSON.stringify(document, null, 2)}\n`)
    return document
  }

  async remove(id: string): Promise<void> {
    await rm(this.file(id), { force: true })
  }

  private file(id: string): string {
    return PLAIN_ID.test(id) ? join(this.folder, `${id}.json`) : this.unknown(id)
  }

  private unknown(id: string): never {
    return fail({
      code: 'kept-unknown',
      what: { en: `Nothing is kept under “${id}”.`, zh: `没有以“${id}”保存的内容。` },
      where: this.folder,
      remedy: { en: 'Look at the list again.', zh: '请重新查看列表。' }
    })
  }

  private parse(text: string): T | null {
    try {
      return this.schema.safeParse(JSON.parse(text)).data ?? null
    } catch (cause) {
      if (cause instanceof SyntaxError) return null
      throw cause
    }
  }
}
