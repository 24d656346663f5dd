import { basename, dirname, resolve } from 'node:path'
import type { Imported, ImportedFile } from '../../contract/run'
import type { Text } from '../../contract/text'
import { type Clock, fail, redactor } from '../lib'
import {
  findMetrics,
  isDamage,
  nothingIn,
  type MetricStore,
  openMetricStore,
  type Problem,
  readMetricFile,
  readStore,
  type Row
} from '../metrics'
import { nothingSeen, type RunRecord, type RunStore } from '../runs'
import { readReward } from './reward'
import { runName } from './run-name'

/** The target of a record that was not launched. */
export const IMPORTED = 'import'

/** Rows that are written at once. */
const ROWS_A_FRAME = 5_000
/** Sets of names remembered; more of them than this are no rows alike. */
const MOST_NAMES = 1_000
/** Problems told one by one; the rest is counted. */
const MOST_PROBLEMS = 20
/** What the recipe of a record without one says: an object with nothing in it. */
const NO_RECIPE = '# Imported: no recipe came with these files.\n{}\n'
/** Times before this (2000) are none: a file that does not say when counts from 0. */
const NO_TIME = Date.UTC(2000, 0, 1)

export interface ImportRequest {
  paths: readonly string[]
  name?: string | undefined
}

/**
 * Makes a record of files that some tracker or stack has left: TensorBoard and W&B files, CSV, JSONL, logs, or the
 * folder of a run. The files are read, not moved; the record keeps their numbers.
 * @throws FailureError `metrics-file-…` for a file that is none of these, `import-empty` when no number is in them.
 */
export async function importRun(
  request: ImportRequest,
  { store, clock, appVersion }: { store: RunStore; clock: Clock; appVersion: string }
): Promise<{ run: string; imported: Imported; problems: Text[]; damaged: boolean }> {
  const first = resolve(request.paths[0] ?? '')
  const redact = redactor([])
  const faults = new Faults()
  const name = redact(request.name === undefined ? basename(first) : runName(request.name))
  const record = await store.create(
    {
      name,
      tags: [],
      starred: false,
      archived: false,
      createdAt: clock.now(),
      recipe: {
        name,
        path: first,
        dialect: 'unknown',
        family: null,
        practice: false,
        model: null
      },
      target: { id: IMPORTED, name: 'Import', kind: 'import' },
      appVersion,
      checkout: null,
      rollback: 'none',
      overrides: [],
      companions: [],
      recipeText: Buffer.from(NO_RECIPE),
      resolved: [],
      preflight: null
    },
    (paths) => fill(paths.metrics, request.paths, faults)
  )
  if (record.imported === undefined) throw new Error('the record came without what was imported')
  return {
    run: record.id,
    imported: record.imported,
    problems: faults.told(),
    damaged: faults.damaged
  }
}

/** What of the files could not be read, and what was left out. */
class Faults {
  damaged = false
  private readonly all: Text[] = []

  add(file: string, problem: Problem): void {
    this.say(file, problem.what)
    this.damaged ||= isDamage(problem)
  }

  /** What a person should know of a file of which nothing is lost. */
  say(file: string, { en, zh }: Text): void {
    this.all.push({ en: `${file}: ${en}`, zh: `${file}：${zh}` })
  }

  get count(): number {
    return this.all.length
  }

  /** The first of them, and how many more there are. */
  told(): Text[] {
    const more = this.all.length - MOST_PROBLEMS
    if (more <= 0) return this.all
    const rest = { en: `${more} more like these.`, zh: `另有 ${more} 处类似问题。` }
    return [...this.all.slice(0, MOST_PROBLEMS), rest]
  }
}

async function fill(
  folder: string,
  paths: readonly string[],
  faults: Faults
): Promise<Pick<RunRecord, 'imported' | 'seen'>> {
  const store = await openMetricStore(folder)
  try {
    const intake = new Intake(store)
    const files: ImportedFile[] = []
    for (const path of paths) files.push(...(await readPlace(resolve(path), intake, faults)))
    if (intake.samples === 0) nothingFound(paths, faults.told())
    const { samples, from, to } = intake
    const seen = {
      ...nothingSeen,
      step: Math.max(0, Math.trunc(intake.step)),
      lastSampleAt: to,
      reward: await readReward(store)
    }
    return { imported: { files, samples, keys: store.keys().length, from, to }, seen }
  } finally {
    await store.close()
  }
}

