import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Release } from '../../src-main/contract/releases'
import type { LogLine } from '../../src-main/contract/logs'
import { errorCode, pause, redactor, systemClock } from '../../src-main/engine/lib'
import { LogBook } from '../../src-main/engine/logs'
import { openMetricStore, type MetricStore } from '../../src-main/engine/metrics'
import { RunStore, type AttemptRecord } from '../../src-main/engine/runs'
import { findLogSources } from '../../src-main/engine/stacks'
import { localFiles } from '../../src-main/engine/targets'

/**
 * Compares what Slipway keeps of a run with what the practice stack itself wrote down (docs/practice-stack.md, "The
 * practice journal"). Says what differs, in words; an empty list means that nothing is missing and nothing is double.
 */

interface Entry {
  service: string
  kind: string
  bytes?: number
  lines?: number
  scenario?: string
  step?: number
  release_id?: string
  values?: Record<string, number | string>
}

interface Commit {
  step: number
  artifact_ref: { release_id: string }
}

/** Which releases the engine's chain has: newest first, as `releases --json` and the window give it. */
export type ChainRows = readonly Pick<Release, 'step' | 'commitStep' | 'releaseId'>[]

export interface Compared {
  /** Everything that is not as it should be. */
  faults: string[]
  /** How much was compared, so that a comparison of nothing is noticed. */
  lines: number
  samples: number
  releases: number
}

const files = localFiles(systemClock)
const LF = 10
const PAGE = 2000

/** All attempts of an ended run of one storage and one scenario. */
export async function compareWithPractice(
  home: string,
  run: string,
  chain: ChainRows
): Promise<Compared> {
  const store = await RunStore.open(home, systemClock)
  const record = await store.read(run)
  const total: Compared = { faults: [], lines: 0, samples: 0, releases: 0 }
  const metrics = await openMetricStore(store.paths(run).metrics)
  const journals: Entry[][] = []
  try {
    for (const attempt of record.attempts) {
      const journal = await jsonLines<Entry>(join(attempt.runDir, 'practice-journal.jsonl'))
      journals.push(journal)
      await compareLogs(store.paths(run).attempt(attempt.number), attempt, journal, total)
      await compareSamples(metrics, attempt, journal, total)
    }
  } finally {
    await metrics.close()
  }
  await compareReleases(store, run, chain, journals, total)
  await compareEvents(store, run, record.attempts, total)
  return total
}

/** A stack that was killed could not count what it wrote last. */
function cutOff(attempt: AttemptRecord): boolean {
  return attempt.state.kind === 'failed'
}

async function jsonLines<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return ''
    throw cause
  })
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

async function compareLogs(
  attemptFolder: string,
  attempt: AttemptRecord,
  journal: readonly Entry[],
  total: Compared
): Promise<void> {
  const { number, runDir, handle } = attempt
  if (handle === null) return
  const sources = await findLogSources({
    files,
    runDir,
    handle,
    attempt: number,
    attemptFolder,
    clock: systemClock
  })
  const book = new LogBook({ redact: redactor([]), cacheFolder: null })
  book.setSources(
    sources.map((source) => ({ ...source, service: source.id.slice(source.id.indexOf('/') + 1) }))
  )
  for (const { id, path, role } of sources) {
    const raw = await readFile(path)
    const lines = await everyLine(book, id)
    total.lines += lines.length
    total.faults.push(...lineFaults(id, raw, lines))
    if (role === 'launcher') continue
    const service = id.slice(id.indexOf('/') + 1)
    const counted = journal
      .filter((one) => one.service === service && one.bytes !== undefined)
      .at(-1)
    total.faults.push(...countFaults(id, raw, counted, cutOff(attempt)))
  }
}

async function everyLine(book: LogBook, id: string): Promise<LogLine[]> {
  const lines: LogLine[] = []
  for (;;) {
    const page = await book.read(id, lines.length, PAGE)
    lines.push(...page.lines)
    if (page.lines.length === 0 || lines.length >= page.total) return lines
  }
}

/** The log as the engine reads it against the bytes on disk. */
function lineFaults(id: string, raw: Buffer, lines: readonly LogLine[]): string[] {
  const faults: string[] = []
  let at = 0
  for (const [index, line] of lines.entries()) {
    const end = raw.indexOf(LF, at)
    const text = raw.toString('utf8', at, end === -1 ? raw.length : end)
    const right = line.line === index && line.offset === at && line.text === text
    if (!right) faults.push(`${id}: line ${index} reads ${JSON.stringify(line)}, not “${text}”`)
    at = end === -1 ? raw.length : end + 1
  }
  if (at !== raw.length) faults.push(`${id}: ${raw.length - at} bytes of the log were not read`)
  return faults.slice(0, 3)
}

