import type { Command } from 'commander'
import { FailureError } from '../engine/lib'
import {
  findMetrics,
  isDamage,
  nothingIn,
  readMetricFile,
  readStore,
  type Problem,
  type Row
} from '../engine/metrics'
import type { Failure } from '../contract/failure'
import type { Text } from '../contract/text'
import { sayFailure } from './engine-client'
import { nearKeys } from './near-keys'
import { EXIT, note, table, words, type Io } from './output'

interface Options {
  key?: string[]
  summary?: boolean
  json?: boolean
  csv?: boolean
}

interface KeySummary {
  key: string
  axis: Row['axis']
  count: number
  first: number
  last: number
  /** Null when it is not finite. */
  lastValue: number | null
  nonFinite: number
}

/** Lines told one by one that could not be read; the rest is counted. */
const MOST_PROBLEMS = 5

/** `slipway metrics FILE… [--key K] [--summary] [--json|--csv]`: reads any supported file and prints its numbers. */
export function registerMetricsCommand(program: Command, io: Io): void {
  program
    .command('metrics')
    .description('read metrics from logs, TensorBoard, W&B, CSV, JSON files or run folders')
    .argument('<file...>', 'files or folders to read, merged in this order')
    .option('--key <key...>', 'only these keys; without --summary every point of them')
    .option('--summary', 'one line a key: count, first and last step, last value, non-finite count')
    .option('--json', 'print JSON (an object a line without --summary)')
    .option('--csv', 'print CSV')
    .action(async (paths: string[], _options: Options, command: Command) => {
      io.exit(await run(paths, command.optsWithGlobals<Options>(), io))
    })
}

async function run(paths: readonly string[], options: Options, io: Io): Promise<number> {
  const report = new Report(options, io)
  let worst: number = EXIT.ok
  for (const path of paths) {
    try {
      const place = await findMetrics(path)
      if (place.kind === 'store') {
        const { code } = await readPlace(path, report, io, async (sink) =>
          readStore(place.folder, sink)
        )
        worst = Math.max(worst, code)
        continue
      }
      for (const file of place.files) worst = Math.max(worst, await readFile(file, report, io))
    } catch (cause) {
      if (!(cause instanceof FailureError)) throw cause
      say(io, { where: path, ...cause.failure })
      return EXIT.unreadable
    }
  }
  // Beside metrics a file without one is nothing special; alone it was no metric file.
  if (report.nothingAtAll) return EXIT.unreadable
  return worst === EXIT.unreadable ? worst : Math.max(worst, report.end())
}

/** One line for people, with the file first; the form of every error where JSON was asked for. */
function say(io: Io, failure: Failure): void {
  const { what, where = '', remedy } = failure
  if (io.json?.() === true) sayFailure(io, failure)
  else io.err(`${where}: ${words(io, what)}${remedy === undefined ? '' : ` ${words(io, remedy)}`}`)
}

/** What is said of a file. */
function about(file: string, { en, zh }: Text): Text {
  return { en: `${file}: ${en}`, zh: `${file}：${zh}` }
}

/** Exit code of one file. */
async function readFile(file: string, report: Report, io: Io): Promise<number> {
  const { code, rows, problems, read } = await readPlace(file, report, io, (sink) =>
    readMetricFile(file, sink)
  )
  // The end of a file that is still being written may bring the first number.
  const isDone = !problems.some((one) => isDamage(one) || one.code === 'torn-tail')
  if (rows === 0 && isDone) {
    report.emptyFile()
    if (problems.length === 0)
      say(io, { code: 'metrics-file-other', where: file, what: nothingIn(read) })
  }
  return code
}

/**
 * Reads one file or store, tells what of it could not be read, and with which exit code: unreadable when damage left
 * nothing of it, failed when it left a part. The unfinished end of a file is told and is no failure.
 */
async function readPlace<Read>(
  file: string,
  report: Report,
  io: Io,
  read: (sink: Parameters<typeof readStore>[1]) => Promise<Read>
): Promise<{ code: number; rows: number; problems: readonly Problem[]; read: Read }> {
  const problems: Problem[] = []
  let rows = 0
  const done = await read({
    row: (row) => {
      rows++
      report.row(row)
    },
    problem: (problem) => {
      problems.push(problem)
      if (problems.length <= MOST_PROBLEMS) note(io, about(file, problem.what))
    }
  })
  const more = problems.length - MOST_PROBLEMS
  if (more > 0) {
    note(io, about(file, { en: `${more} more like these.`, zh: `另有 ${more} 处类似问题。` }))
  }
  const code = !problems.some(isDamage) ? EXIT.ok : rows === 0 ? EXIT.unreadable : EXIT.failed
  return { code, rows, problems, read: done }
}

/** What is printed: every point as it comes, or a line for each key at the end. */
class Report {
  private readonly wanted: ReadonlySet<string> | null
  private readonly known = new Set<string>()
  private readonly summaries = new Map<string, KeySummary>()
  private readonly lists: boolean
  private headed = false
  private rows = 0
  private emptyFiles = 0

