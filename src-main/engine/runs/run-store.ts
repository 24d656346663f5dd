import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ResolvedValue } from '../../contract/recipes'
import { PreflightReport } from '../../contract/preflight'
import { type DamagedRun, RunEvent } from '../../contract/run'
import type { Text } from '../../contract/text'
import { Changes, type Clock, errorCode, fail, messageOf, writeFileAtomic } from '../lib'
import { makeHome } from './home'
import { installationId } from './installation'
import { JsonLinesFile, JsonLinesReader } from './json-lines'
import { Nursery } from './nursery'
import { nothingSeen, ReleaseRow, RUN_SCHEMA, RunRecord } from './run-record'

/** Files of one run folder. */
export interface RunPaths {
  folder: string
  record: string
  recipe: string
  resolved: string
  preflight: string
  events: string
  releases: string
  notes: string
  logs: string
  metrics: string
  /** Working folder of a stack that runs as a process: its relative state paths live here. */
  stack: string
  attempt(number: number): string
  /** Empty; there when an attempt was asked to end and the disk was too full to say so in the record. */
  stopAsked(number: number): string
}

export function runPaths(folder: string): RunPaths {
  return {
    folder,
    record: join(folder, 'run.json'),
    recipe: join(folder, 'recipe.yaml'),
    resolved: join(folder, 'resolved.json'),
    preflight: join(folder, 'preflight.json'),
    events: join(folder, 'events.jsonl'),
    releases: join(folder, 'releases.jsonl'),
    notes: join(folder, 'notes.md'),
    logs: join(folder, 'logs'),
    metrics: join(folder, 'metrics'),
    stack: join(folder, 'stack'),
    attempt: (number) => join(folder, 'logs', `attempt-${number}`),
    stopAsked: (number) => join(folder, `stop-asked-${number}`)
  }
}

export type NewRun = Omit<
  RunRecord,
  'schema' | 'id' | 'recipeHash' | 'seen' | 'attempts' | 'next'
> & {
  recipeText: Uint8Array
  resolved: readonly ResolvedValue[]
  preflight: PreflightReport | null
}

export interface Listing {
  records: RunRecord[]
  damaged: DamagedRun[]
}

type Loaded =
  | { kind: 'record'; record: RunRecord }
  | { kind: 'damaged'; damaged: DamagedRun }
  | { kind: 'absent' }

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** `SLIPWAY_HOME`, else `~/slipway`. */
export function defaultHome(environment: Readonly<Record<string, string | undefined>>): string {
  const chosen = environment['SLIPWAY_HOME']
  return chosen === undefined || chosen === '' ? join(homedir(), 'slipway') : chosen
}

/** `20260314-092653-practice-sao-1f3a`: sorts by time, says what it is, unique without asking anybody. */
export function newRunId(name: string, now: number): string {
  const time = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  return [time, slug, randomBytes(2).toString('hex')].filter((part) => part !== '').join('-')
}

/** The run folders of one home: the truth on disk. Whoever writes a run must hold its lock; reading needs none. */
export class RunStore {
  readonly changes = new Changes()
  /** Logs or metrics of some run grew: often, and of no interest to whoever looks at records. */
  readonly samples = new Changes()
  private readonly cache = new Map<string, { stamp: string; loaded: Loaded }>()
  private readonly appenders = new Map<string, JsonLinesFile>()
  private readonly eventReaders = new Readers((value) => RunEvent.safeParse(value).data ?? null)
  private readonly releaseReaders = new Readers((value) => ReleaseRow.safeParse(value).data ?? null)
  private readonly writes = new Map<string, Promise<unknown>>()

  private constructor(
    readonly home: string,
    readonly installation: string,
    private readonly clock: Clock
  ) {}

  /** Makes the home when it is missing. Throws FailureError when it cannot be written. */
  static async open(home: string, clock: Clock): Promise<RunStore> {
    await makeHome(home)
    return new RunStore(home, await installationId(home), clock)
  }

  paths(id: string): RunPaths {
    if (!ID.test(id)) {
      fail({
        code: 'run-unknown',
        what: { en: `There is no run “${id}”.`, zh: `没有名为“${id}”的运行。` },
        where: join(this.home, 'runs')
      })
    }
    return runPaths(join(this.home, 'runs', id))
  }

