import type { Command } from 'commander'
import type { LogLine, LogSource } from '../contract/logs'
import type { Text } from '../contract/text'
import { fail } from '../engine/lib'
import { isFinal } from '../engine/stacks'
import type { EngineClient } from './engine-client'
import { EXIT, note, type Io } from './output'
import { act, find, type Context } from './runs'

const noLog: Text = { en: 'This run has no log yet.', zh: '该运行还没有日志。' }

/** Lines asked for at once. */
const PAGE = 2000

interface LogOptions {
  source?: string
  grep?: string
  tail?: number
  follow?: boolean
}

/**
 * The logs a person means: one by its id (`2/reef`) or, in the newest attempt that has it, by its service; without a name
 * all of the newest attempt. FailureError `log-source-unknown`, with those there are. Pure.
 */
export function chosenSources(
  sources: readonly LogSource[],
  wanted: string | undefined
): LogSource[] {
  const newest = (among: readonly LogSource[]): LogSource[] => {
    const last = Math.max(...among.map(({ attempt }) => attempt))
    return among.filter(({ attempt }) => attempt === last)
  }
  if (wanted === undefined) return newest(sources)
  const exact = sources.filter(({ id }) => id === wanted)
  if (exact.length > 0) return exact
  const named = newest(sources.filter(({ service }) => service === wanted))
  if (named.length > 0) return named
  const ids = sources.map(({ id }) => id)
  return fail({
    code: 'log-source-unknown',
    where: wanted,
    what:
      ids.length === 0 ? noLog : { en: 'This run has no such log.', zh: '该运行没有这个日志。' },
    ...(ids.length === 0
      ? {}
      : { remedy: { en: `It has ${ids.join(', ')}.`, zh: `它有 ${ids.join('、')}。` } })
  })
}

/** Prints the lines of one log, each once, in order. */
class Printer {
  /** Lines of the log that were looked at, from its beginning. */
  private next = 0

  constructor(
    private readonly engine: EngineClient,
    private readonly run: string,
    private readonly source: string,
    private readonly pattern: string | undefined,
    private readonly say: (line: LogLine) => void
  ) {}

  /** The lines up to `end` that were not printed yet; the last `tail` of them. */
  async print(end: number, tail = Infinity): Promise<void> {
    if (this.pattern === undefined) this.next = Math.max(this.next, end - tail)
    const last: LogLine[] = []
    while (this.next < end) {
      const { lines, next } = await this.page(end)
      // A log that became shorter has nothing more to say.
      if (next <= this.next) return
      this.next = Math.min(next, end)
      for (const line of lines) {
        if (line.line >= end) continue
        if (tail === Infinity) this.say(line)
        else last.push(line)
      }
      last.splice(0, Math.max(0, last.length - tail))
    }
    for (const line of last) this.say(line)
  }

  /** Lines from the next one on, and the first one behind those that were looked at. */
  private async page(end: number): Promise<{ lines: LogLine[]; next: number }> {
    const { engine, run, source, next: from, pattern } = this
    if (pattern === undefined) {
      const count = Math.min(PAGE, end - from)
      const { lines } = await engine.logs.read({ run, source, from, count })
      return { lines, next: from + lines.length }
    }
    const { lines, scanned } = await engine.logs.search({
      run,
      source,
      after: from - 1,
      limit: PAGE,
      // As `grep` takes it, capitals and small letters apart.
      filter: { text: pattern, regex: true, caseSensitive: true }
    })
    return { lines, next: scanned }
  }
}

/** Lines that have come to their end; all of them where nothing more will come. */
function linesOf({ lines, unfinished }: LogSource, over: boolean): number {
  return unfinished === true && !over ? lines - 1 : lines
}

/** How a line is printed: as it is where one log was named, else behind the name of its own; JSON an object a line. */
function printerOf(context: Context, named: boolean): (line: LogLine) => void {
  const { io } = context
  if (context.json()) return (line) => io.out(JSON.stringify(line))
  if (named) return ({ text }) => io.out(text)
  return ({ source, text }) => io.out(`${source.slice(source.indexOf('/') + 1)} | ${text}`)
}

