import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type {
  ComparedSide,
  ResultTable,
  SavedComparison,
  SavedSummary,
  SideComparison
} from '../contract/compare'
import { COMPARED_WINDOW } from '../contract/comparing'
import {
  compareEach,
  compareWeights,
  openLocalSource,
  openTensorFiles,
  refuseLargeTable
} from '../engine/compare'
import { errorCode, fail, FailureError, messageOf } from '../engine/lib'
import { reportFailure, sayFailure } from './engine-client'
import { figure, sidesText, span, weightTable } from './compare-text'
import { EXIT, note, table, words, type Io } from './output'

export interface CompareRequest {
  sides: ComparedSide[]
  window: number
  baseline?: number
}

export interface PageRequest {
  name: string
  language: 'en' | 'zh'
  weights: boolean
}

/** What these commands ask of the engine. */
export interface CompareEngine {
  /** Compares sides whose runs are named as on the command line. */
  sides(request: CompareRequest): Promise<SideComparison>
  save(request: CompareRequest & { name: string }): Promise<SavedComparison>
  /** The comparison as one HTML page. */
  page(request: CompareRequest & PageRequest): Promise<{ html: string }>
  saved(): Promise<{ comparisons: SavedSummary[]; unreadable: string[] }>
  savedOne(id: string): Promise<SavedComparison>
  removeSaved(id: string): Promise<unknown>
  /** Attaches a table of results to a run. */
  attach(request: { run: string; source: string; text: string }): Promise<ResultTable>
  /** Takes back what was attached of a task. */
  detach(request: { run: string; task: string }): Promise<{ rows: number }>
}

interface Options {
  json?: boolean
  window?: string
  weights?: boolean
  baseline?: string
  save?: string
  html?: string
  remove?: boolean
}

/** `RUN:57` or `RUN:r57` names a release, a YAML file a recipe, another path a checkpoint; what is left is a run. */
function sideOf(text: string): ComparedSide {
  const found = /^([^/\\]+):r?(\d+)$/.exec(text)
  if (found?.[1] !== undefined && found[2] !== undefined)
    return { kind: 'release', run: found[1], step: Number(found[2]) }
  if (/\.ya?ml$/i.test(text)) return { kind: 'recipe', path: resolve(text) }
  if (/[/\\]/.test(text) || existsSync(text))
    return { kind: 'files', target: 'local', path: text.replace(/[/\\]+$/, '') }
  return { kind: 'run', run: text }
}

