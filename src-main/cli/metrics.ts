import type { Command } from 'commander'
import { FailureError } from '../engine/lib'
import { readMetricFile, type Problem, type Row } from '../engine/metrics'
import { EXIT, table, words, type Io } from './output'

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

/** `slipway metrics FILE… [--key K] [--summary] [--json|--csv]`: reads any supported file and prints its numbers. */
export function registerMetricsCommand(program: Command, io: Io): void {
  program
    .command('metrics')
    .description('read metrics from logs, TensorBoard, W&B, CSV or JSONL files')
    .argument('<file...>', 'files to read, merged in this order')
    .option('--key <key...>', 'only these keys')
    .option('--summary', 'one line a key: count, first and last step, last value, non-finite count')
    .option('--json', 'print JSON (an object a line without --summary)')
    .option('--csv', 'print CSV')
    .action(async (files: string[], _options: Options, command: Command) => {
      io.exit(await run(files, command.optsWithGlobals<Options>(), io))
    })
}

async function run(files: readonly string[], options: Options, io: Io): Promise<number> {
  const wanted = options.key === undefined ? null : new Set(options.key)
  const summaries = new Map<string, KeySummary>()
  const listing = options.summary !== true && (options.json === true || options.csv === true)
  if (listing && options.csv === true) io.out('key,axis,step,at,value')
  let damaged = false
  for (const file of files) {
    const sink = {
      row: (row: Row) => {
        if (listing) listRow(row, wanted, options, io)
        else summarise(summaries, row, wanted)
      },
      problem: (problem: Problem) => {
        damaged ||= problem.code !== 'torn-tail'
        io.err(`${file}: ${words(io, problem.what)}`)
      }
    }
    try {
      await readMetricFile(file, sink)
    } catch (cause) {
      if (!(cause instanceof FailureError)) throw cause
      const { what, where = file, remedy } = cause.failure
      io.err(`${where}: ${words(io, what)}${remedy === undefined ? '' : ` ${words(io, remedy)}`}`)
      return EXIT.unreadable
    }
  }
  if (!listing) printSummary([...summaries.values()], options, io)
  return damaged ? EXIT.failed : EXIT.ok
}

function listRow(row: Row, wanted: ReadonlySet<string> | null, options: Options, io: Io): void {
  for (const [i, key] of row.keys.entries()) {
    if (wanted !== null && !wanted.has(key)) continue
    const value = row.values[i] ?? Number.NaN
    if (options.csv === true) {
      io.out([csvCell(key), row.axis, row.x, row.at, shown(value)].join(','))
    } else {
      const finite = Number.isFinite(value) ? value : shown(value)
      io.out(JSON.stringify({ key, axis: row.axis, step: row.x, at: row.at, value: finite }))
    }
  }
}

function summarise(
  summaries: Map<string, KeySummary>,
  row: Row,
  wanted: ReadonlySet<string> | null
): void {
  const { axis, x } = row
  for (const [i, key] of row.keys.entries()) {
    if (wanted !== null && !wanted.has(key)) continue
    const value = row.values[i] ?? Number.NaN
    const finite = Number.isFinite(value)
    const known = summaries.get(key)
    const entry = known ?? { key, axis, count: 0, first: x, last: x, lastValue: null, nonFinite: 0 }
    entry.count++
    entry.last = x
    entry.lastValue = finite ? value : null
    if (!finite) entry.nonFinite++
    if (known === undefined) summaries.set(key, entry)
  }
}

function printSummary(summaries: readonly KeySummary[], options: Options, io: Io): void {
  const sorted = [...summaries].sort((a, b) => (a.key < b.key ? -1 : 1))
  if (options.json === true) {
    io.out(JSON.stringify({ keys: sorted }, null, 2))
    return
  }
  const head = ['key', 'axis', 'count', 'first', 'last', 'value', 'non-finite']
  const rows = sorted.map((entry) => [
    entry.key,
    entry.axis,
    String(entry.count),
    String(entry.first),
    String(entry.last),
    entry.lastValue === null ? '—' : String(entry.lastValue),
    String(entry.nonFinite)
  ])
  if (options.csv === true) for (const row of [head, ...rows]) io.out(row.map(csvCell).join(','))
  else io.out(table([head, ...rows]))
}

/** NaN and infinities as Python and most readers of CSV write them. */
function shown(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? 'Infinity' : '-Infinity'
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
