import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { WeightComparison } from '../contract/compare'
import type { MetricDifference, Release } from '../contract/releases'
import { attachResults, compareReleases, compareWeights } from '../engine/compare'
import { fail, FailureError } from '../engine/lib'
import { knowledgeOf } from '../engine/metrics'
import { reportFailure } from './engine-client'
import { EXIT, table, words, type Io } from './output'

/** What these commands ask of the engine. */
export interface CompareEngine {
  /** The chain of a run named as on the command line, newest first. */
  chain(run: string): Promise<readonly Release[]>
  /** The folder of a run. */
  folder(run: string): Promise<string>
}

interface Options {
  json?: boolean
  window?: string
  weights?: boolean
}

type Side = { kind: 'files'; path: string } | { kind: 'release'; run: string; step: number }

/** `RUN:57` or `RUN:r57` names a release; anything else is a path. */
function sideOf(text: string): Side {
  const found = /^([^/\\]+):r?(\d+)$/.exec(text)
  return found?.[1] === undefined || found[2] === undefined
    ? { kind: 'files', path: text.replace(/[/\\]+$/, '') }
    : { kind: 'release', run: found[1], step: Number(found[2]) }
}

/** `slipway compare A B` and `slipway score RUN FILE`. */
export function registerCompareCommand(program: Command, io: Io, engine: CompareEngine): void {
  program
    .command('compare')
    .description('compare two checkpoints or adapters (paths), or two releases of a run (RUN:STEP)')
    .argument('<a>', 'baseline: folder, safetensors file, or RUN:STEP')
    .argument('<b>', 'the other one')
    .option('--window <n>', 'releases up to each whose numbers are averaged', '4')
    .option('--no-weights', 'of releases, compare only the numbers')
    .option('--json', 'print JSON')
    .action(async (a: string, b: string, _options: Options, command: Command) => {
      await guarded(io, () => compare(a, b, command.optsWithGlobals<Options>(), io, engine))
    })
  program
    .command('score')
    .description('attach a table of results made outside the stack to a run')
    .argument('<run>', 'run')
    .argument('<file>', 'CSV, tab-separated text or JSON; - reads standard input')
    .option('--json', 'print JSON')
    .action(async (run: string, file: string, _options: Options, command: Command) => {
      await guarded(io, () => score(run, file, command.optsWithGlobals<Options>(), io, engine))
    })
}

async function guarded(io: Io, work: () => Promise<number>): Promise<void> {
  try {
    io.exit(await work())
  } catch (thrown) {
    io.exit(thrown instanceof FailureError ? report(io, thrown) : reportFailure(io, thrown))
  }
}

function report(io: Io, { failure }: FailureError): number {
  const { what, where, detail, remedy } = failure
  io.err(where === undefined ? words(io, what) : `${words(io, what)} [${where}]`)
  if (detail !== undefined && detail !== '') io.err(detail)
  if (remedy !== undefined) io.err(words(io, remedy))
  return EXIT.unreadable
}

async function compare(
  first: string,
  second: string,
  options: Options,
  io: Io,
  engine: CompareEngine
): Promise<number> {
  const [a, b] = [sideOf(first), sideOf(second)]
  if (a.kind === 'files' && b.kind === 'files') {
    const comparison = await compareWeights({ a: a.path, b: b.path })
    io.out(options.json === true ? JSON.stringify(comparison) : weightTable(comparison, io))
    return EXIT.ok
  }
  if (a.kind !== 'release' || b.kind !== 'release' || a.run !== b.run)
    return fail({
      code: 'compare-sides',
      what: {
        en: 'Give two paths, or two releases of the same run.',
        zh: '请给出两个路径，或同一运行的两个发布。'
      },
      where: `${first}, ${second}`
    })
  const chain = await engine.chain(a.run)
  const releases = [releaseAt(chain, a.step), releaseAt(chain, b.step)] as const
  const metrics = compareReleases({
    chain,
    a: a.step,
    b: b.step,
    window: windowFrom(options.window),
    directionOf: (key) => knowledgeOf(key).direction
  })
  const weights =
    options.weights !== false && releases[0].checkpoint !== null && releases[1].checkpoint !== null
      ? await compareWeights({ a: releases[0].checkpoint, b: releases[1].checkpoint })
      : null
  if (options.json === true)
    io.out(JSON.stringify({ run: a.run, a: a.step, b: b.step, metrics, weights }))
  else {
    io.out(metricTable(metrics))
    if (weights !== null) io.out(`\n${weightTable(weights, io)}`)
  }
  return EXIT.ok
}

