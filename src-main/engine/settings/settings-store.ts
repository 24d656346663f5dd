import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Settings } from '../../contract/settings'
import type { Text } from '../../contract/text'
import { Changes, errorCode, messageOf, writeFileAtomic } from '../lib'

export const defaultSettings: Settings = {
  version: 1,
  language: 'system',
  theme: 'system',
  keepWatching: false
}

export type SettingsChange = {
  [Key in Exclude<keyof Settings, 'version'>]?: Settings[Key] | undefined
}

/** `settings.json` of the home. Whatever it holds, the app starts: a damaged file is kept aside and said. */
export class SettingsStore {
  private readonly changes = new Changes()
  private writing: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly file: string,
    private settings: Settings,
    /** What was wrong with the file at start, for a person; null when nothing was. */
    readonly problem: Text | null
  ) {}

  static async open(home: string): Promise<SettingsStore> {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const file = join(home, 'settings.json')
    const read = await readSettings(file)
    if (read.kind === 'ok') return new SettingsStore(file, read.settings, null)
    if (read.kind === 'absent') return new SettingsStore(file, defaultSettings, null)
    const aside = `${file}.damaged-${Date.now()}`
    await rename(file, aside)
    return new SettingsStore(file, defaultSettings, {
      en: `The settings file could not be read (${read.why}). It was kept as ${aside}; the defaults are used.`,
      zh: `无法读取设置文件（${read.why}）。原文件已保留为 ${aside}，现在使用默认设置。`
    })
  }

  get(): Settings {
    return this.settings
  }

  /** Checks and writes the changed settings; what is on disk is never half of them. */
  set(change: SettingsChange): Promise<Settings> {
    const next = this.writing.then(async () => {
      const defined = Object.fromEntries(
        Object.entries(change).filter(([, value]) => value !== undefined)
      )
      const settings = Settings.parse({ ...this.settings, ...defined, version: 1 })
      await writeFileAtomic(this.file, `${JSON.stringify(settings, null, 2)}\n`)
      this.settings = settings
      this.changes.mark()
      return settings
    })
    // A failed write is its caller's to hear of; the next one starts afresh.
    this.writing = next.catch(() => undefined)
    return next
  }

  /** The settings now, and again after every change. */
  async *watch(signal?: AbortSignal): AsyncGenerator<Settings, void, undefined> {
    for await (const _ of this.changes.watch(0, signal)) {
      void _
      yield this.settings
    }
  }
}

type Read =
  { kind: 'ok'; settings: Settings } | { kind: 'absent' } | { kind: 'damaged'; why: string }

async function readSettings(file: string): Promise<Read> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return { kind: 'absent' }
    throw cause
  }
  try {
    const value: unknown = JSON.parse(text)
    // Keys an older file lacks take their defaults; wrong values are damage.
    const parsed = Settings.safeParse(
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { ...defaultSettings, ...value }
        : value
    )
    if (parsed.success) return { kind: 'ok', settings: parsed.data }
    const issue = parsed.error.issues[0]
    return { kind: 'damaged', why: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` }
  } catch (cause) {
    return { kind: 'damaged', why: messageOf(cause) }
  }
}
