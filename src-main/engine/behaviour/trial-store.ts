import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Trial } from '../../contract/behaviour'
import { errorCode, fail, writeFileAtomic } from '../lib'
import { JsonLinesFile, readJsonLines } from '../runs'
import { TrialHead, TrialLine, trialOf } from './trial-record'

const PLAIN_ID = /^[\w-]{1,80}$/

/** Trials of a home, a folder each: `trial.json`, written once, and `lines.jsonl`, appended to. */
export class TrialStore {
  private readonly files = new Map<string, JsonLinesFile>()

  constructor(private readonly folder: string) {}

  async make(head: TrialHead): Promise<Trial> {
    const place = this.place(head.id)
    await mkdir(place, { recursive: true, mode: 0o700 })
    await writeFileAtomic(join(place, 'trial.json'), `${JSON.stringify(head, null, 2)}\n`)
    return trialOf(head, [])
  }

  async read(id: string): Promise<Trial> {
    const place = this.place(id)
    const text = await readFile(join(place, 'trial.json'), 'utf8').catch((cause: unknown) => {
      if (errorCode(cause) === 'ENOENT') return unknownTrial(id)
      throw cause
    })
    const head = headOf(text)
    if (head === null)
      return fail({
        code: 'trial-unreadable',
        what: { en: 'This trial is damaged.', zh: '该对照已损坏。' },
        where: join(place, 'trial.json'),
        remedy: { en: 'Put it back from a backup, or remove it.', zh: '请从备份恢复，或将其删除。' }
      })
    const { values } = await readJsonLines(join(place, 'lines.jsonl'))
    return trialOf(
      head,
      values.flatMap((value) => TrialLine.safeParse(value).data ?? [])
    )
  }

  /** Newest first. */
  async list(): Promise<{ trials: Trial[]; unreadable: string[] }> {
    const names = await readdir(this.folder).catch((cause: unknown) => {
      if (errorCode(cause) === 'ENOENT') return []
      throw cause
    })
    const trials: Trial[] = []
    const unreadable: string[] = []
    for (const id of names.filter((name) => PLAIN_ID.test(name))) {
      const file = join(this.folder, id, 'trial.json')
      const text = await readFile(file, 'utf8').catch((cause: unknown) => {
        if (errorCode(cause) === 'ENOENT' || errorCode(cause) === 'ENOTDIR') return null
        throw cause
      })
      if (text === null) continue
      if (headOf(text) === null) unreadable.push(file)
      else trials.push(await this.read(id))
    }
    return { trials: trials.sort((one, two) => two.madeAt - one.madeAt), unreadable }
  }

  append(id: string, lines: readonly TrialLine[]): Promise<void> {
    const file = this.files.get(id) ?? new JsonLinesFile(join(this.place(id), 'lines.jsonl'))
    this.files.set(id, file)
    return file.append(lines)
  }

  async remove(id: string): Promise<void> {
    this.files.delete(id)
    await rm(this.place(id), { recursive: true, force: true })
  }

  private place(id: string): string {
    return PLAIN_ID.test(id) ? join(this.folder, id) : unknownTrial(id)
  }
}

function headOf(text: string): TrialHead | null {
  try {
    return TrialHead.safeParse(JSON.parse(text)).data ?? null
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}

function unknownTrial(id: string): never {
  return fail({
    code: 'trial-unknown',
    what: { en: 'There is no such trial.', zh: '没有该对照。' },
    where: id,
    remedy: { en: '“slipway trials” lists them.', zh: '“slipway trials”可列出全部。' }
  })
}