function windowFrom(text: string | undefined): number {
  const window = Number(text ?? '4')
  if (Number.isSafeInteger(window) && window >= 1) return window
  return fail({
    code: 'compare-window',
    what: { en: '--window takes a whole number from 1.', zh: '--window 需为不小于 1 的整数。' },
    where: text ?? ''
  })
}

function releaseAt(chain: readonly Release[], step: number): Release {
  const found = chain.find((release) => release.step === step)
  if (found !== undefined) return found
  return fail({
    code: 'no-such-release',
    what: { en: `There is no release r${step} in this run.`, zh: `该运行中没有发布 r${step}。` },
    remedy: { en: '`slipway releases RUN` lists them.', zh: '可用 `slipway releases RUN` 列出。' }
  })
}

const figure = (value: number | null): string => (value === null ? '-' : value.toPrecision(4))

function metricTable(metrics: readonly MetricDifference[]): string {
  const rows = metrics.map(({ key, a, b, difference, interval, n, verdict }) => [
    key,
    figure(a),
    figure(b),
    figure(difference),
    interval === null ? '-' : `${figure(interval[0])} to ${figure(interval[1])}`,
    n === null ? '-' : n.join(', '),
    verdict === 'not-proven' ? `not proven, n = ${n === null ? 0 : Math.min(...n)}` : verdict
  ])
  return table([['metric', 'A', 'B', 'B - A', '95 %', 'n', ''], ...rows])
}

/** Tensors that moved most, at most this many lines. */
const MOST_MOVED = 20

function weightTable(comparison: WeightComparison, io: Io): string {
  const moved = [...comparison.tensors]
    .sort((one, two) => (two.relative ?? 0) - (one.relative ?? 0))
    .slice(0, MOST_MOVED)
  const { total, tensors, onlyA, onlyB, problems } = comparison
  return [
    ...comparison.warnings.map((warning) => `! ${words(io, warning)}`),
    table([
      ['tensor', 'relative', 'cosine', 'changed', 'NaN', 'shape'],
      ...moved.map((tensor) => [
        tensor.name,
        figure(tensor.relative),
        tensor.cosine === null ? '-' : tensor.cosine.toFixed(7),
        figure(tensor.changed),
        tensor.nan.join(', '),
        tensor.shape.join('×')
      ])
    ]),
    `${tensors.length} tensors, relative change ${figure(total.relative)}, only in A ${onlyA.length}, only in B ${onlyB.length}, not compared ${problems.length}`,
    ...problems.map(({ name, why }) => `! ${name}: ${words(io, why)}`),
    ...comparison.files.map(({ file, path, a, b }) => `${file} ${path}: ${a ?? '-'} → ${b ?? '-'}`)
  ].join('\n')
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function score(
  run: string,
  file: string,
  options: Options,
  io: Io,
  engine: CompareEngine
): Promise<number> {
  const folder = await engine.folder(run)
  const text = file === '-' ? await standardInput() : await readFile(file, 'utf8')
  const attached = await attachResults(folder, file === '-' ? 'stdin' : file, text)
  io.out(
    options.json === true
      ? JSON.stringify(attached)
      : table([
          ['release', 'step', 'task', 'n', 'score', '95 %'],
          ...attached.rows.map((row) => [
            row.release === null ? '-' : `r${row.release}`,
            row.step === null ? '-' : String(row.step),
            row.task,
            row.n === null ? '-' : String(row.n),
            figure(row.score),
            row.interval === null ? '-' : row.interval.map((end) => end.toFixed(3)).join(' to ')
          ])
        ])
  )
  return EXIT.ok
}