  constructor(
    private readonly options: Options,
    private readonly io: Io
  ) {
    const { key, summary, json, csv } = options
    this.wanted = key === undefined ? null : new Set(key)
    this.lists = summary !== true && (json === true || csv === true || key !== undefined)
    if (this.lists && csv === true) io.out('key,axis,step,at,value')
  }

  /** A file that was read to its end and has no number. */
  emptyFile(): void {
    this.emptyFiles++
  }

  get nothingAtAll(): boolean {
    return this.rows === 0 && this.emptyFiles > 0
  }

  row(row: Row): void {
    this.rows++
    for (const [i, key] of row.keys.entries()) {
      if (this.wanted !== null) this.known.add(key)
      if (this.wanted !== null && !this.wanted.has(key)) continue
      const value = row.values[i] ?? Number.NaN
      if (this.lists) this.list(row, key, value)
      this.count(row, key, value)
    }
  }

  /** Prints what waits for the end. @returns the exit code: failed when a key was asked for that no sample has. */
  end(): number {
    const missing = [...(this.wanted ?? [])].filter((key) => !this.summaries.has(key))
    if (!this.lists) printSummary([...this.summaries.values()], this.options, this.io)
    for (const key of missing) say(this.io, this.unknownKey(key))
    return missing.length > 0 ? EXIT.failed : EXIT.ok
  }

  private unknownKey(key: string): Failure {
    const near = nearKeys(key, this.known)
    const more = this.known.size - near.length
    return {
      code: 'metrics-key-unknown',
      where: key,
      what: { en: 'No sample has this key.', zh: '没有任何样本使用这个键。' },
      ...(near.length === 0
        ? {}
        : {
            remedy: {
              en: `There ${this.known.size === 1 ? 'is' : 'are'} ${near.join(', ')}${more > 0 ? ` and ${more} more; --summary names them all` : ''}.`,
              zh: `现有的键：${near.join('、')}${more > 0 ? `，另有 ${more} 个，可用 --summary 全部列出` : ''}。`
            }
          })
    }
  }

  private list({ axis, x, at }: Row, key: string, value: number): void {
    const { io, options } = this
    // Importers give 0 where the file does not say when.
    const isTime = at > 0
    if (options.csv === true) {
      io.out([csvCell(key), axis, x, isTime ? at : '', shown(value)].join(','))
    } else if (options.json === true) {
      const plain = Number.isFinite(value) ? value : shown(value)
      io.out(JSON.stringify({ key, axis, step: x, at: isTime ? at : null, value: plain }))
    } else {
      if (!this.headed) io.out(heads(io, ['key', 'axis', 'step', 'value']).join('  '))
      this.headed = true
      io.out([key, axis, x, brief(value)].join('  '))
    }
  }

  private count({ axis, x }: Row, key: string, value: number): void {
    const finite = Number.isFinite(value)
    const known = this.summaries.get(key)
    const entry = known ?? { key, axis, count: 0, first: x, last: x, lastValue: null, nonFinite: 0 }
    entry.count++
    entry.last = x
    entry.lastValue = finite ? value : null
    if (!finite) entry.nonFinite++
    if (known === undefined) this.summaries.set(key, entry)
  }
}

function printSummary(summaries: readonly KeySummary[], options: Options, io: Io): void {
  const sorted = [...summaries].sort((a, b) => (a.key < b.key ? -1 : 1))
  if (options.json === true) {
    io.out(JSON.stringify({ keys: sorted }, null, 2))
    return
  }
  const number = options.csv === true ? shown : brief
  const rows = sorted.map((entry) => [
    entry.key,
    entry.axis,
    String(entry.count),
    number(entry.first),
    number(entry.last),
    entry.lastValue === null ? '—' : number(entry.lastValue),
    String(entry.nonFinite)
  ])
  if (options.csv === true) for (const row of [COLUMNS, ...rows]) io.out(row.map(csvCell).join(','))
  else io.out(table([heads(io, COLUMNS), ...rows]))
}

const COLUMNS = ['key', 'axis', 'count', 'first', 'last', 'value', 'non-finite']
const CHINESE: Readonly<Record<string, string>> = {
  key: '键',
  axis: '轴',
  step: '步',
  count: '数量',
  first: '首步',
  last: '末步',
  value: '值',
  'non-finite': '非有限'
}

/** Heads for people; machines get the same names in every language. */
function heads(io: Io, names: readonly string[]): string[] {
  return names.map((name) => (io.language === 'zh' ? (CHINESE[name] ?? name) : name))
}

/** Up to five significant digits, for reading; JSON and CSV carry the number itself. */
function brief(value: number): string {
  if (!Number.isFinite(value)) return shown(value)
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value)
  return String(Number(value.toPrecision(5)))
}

/** NaN and infinities as Python and most readers of CSV write them. */
function shown(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? 'Infinity' : '-Infinity'
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