  /** Every run folder, newest first; what cannot be read is named with the reason and left alone. */
  async list(): Promise<Listing> {
    const entries = await readdir(join(this.home, 'runs'), { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory() && ID.test(entry.name))
    const loaded = await Promise.all(names.map((entry) => this.load(entry.name)))
    const listing: Listing = { records: [], damaged: [] }
    for (const one of loaded) {
      if (one.kind === 'record') listing.records.push(one.record)
      else if (one.kind === 'damaged') listing.damaged.push(one.damaged)
    }
    listing.records.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    return listing
  }

  /** Throws FailureError `run-unknown` or `run-damaged`. */
  async read(id: string): Promise<RunRecord> {
    const loaded = await this.load(id)
    switch (loaded.kind) {
      case 'record':
        return loaded.record
      case 'damaged':
        return fail({
          code: 'run-damaged',
          what: loaded.damaged.why,
          where: this.paths(id).record,
          remedy: loaded.damaged.remedy
        })
      case 'absent':
        return fail({
          code: 'run-unknown',
          what: { en: `There is no run “${id}”.`, zh: `没有名为“${id}”的运行。` },
          where: join(this.home, 'runs')
        })
    }
  }

  private async load(id: string): Promise<Loaded> {
    let stamp: string
    try {
      stamp = await this.stamp(id)
    } catch (cause) {
      return this.withoutRecord(id, cause)
    }
    const cached = this.cache.get(id)
    if (cached?.stamp === stamp) return cached.loaded
    const loaded = await this.parse(id)
    this.cache.set(id, { stamp, loaded })
    return loaded
  }

  private async stamp(id: string): Promise<string> {
    const facts = await stat(this.paths(id).record)
    return `${facts.ino} ${facts.size} ${facts.mtimeMs}`
  }

  private async withoutRecord(id: string, cause: unknown): Promise<Loaded> {
    const { folder } = this.paths(id)
    if (errorCode(cause) !== 'ENOENT') return damaged(id, folder, messageOf(cause))
    try {
      await stat(folder)
    } catch (missing) {
      if (errorCode(missing) === 'ENOENT') return { kind: 'absent' }
      return damaged(id, folder, messageOf(missing))
    }
    return damaged(id, folder, null)
  }

  private async parse(id: string): Promise<Loaded> {
    const { record, folder } = this.paths(id)
    let text = ''
    try {
      text = await readFile(record, 'utf8')
      const value: unknown = JSON.parse(text)
      const schema = schemaOf(value)
      if (schema !== null && schema > RUN_SCHEMA) return newer(id, folder, schema)
      const parsed = RunRecord.safeParse(value)
      if (parsed.success) return { kind: 'record', record: parsed.data }
      const issue = parsed.error.issues[0]
      return damaged(id, folder, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, text)
    } catch (cause) {
      return damaged(id, folder, messageOf(cause), text)
    }
  }

  /**
   * Makes the folder of a new run. `recipe.yaml` gets exactly the bytes given. `fill` may put more into the folder
   * before it is in place, and say what of that belongs into the record; when it fails there is no run.
   */
  async create(
    run: NewRun,
    fill: (paths: RunPaths) => Promise<Partial<RunRecord>> = () => Promise.resolve({})
  ): Promise<RunRecord> {
    const { recipeText, resolved, preflight, ...rest } = run
    const id = newRunId(run.name, run.createdAt)
    const { folder } = this.paths(id)
    // Born elsewhere and moved into place whole: a launch that is killed leaves no run that cannot be read.
    const nursery = new Nursery(join(this.home, 'runs'))
    await nursery.clear()
    const paths = runPaths(await nursery.place(id))
    await mkdir(paths.folder, { mode: 0o700 })
    await mkdir(paths.logs, { mode: 0o700 })
    await mkdir(paths.metrics, { mode: 0o700 })
    await mkdir(paths.stack, { mode: 0o700 })
    await writeFileAtomic(paths.recipe, recipeText)
    await writeFileAtomic(paths.resolved, `${JSON.stringify(resolved, null, 2)}\n`)
    if (preflight !== null) {
      await writeFileAtomic(paths.preflight, `${JSON.stringify(preflight, null, 2)}\n`)
    }
    await writeFileAtomic(paths.notes, '')
    const filled = await fill(paths).catch(async (cause: unknown) => {
      await rm(paths.folder, { recursive: true, force: true })
      throw cause
    })
    const record: RunRecord = {
      ...rest,
      schema: RUN_SCHEMA,
      id,
      recipeHash: createHash('sha256').update(recipeText).digest('hex'),
      attempts: [],
      next: null,
      seen: nothingSeen,
      ...filled
    }
    await writeFileAtomic(paths.record, `${JSON.stringify(record, null, 2)}\n`)
    await rename(paths.folder, folder)
    this.changes.mark()
    return record
  }

  /** Applies `change` to the newest record and writes it. Calls for one run follow one another. */
  update(id: string, change: (record: RunRecord) => RunRecord): Promise<RunRecord> {
    const before = this.writes.get(id) ?? Promise.resolve()
    const write = before.then(async () => {
      const record = change(await this.read(id))
      await writeFileAtomic(this.paths(id).record, `${JSON.stringify(record, null, 2)}\n`)
      this.cache.set(id, { stamp: await this.stamp(id), loaded: { kind: 'record', record } })
      this.changes.mark()
      return record
    })
    // The next write must not inherit this one's failure; its own caller has it.
    this.writes.set(
      id,
      write.catch(() => undefined)
    )
    return write
  }

  async appendEvent(id: string, event: Omit<RunEvent, 'at'> & { at?: number }): Promise<void> {
    await this.appender(this.paths(id).events).append([{ at: this.clock.now(), ...event }])
    this.changes.mark()
  }

  /** Events in the order they were written. Lines that are not events are left out. */
  events(id: string): Promise<RunEvent[]> {
    return this.eventReaders.read(this.paths(id).events)
  }

  async appendReleases(id: string, rows: readonly ReleaseRow[]): Promise<void> {
    await this.appender(this.paths(id).releases).append(rows)
    this.changes.mark()
  }

  /** Whether the file of a run's releases is not there: nothing was kept yet, or somebody took it away. */
  async releasesGone(id: string): Promise<boolean> {
    try {
      await stat(this.paths(id).releases)
      return false
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return true
      throw cause
    }
  }

  releases(id: string): Promise<ReleaseRow[]> {
    return this.releaseReaders.read(this.paths(id).releases)
  }

  async notes(id: string): Promise<string> {
    return (await textOrNull(this.paths(id).notes)) ?? ''
  }

  async writeNotes(id: string, text: string): Promise<void> {
    await writeFileAtomic(this.paths(id).notes, text)
    this.changes.mark()
  }

  /** The preflight report the run was launched with; null when there is none. */
  async preflight(id: string): Promise<PreflightReport | null> {
    const text = await textOrNull(this.paths(id).preflight)
    return text === null ? null : PreflightReport.parse(JSON.parse(text))
  }

  private appender(file: string): JsonLinesFile {
    const known = this.appenders.get(file)
    if (known !== undefined) return known
    const made = new JsonLinesFile(file)
    this.appenders.set(file, made)
    return made
  }
}

/** One incremental reader a file. */
class Readers<T> {
  private readonly open = new Map<string, JsonLinesReader<T>>()