async function readPlace(path: string, intake: Intake, faults: Faults): Promise<ImportedFile[]> {
  const place = await findMetrics(path)
  if (place.kind === 'store') {
    const before = intake.samples
    intake.begin(`1/${basename(path)}`)
    await readStore(place.folder, {
      row: (row) => intake.row(row),
      problem: (problem) => faults.add(path, problem)
    })
    await intake.end()
    return [{ path, format: 'run', samples: intake.samples - before }]
  }
  const read: ImportedFile[] = []
  for (const file of place.files) {
    const before = intake.samples
    const faultsBefore = faults.count
    // Event files of one folder are one run that was taken up again; their names sort by time.
    const isPart = /tfevents/.test(basename(file))
    intake.begin(`1/${isPart ? basename(dirname(file)) : basename(file)}`)
    const format = await readMetricFile(file, {
      row: (row) => intake.row(row),
      problem: (problem) => faults.add(file, problem)
    })
    await intake.end()
    const samples = intake.samples - before
    // Nothing is lost with it, and somebody who named it should know that it gave nothing.
    if (samples === 0 && faults.count === faultsBefore) faults.say(file, nothingIn(format))
    read.push({ path: file, format, samples })
  }
  return read
}

/** Rows on their way into the store, a frame at a time, names redacted. */
class Intake {
  samples = 0
  step = 0
  from: number | null = null
  to: number | null = null
  private source = ''
  private rows: Row[] = []
  private work: Promise<void> = Promise.resolve()
  private readonly redact = redactor([])
  /** Redacted names by the names they came as; rows alike share one array. */
  private readonly cleaned = new Map<string, readonly string[]>()

  constructor(private readonly store: MetricStore) {}

  begin(source: string): void {
    this.source = source
  }

  row(row: Row): void {
    const keys = this.clean(row.keys)
    this.rows.push({ ...row, keys })
    this.samples += keys.length
    const step = Math.trunc(row.x)
    // A file may say anything; what no stack counts to is drawn, and is not the run's step.
    if ((row.axis === 'step' || row.axis === 'rollout') && Number.isSafeInteger(step))
      this.step = Math.max(this.step, step)
    if (row.at > NO_TIME) {
      this.from = Math.min(this.from ?? row.at, row.at)
      this.to = Math.max(this.to ?? row.at, row.at)
    }
    if (this.rows.length >= ROWS_A_FRAME) this.flush()
  }

  /** Resolves when everything so far is kept. */
  async end(): Promise<void> {
    this.flush()
    await this.work
  }

  private flush(): void {
    const { rows, source } = this
    this.rows = []
    if (rows.length === 0) return
    this.work = this.work.then(async () => {
      const from = this.store.cursor(source)?.offset ?? 0
      await this.store.append({ source, attempt: 1, from, to: from + rows.length, rows })
    })
    // Whoever waits for `end` has the failure.
    this.work.catch(() => undefined)
  }

  private clean(keys: readonly string[]): readonly string[] {
    const name = keys.join('\n')
    const known = this.cleaned.get(name) ?? keys.map((key) => this.redact(key))
    if (this.cleaned.size < MOST_NAMES) this.cleaned.set(name, known)
    return known
  }
}

function nothingFound(paths: readonly string[], why: readonly Text[]): never {
  const said = { en: why.map(({ en }) => en).join(' '), zh: why.map(({ zh }) => zh).join('') }
  fail({
    code: 'import-empty',
    what: {
      en: `No number was found, so there is nothing to draw. ${said.en}`.trimEnd(),
      zh: `没有找到任何数值，无可绘制。${said.zh}`
    },
    where: paths.join(', '),
    remedy: {
      en: 'Choose TensorBoard event files, W&B offline files, CSV, JSONL or JSON with a step column, or the log of a known stack.',
      zh: '请选择 TensorBoard 事件文件、W&B 离线文件、带步数列的 CSV、JSONL 或 JSON，或已知运行栈的日志。'
    }
  })
}