/** Says what of a log is missing, which the lines themselves do not show. */
function noteFaults(io: Io, sources: readonly LogSource[]): void {
  for (const { id, faults = [] } of sources)
    for (const { en, zh } of faults) note(io, { en: `${id}: ${en}`, zh: `${id}：${zh}` })
}

/** Resolves when a run is over, or the signal aborts. */
async function overOf(engine: EngineClient, run: string, signal: AbortSignal): Promise<void> {
  for await (const { summary } of await engine.runs.follow({ run }, { signal }))
    if (isFinal(summary.state)) return
}

/** The logs of a run as a person asked for them, and what was printed of them. */
class Logs {
  private readonly printers = new Map<string, Printer>()
  private readonly say: (line: LogLine) => void

  constructor(
    context: Context,
    private readonly engine: EngineClient,
    private readonly run: string,
    private readonly options: LogOptions
  ) {
    this.say = printerOf(context, options.source !== undefined)
  }

  /** Prints what there is of these. `over`: nothing more will come. */
  async begin(sources: readonly LogSource[], over: boolean): Promise<void> {
    for (const source of sources)
      await this.printer(source.id).print(linesOf(source, over), this.options.tail)
  }

  /** Prints what comes until the run is over, and then what came last. */
  async follow(): Promise<void> {
    const { engine, run } = this
    const finished = new AbortController()
    const { signal } = finished
    const ending = async (work: Promise<void>): Promise<void> => {
      try {
        await work
      } finally {
        finished.abort()
      }
    }
    await Promise.all([ending(overOf(engine, run, signal)), ending(this.watch(signal))])
    await this.more(await engine.logs.sources({ run }), true)
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const { engine, run } = this
    for await (const { sources } of await engine.logs.watch({ run }, { signal }))
      await this.more(sources, false)
  }

  /** A service, or an attempt, that began meanwhile is printed too. */
  private async more(sources: readonly LogSource[], over: boolean): Promise<void> {
    if (sources.length === 0) return
    for (const source of chosenSources(sources, this.options.source))
      await this.printer(source.id).print(linesOf(source, over))
  }

  private printer(id: string): Printer {
    const { engine, run, options, say } = this
    const one = this.printers.get(id) ?? new Printer(engine, run, id, options.grep, say)
    this.printers.set(id, one)
    return one
  }
}

async function showLogs(
  context: Context,
  engine: EngineClient,
  wanted: string,
  options: LogOptions
): Promise<number> {
  const { id: run } = await find(engine, wanted)
  // What only its target holds is copied by whoever watches the run, which may be us alone.
  for (const { why } of (await engine.runs.look({ run })).unseen) note(context.io, why)
  const all = await engine.logs.sources({ run })
  const sources =
    all.length === 0 && options.source === undefined ? [] : chosenSources(all, options.source)
  if (sources.length === 0) note(context.io, noLog)
  noteFaults(context.io, sources)
  const over = isFinal((await engine.runs.get({ run })).summary.state)
  const follow = options.follow === true && !over
  const logs = new Logs(context, engine, run, options)
  await logs.begin(sources, !follow)
  if (follow) await logs.follow()
  return EXIT.ok
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  return fail({
    code: 'number-unreadable',
    where: '--tail',
    what: {
      en: `--tail wants a number of lines, not “${text}”.`,
      zh: `--tail 需要行数，而不是“${text}”。`
    }
  })
}

/** `slipway logs`: what a run's services printed, redacted as in the window. */
export function registerLogsCommand(program: Command, context: Context): void {
  program
    .command('logs <run>')
    .description(
      'print what the services of a run said, its newest attempt unless another is named'
    )
    .option('--source <log>', 'only this log: a service, or its attempt too, as 1/reef')
    .option('--grep <pattern>', 'only lines that match this regular expression')
    .option('--tail <lines>', 'only the last lines of each log')
    .option('--follow', 'go on with what comes, until the run is over')
    .action((run: string, { tail, ...options }: Omit<LogOptions, 'tail'> & { tail?: string }) =>
      act(context, (engine) =>
        showLogs(context, engine, run, {
          ...options,
          ...(tail === undefined ? {} : { tail: wholeNumber(tail) })
        })
      )
    )
}