/** `slipway compare A B` and `slipway score RUN FILE`. */
export function registerCompareCommand(program: Command, io: Io, engine: CompareEngine): void {
  program
    .command('compare')
    .description('compare two to eight releases, runs, recipes and checkpoints, in any mix')
    .argument(
      '<side...>',
      'RUN:RELEASE (r10 or 10), RUN (what it serves), a recipe, or a folder of weights'
    )
    .option('--baseline <n>', 'which side the others are held against, from 1; default the first')
    .option(
      '--window <n>',
      'releases up to each whose numbers are averaged',
      String(COMPARED_WINDOW)
    )
    .option('--no-weights', 'of releases, compare only the numbers')
    .option('--save <name>', 'keep the comparison under this name')
    .option('--html <file>', 'write it as one page that needs nothing beside it')
    .option('--json', 'print JSON')
    .action(async (sides: string[], _options: Options, command: Command) => {
      await guarded(io, () => compare(sides, command.optsWithGlobals<Options>(), io, engine))
    })
  program
    .command('comparisons')
    .description('list the comparisons kept under a name, or make one of them again')
    .argument('[name]', 'name or the start of an id')
    .option('--html <file>', 'write it as one page')
    .option('--no-weights', 'of releases, compare only the numbers')
    .option('--remove', 'forget it')
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, _options: Options, command: Command) => {
      await guarded(io, () => comparisons(name, command.optsWithGlobals<Options>(), io, engine))
    })
  program
    .command('score')
    .description('attach a table of results made outside the stack to a run')
    .argument('<run>', 'run')
    .argument('[file]', 'CSV, tab-separated text or JSON; - reads standard input')
    .option('--remove <task>', 'take back what was attached of a task')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      () =>
        `\n${words(io, SCORE_COLUMNS)}\n\n  release,task,n,correct\n  r12,math500,500,214\n  r20,math500,500,263`
    )
    .action(async (run: string, file: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ScoreOptions>()
      await guarded(io, () => score(run, file, options, io, engine))
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
  sayFailure(io, failure)
  // A name that nobody has is no input that cannot be read: every command tells the two apart.
  return /-(?:unknown|ambiguous)$/.test(failure.code) ? EXIT.failed : EXIT.unreadable
}

async function compare(
  given: readonly string[],
  options: Options,
  io: Io,
  engine: CompareEngine
): Promise<number> {
  const sides = given.map(sideOf)
  if (sides.length < 2 || sides.length > 8)
    return fail({
      code: 'compare-sides',
      what: { en: 'Give two to eight sides.', zh: '请给出两到八个比较对象。' },
      where: given.join(', ')
    })
  const [a, b] = sides
  const asked: CompareRequest = {
    sides,
    window: windowFrom(options.window),
    // “A against B” is read from the left, whichever of them is older.
    baseline: options.baseline === undefined ? 0 : baselineFrom(options.baseline, sides)
  }
  for (const side of sides)
    if (side.kind === 'files') await (await openTensorFiles(openLocalSource, side.path)).close()
  if (options.save !== undefined) await engine.save({ ...asked, name: options.save })
  const name = options.save ?? given.join(' – ')
  if (options.html !== undefined) return writePage(name, asked, options, io, engine)
  if (sides.length === 2 && a?.kind === 'files' && b?.kind === 'files') {
    const comparison = await compareWeights({ a: a.path, b: b.path })
    io.out(options.json === true ? JSON.stringify(comparison) : weightTable(comparison, io))
    return EXIT.ok
  }
  return printSides(await engine.sides(asked), options, io)
}

async function printSides(comparison: SideComparison, options: Options, io: Io): Promise<number> {
  const { pairs: weights, odd } =
    options.weights === false ? { pairs: [], odd: [] } : await weightsOf(comparison, io)
  if (saysNothing(comparison) && weights.length === 0)
    return fail({
      code: 'compare-nothing',
      what: {
        en: 'These sides have nothing in common that could be compared.',
        zh: '这些比较对象没有可以比较的共同内容。'
      },
      where: comparison.sides.map(({ label }) => label).join(', '),
      remedy: {
        en: 'Hold a recipe against a recipe or a release, and weights against weights.',
        zh: '请用 recipe 与 recipe 或版本比较，用权重与权重比较。'
      }
    })
  io.out(
    options.json === true
      ? JSON.stringify({ ...comparison, weights, odd })
      : sidesText(comparison, weights, io)
  )
  return EXIT.ok
}

function saysNothing({ sides, metrics, results, settings }: SideComparison): boolean {
  const recipes = sides.filter(({ hasRecipe }) => hasRecipe).length
  return metrics.length + results.length + settings.length === 0 && recipes < 2
}

async function writePage(
  name: string,
  asked: CompareRequest,
  options: Options,
  io: Io,
  engine: CompareEngine
): Promise<number> {
  const file = resolve(options.html ?? '')
  const weights = options.weights !== false
  const { html } = await engine.page({ ...asked, name, language: io.language, weights })
  try {
    await writeFile(file, html)
  } catch (cause) {
    return fail(
      {
        code: 'page-unwritable',
        what: { en: 'The page cannot be written there.', zh: '无法在该位置写入页面。' },
        where: file,
        detail: messageOf(cause),
        remedy: { en: 'Choose another place.', zh: '请选择其他位置。' }
      },
      cause
    )
  }
  io.out(options.json === true ? JSON.stringify({ html: file }) : file)
  return EXIT.ok
}

async function comparisons(
  name: string | undefined,
  options: Options,
  io: Io,
  engine: CompareEngine
): Promise<number> {
  const { comparisons: kept, unreadable } = await engine.saved()
  for (const file of unreadable)
    io.err(words(io, { en: `${file}: not readable`, zh: `${file}：无法读取` }))
  if (name === undefined) {
    const rows = kept.map(({ name: called, savedAt, labels }) => [
      called,
      new Date(savedAt).toISOString(),
      labels.join(', ')
    ])
    io.out(
      options.json === true ? JSON.stringify(kept) : table([SAVED_HEADS[io.language], ...rows])
    )
    return EXIT.ok
  }
  const found =
    kept.find((one) => one.name === name) ??
    kept.find(({ id }) => name.length >= 4 && id.startsWith(name))
  if (found === undefined)
    return fail({
      code: 'comparison-unknown',
      what: { en: `No comparison is kept as “${name}”.`, zh: `没有名为“${name}”的对比。` },
      remedy: { en: '“slipway comparisons” lists them.', zh: '“slipway comparisons”可列出全部。' }
    })
  if (options.remove === true) {
    await engine.removeSaved(found.id)
    return EXIT.ok
  }
  const { sides, window, baseline } = found
  const asked = { sides, window, ...(baseline === null ? {} : { baseline }) }
  if (options.html !== undefined) return writePage(found.name, asked, options, io, engine)
  return reopen(found.id, asked, options, io, engine)
}

/** Made again from what is there now; what is gone since is told from what was kept. */
async function reopen(
  id: string,
  asked: CompareRequest,
  options: Options,
  io: Io,
  engine: CompareEngine
): Promise<number> {
  let now: SideComparison
  try {
    now = await engine.sides(asked)
  } catch (thrown) {
    reportFailure(io, thrown)
    const { then, savedAt } = await engine.savedOne(id)
    const day = new Date(savedAt).toISOString()
    io.err(words(io, { en: `As it was kept on ${day}:`, zh: `以下为 ${day} 保存时的内容：` }))
    await printSides(then, { ...options, weights: false }, io)
    return EXIT.failed
  }
  return printSides(now, options, io)
}

interface ScoreOptions {
  json?: boolean
  remove?: string
}

const SCORE_COLUMNS = {
  en: 'Columns: release (r12, 12, or base) or step, task, n, and correct or score (0.83 or 83 %). No others are taken.',
  zh: '列：release（r12、12 或 base）或 step，task，n，以及 correct 或 score（0.83 或 83 %）。不接受其他列。'
}

const RESULT_HEADS = {
  en: ['release', 'step', 'task', 'n', 'score', '95 %'],
  zh: ['版本', '步', '任务', 'n', '分数', '95 %']
}

const SAVED_HEADS = { en: ['name', 'saved', 'sides'], zh: ['名称', '保存于', '比较对象'] }

function baselineFrom(text: string, sides: readonly unknown[]): number {
  const place = Number(text)
  if (Number.isSafeInteger(place) && place >= 1 && place <= sides.length) return place - 1
  return fail({
    code: 'compare-baseline',
    what: {
      en: `--baseline takes a number from 1 to ${sides.length}.`,
      zh: `--baseline 需为 1 到 ${sides.length} 之间的数字。`
    },
    where: text
  })
}

/** Weights of every side that has some on this machine, against those of the baseline; others are told of. */
async function weightsOf(
  { sides, baseline }: SideComparison,
  io: Io
): ReturnType<typeof compareEach> {
  if (sides[baseline]?.weights?.target !== 'local') return { pairs: [], odd: [] }
  const found = await compareEach(sides, baseline, { open: openLocalSource })
  for (const { side, why } of found.odd) {
    const label = sides[side]?.label ?? ''
    note(io, {
      en: `Weights of ${label} are not compared. ${why.en}`,
      zh: `未比较 ${label} 的权重。${why.zh}`
    })
  }
  return found
}

function windowFrom(text: string | undefined): number {
  const window = Number(text ?? COMPARED_WINDOW)
  if (Number.isSafeInteger(window) && window >= 1) return window
  return fail({
    code: 'compare-window',
    what: { en: '--window takes a whole number from 1.', zh: '--window 需为不小于 1 的整数。' },
    where: text ?? ''
  })
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    refuseLargeTable(size, 'stdin')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The text of a table of results. Its size is looked at before anything of it is read. */
async function tableText(file: string): Promise<string> {
  try {
    const facts = await stat(file)
    if (!facts.isFile()) return noTable(file, facts.isDirectory() ? 'folder' : 'device')
    refuseLargeTable(facts.size, file)
    const bytes = await readFile(file)
    if (!isUtf8(bytes) || bytes.includes(0)) return noTable(file, 'binary')
    return bytes.toString('utf8')
  } catch (cause) {
    if (cause instanceof FailureError) throw cause
    const code = errorCode(cause)
    return noTable(file, code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'closed', cause)
  }
}

const NO_TABLE = {
  folder: { en: 'This is a folder, not a table of results.', zh: '这是目录，不是结果表格。' },
  device: { en: 'This is no regular file.', zh: '这不是普通文件。' },
  binary: {
    en: 'This file is no text in UTF-8, so it holds no table of results.',
    zh: '该文件不是 UTF-8 文本，其中没有结果表格。'
  },
  gone: { en: 'There is no such file.', zh: '没有这个文件。' },
  closed: { en: 'The table cannot be read.', zh: '无法读取该表格。' }
} as const

function noTable(file: string, why: keyof typeof NO_TABLE, cause?: unknown): never {
  return fail(
    {
      code: 'results-unreadable',
      what: NO_TABLE[why],
      where: file,
      ...(cause === undefined || why === 'gone' ? {} : { detail: messageOf(cause) }),
      remedy: {
        en: 'Name one CSV, tab-separated or JSON file, or - for standard input.',
        zh: '请指定一个 CSV、制表符分隔或 JSON 文件，或用 - 表示标准输入。'
      }
    },
    cause
  )
}

async function removeTask(
  request: { run: string; task: string },
  options: ScoreOptions,
  io: Io,
  engine: CompareEngine
): Promise<number> {
  const { rows } = await engine.detach(request)
  const { task } = request
  io.out(
    options.json === true
      ? JSON.stringify({ task, rows })
      : words(io, {
          en: `Results of ${task} taken back: ${rows}.`,
          zh: `已移除 ${task} 的结果：${rows} 条。`
        })
  )
  return EXIT.ok
}

async function score(
  run: string,
  file: string | undefined,
  options: ScoreOptions,
  io: Io,
  engine: CompareEngine
): Promise<number> {
  if ((file === undefined) === (options.remove === undefined))
    return fail({
      code: 'score-what',
      what: {
        en: 'Give a file of results, or --remove with the task whose results are to go.',
        zh: '请给出结果文件，或用 --remove 指定要移除结果的任务。'
      }
    })
  if (file === undefined)
    return removeTask({ run, task: options.remove ?? '' }, options, io, engine)
  const text = file === '-' ? await standardInput() : await tableText(file)
  const attached = await engine.attach({ run, source: file === '-' ? 'stdin' : file, text })
  io.out(
    options.json === true
      ? JSON.stringify(attached)
      : table([
          RESULT_HEADS[io.language],
          ...attached.rows.map((row) => [
            row.release === null ? '-' : `r${row.release}`,
            row.step === null ? '-' : String(row.step),
            row.task,
            row.n === null ? '-' : String(row.n),
            figure(row.score),
            row.interval === null
              ? '-'
              : span(io, [row.interval[0].toFixed(3), row.interval[1].toFixed(3)])
          ])
        ])
  )
  return EXIT.ok
}
