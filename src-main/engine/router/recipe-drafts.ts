import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { RecipeDraft } from '../../contract/recipes'
import { errorCode, writeFileAtomic, type Clock } from '../lib'

/** Unsaved edits of recipes, one file each in a folder of the home, so that a crash loses none. */
export class RecipeDrafts {
  /** Calls of the page may overlap; the later one must also be written later. */
  private last: Promise<void> = Promise.resolve()

  constructor(
    private readonly folder: string,
    private readonly clock: Clock
  ) {}

  /** The edits kept for a file; null when there are none, or none that can be read. */
  async read(path: string): Promise<RecipeDraft | null> {
    await this.last.catch(() => undefined)
    const text = await readFile(this.fileOf(path), 'utf8').catch((thrown: unknown) => {
      if (errorCode(thrown) === 'ENOENT') return null
      throw thrown
    })
    if (text === null) return null
    const parsed = RecipeDraft.safeParse(readJson(text))
    return parsed.success ? parsed.data : null
  }

  /** Keeps `text` for a file; null forgets what was kept. */
  keep(draft: { path: string; text: string | null; modified: number }): Promise<void> {
    const write = async (): Promise<void> => {
      const file = this.fileOf(draft.path)
      if (draft.text === null) return rm(file, { force: true })
      await mkdir(this.folder, { recursive: true, mode: 0o700 })
      const kept = { ...draft, path: resolve(draft.path), at: this.clock.now() }
      await writeFileAtomic(file, `${JSON.stringify(kept)}\n`, 0o600)
    }
    // A failed write is told to its own caller; the next one starts all the same.
    this.last = this.last.then(write, write)
    return this.last
  }

  private fileOf(path: string): string {
    const name = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 32)
    return join(this.folder, `${name}.json`)
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A draft cut short by a crash of the machine holds nothing that could be offered back.
    return null
  }
}