  constructor(private readonly accept: (value: unknown) => T | null) {}

  read(file: string): Promise<T[]> {
    const known = this.open.get(file)
    if (known !== undefined) return known.read()
    const made = new JsonLinesReader(file, this.accept)
    this.open.set(file, made)
    return made.read()
  }
}

function schemaOf(value: unknown): number | null {
  return typeof value === 'object' &&
    value !== null &&
    'schema' in value &&
    typeof value.schema === 'number'
    ? value.schema
    : null
}

function newer(id: string, folder: string, schema: number): Loaded {
  return {
    kind: 'damaged',
    damaged: {
      id,
      folder,
      why: {
        en: `Written by a newer Slipway (format ${schema}; this one reads ${RUN_SCHEMA}).`,
        zh: `由更新版本的 Slipway 写入（格式 ${schema}，当前版本只读到 ${RUN_SCHEMA}）。`
      },
      remedy: { en: 'Update Slipway to open it.', zh: '请升级 Slipway 后再打开。' }
    }
  }
}

/** @param text what is left of its record */
function damaged(id: string, folder: string, detail: string | null, text = ''): Loaded {
  const file = runPaths(folder).record
  const why =
    detail === null
      ? {
          en: 'The folder has no run.json, so Slipway does not know what it holds. It was left as it is.',
          zh: '该文件夹里没有 run.json，Slipway 无法得知其内容；已原样保留。'
        }
      : {
          en: `${file} cannot be read (${detail}). The folder was left as it is.`,
          zh: `无法读取 ${file}（${detail}）。该文件夹已原样保留。`
        }
  return { kind: 'damaged', damaged: { id, folder, why, remedy: damagedRemedy(id, file, text) } }
}

/** The stack that a record names last, though the record as a whole cannot be read; null where it names none. Pure. */
function lastStack(text: string): { kind: 'process' | 'container'; name: string } | null {
  const handle =
    /"handle":\s*\{\s*"kind":\s*"(?:process",\s*"pid":\s*(\d+)|container",\s*"id":\s*"([0-9a-f]+)")/g
  const [, pid, container] = [...text.matchAll(handle)].at(-1) ?? []
  if (pid !== undefined && Number(pid) > 0) return { kind: 'process', name: pid }
  return container === undefined ? null : { kind: 'container', name: container.slice(0, 12) }
}

function damagedRemedy(id: string, file: string, text: string): Text {
  const stack = lastStack(text)
  const named =
    stack === null
      ? { en: '', zh: '' }
      : stack.kind === 'process'
        ? {
            en: ` What is left of it names process ${stack.name} (with all of its session).`,
            zh: `残留内容提到进程 ${stack.name}（及其整个会话）。`
          }
        : {
            en: ` What is left of it names container ${stack.name}.`,
            zh: `残留内容提到容器 ${stack.name}。`
          }
  return {
    en: `Put ${file} back from a backup, or move the folder out of the runs folder. A stack that it started is not touched.${named.en} “pgrep -f ${id}” and “docker ps --filter label=slipway.run=${id}” show what still runs; “kill” with those process ids, or “docker stop”, ends it.`,
    zh: `请从备份恢复 ${file}，或将该文件夹移出 runs 目录。它启动的运行栈不会被触碰。${named.zh}“pgrep -f ${id}”与“docker ps --filter label=slipway.run=${id}”可查看仍在运行的部分；用“kill”加这些进程号，或用“docker stop”结束它。`
  }
}

async function textOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}