function countFaults(id: string, raw: Buffer, counted: Entry | undefined, cut: boolean): string[] {
  const { bytes, lines } = counted ?? {}
  if (bytes === undefined || lines === undefined) return cut ? [] : [`${id}: never counted`]
  const found = raw.subarray(0, bytes).filter((byte) => byte === LF).length
  const faults = found === lines ? [] : [`${id}: ${found} lines, ${lines} written`]
  if (raw.length < bytes || (!cut && raw.length > bytes))
    faults.push(`${id}: ${raw.length} bytes, ${bytes} written`)
  return faults
}

async function compareSamples(
  metrics: MetricStore,
  attempt: AttemptRecord,
  journal: readonly Entry[],
  total: Compared
): Promise<void> {
  const wanted = new Map<string, { key: string; source: string; values: number[] }>()
  for (const { service, values = {} } of journal) {
    for (const [key, value] of Object.entries(values)) {
      const source = `${attempt.number}/${service}`
      const one = wanted.get(`${source} ${key}`) ?? { key, source, values: [] }
      one.values.push(Number(value))
      wanted.set(`${source} ${key}`, one)
    }
  }
  for (const { key, source, values } of wanted.values()) {
    const got: number[] = []
    for await (const sample of metrics.samples(key))
      if (sample.attempt === attempt.number && sample.source === source) got.push(sample.value)
    total.samples += got.length
    // The line stands in the log before the journal has it: a kill in between leaves one more.
    const spare = cutOff(attempt) ? 1 : 0
    const same = isDeepStrictEqual(got.slice(0, values.length), values)
    if (!same || got.length > values.length + spare)
      total.faults.push(`${source} ${key}: kept ${show(got)}, written ${show(values)}`)
  }
}

function show(values: readonly unknown[]): string {
  return `${values.length} [… ${JSON.stringify(values.slice(-4))}]`
}

/** The commit logs decide which releases exist; a kill may leave the journal one behind. */
async function compareReleases(
  store: RunStore,
  run: string,
  chain: ChainRows,
  journals: readonly (readonly Entry[])[],
  total: Compared
): Promise<void> {
  const record = await store.read(run)
  const scenario = record.seen.scenarios[0] ?? ''
  const stem = createHash('sha256').update(scenario).digest('hex')
  const folder = record.attempts[0]?.recordDir ?? ''
  const commits = await jsonLines<Commit>(join(folder, `${stem}.commits.jsonl`))
  const truth = commits.map((commit) => [commit.step, commit.artifact_ref.release_id])
  total.releases += truth.length
  const steps = (await store.releases(run)).map((row) => row.step).filter((step) => step > 0)
  if (
    !isDeepStrictEqual(
      steps,
      truth.map(([step]) => step)
    )
  )
    total.faults.push(`releases.jsonl: steps ${show(steps)}, committed ${show(truth)}`)
  const shown = chain.filter((row) => row.commitStep > 0).map((row) => [row.step, row.releaseId])
  if (!isDeepStrictEqual(shown.reverse(), truth))
    total.faults.push(`chain: ${show(shown)}, committed ${show(truth)}`)
  const told = journals.flat().filter((entry) => entry.kind === 'commit')
  const kills = record.attempts.filter(cutOff).length
  const known = new Set(truth.map(([, id]) => id))
  const unknown = told.filter((entry) => !known.has(entry.release_id ?? ''))
  if (unknown.length > 0 || told.length > truth.length || told.length < truth.length - kills)
    total.faults.push(
      `the journal tells of ${told.length} releases, the commit log ${truth.length}`
    )
}

async function compareEvents(
  store: RunStore,
  run: string,
  attempts: readonly AttemptRecord[],
  total: Compared
): Promise<void> {
  const events = await store.events(run)
  for (const { number } of attempts) {
    for (const kind of ['attempt-started', 'exited']) {
      const told = events.filter((event) => event.attempt === number && event.kind === kind)
      if (told.length !== 1) total.faults.push(`attempt ${number}: ${told.length} × ${kind}`)
    }
  }
  const keys = events.flatMap((event) => event.data?.['key'] ?? [])
  if (new Set(keys).size !== keys.length) total.faults.push('an event was told twice')
}

/** Waits until the stack itself has committed so many steps, without any Slipway looking; how many there are then. */
export async function committed(folder: string, steps: number): Promise<number> {
  const name = createHash('sha256').update('practice').digest('hex')
  const last = Date.now() + 90_000
  for (;;) {
    const log = await readFile(await recordFile(folder, name), 'utf8').catch(() => '')
    const lines = log.split('\n').length - 1
    if (lines >= steps) return lines
    if (Date.now() > last) throw new Error(`not ${steps} commits: ${log.slice(-200)}`)
    await pause(systemClock, 50)
  }
}

async function recordFile(folder: string, name: string): Promise<string> {
  const record = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')) as {
    attempts: { recordDir: string }[]
  }
  return join(record.attempts[0]?.recordDir ?? '', `${name}.commits.jsonl`)
}
