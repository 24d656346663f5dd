import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import {
  FEWEST_SIDES,
  MOST_SIDES,
  type Trial,
  type TrialSide,
  type TrialSummary
} from '../contract/behaviour'
import { fail } from '../engine/lib'
import { reportFailure, type EngineClient } from './engine-client'
import { EXIT, words, type Io } from './output'
import type { Context } from './runs'
import { letterOf, listText, outcomeText, trialText, verdictOf } from './trial-text'

interface Asking {
  ask: <T>(work: (engine: EngineClient) => Promise<T>) => Promise<T>
  /** Sides with the ids of their runs. */
  byId: <S extends object>(engine: EngineClient, sides: readonly S[]) => Promise<S[]>
}

interface Options {
  prompts?: string
  name?: string
  temperature?: string
  maxTokens?: string
  tokenName?: string
  model?: string
  blind?: boolean
  collect?: boolean
  names?: boolean
  report?: boolean
  remove?: boolean
  json?: boolean
}

/** `RUN:57` is a release, an http address a second stack, a file recorded answers; what is left is a run. */
export function trialSideOf(text: string, { tokenName, model }: Options): TrialSide {
  if (/^https?:\/\//i.test(text))
    return {
      kind: 'address',
      address: text,
      tokenName: tokenName ?? null,
      model: model ?? null,
      scenario: null
    }
  const found = /^([^/\\]+):r?(\d+)$/.exec(text)
  if (found?.[1] !== undefined && found[2] !== undefined)
    return { kind: 'release', run: found[1], step: Number(found[2]) }
  if (/\.jsonl?$/i.test(text) || existsSync(text)) return { kind: 'file', path: resolve(text) }
  return { kind: 'run', run: text }
}

/** `slipway trial A B [C ...] --prompts FILE`, `slipway trials [ID]`, `slipway judge ID ROW a|b|…|a+c|tie`. */
export function registerTrialCommands(
  program: Command,
  { io }: Pick<Context, 'io'>,
  asking: Asking
): void {
  const guarded = async (work: () => Promise<number>): Promise<void> => {
    try {
      io.exit(await work())
    } catch (thrown) {
      io.exit(reportFailure(io, thrown))
    }
  }
  program
    .command('trial')
    .description('give two to eight sides the same prompts and keep their answers')
    .argument(
      '<sides...>',
      'RUN:RELEASE (r10 or 10), RUN (what it serves), an http address, or a file of answers'
    )
    .requiredOption('--prompts <file>', 'one prompt a line, or longer ones between lines of ---')
    .option('--name <name>', 'what to call it')
    .option('--blind', 'sides unnamed, in an order drawn by lot, until all is judged')
    .option('--temperature <n>', 'from 0 to 2')
    .option('--max-tokens <n>', 'longest answer')
    .option('--token-name <name>', 'environment variable with the token of an http address')
    .option('--model <name>', 'model an http address is asked for')
    .option('--json', 'print JSON')
    .action((sides: string[], _options: Options, command: Command) =>
      guarded(() => trial(sides, command.optsWithGlobals<Options>(), io, asking))
    )
  program
    .command('trials')
    .description('list trials, or show one with its answers and verdicts')
    .argument('[id]', 'a trial, by the start of its id')
    .option('--collect', 'ask again for the answers that are missing')
    .option('--names', 'name the sides of a blind trial before all is judged')
    .option('--report', 'send its verdicts to the service as scores')
    .option('--remove', 'forget it')
    .option('--json', 'print JSON')
    .action((id: string | undefined, _options: Options, command: Command) =>
      guarded(() => trials(id, command.optsWithGlobals<Options>(), io, asking))
    )
  program
    .command('judge')
    .description('say which answer of a trial is best')
    .argument('<id>', 'a trial, by the start of its id')
    .argument('<row>', 'which prompt, from 1')
    .argument(
      '<verdict>',
      'a, b … h as shown, several as a+c, tie, bad when none is any good, or none to take it back'
    )
    .option('--json', 'print JSON')
    .action((id: string, row: string, verdict: string, _options: Options, command: Command) =>
      guarded(() => judge({ id, row, verdict }, command.optsWithGlobals<Options>(), io, asking))
    )
}

function numberFrom(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  return fail({
    code: 'trial-option',
    what: { en: `${option} takes a number from 0.`, zh: `${option} 需为不小于 0 的数字。` },
    where: text
  })
}

async function trial(
  given: readonly string[],
  options: Options,
  io: Io,
  { ask, byId }: Asking
): Promise<number> {
  if (given.length < FEWEST_SIDES || given.length > MOST_SIDES)
    return fail({
      code: 'trial-sides',
      what: {
        en: `A trial is of ${FEWEST_SIDES} to ${MOST_SIDES} sides; ${given.length} given.`,
        zh: `对照需有 ${FEWEST_SIDES} 至 ${MOST_SIDES} 方；给出了 ${given.length} 方。`
      }
    })
  const text = await promptsText(options.prompts ?? '')
  const temperature = numberFrom(options.temperature, '--temperature')
  const maxTokens = numberFrom(options.maxTokens, '--max-tokens')
  const done = await ask(async (engine) => {
    const sides = await byId(
      engine,
      given.map((side) => trialSideOf(side, options))
    )
    const { id } = await engine.behaviour.make({
      sides,
      text,
      blind: options.blind === true,
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens })
    })
    return collected(engine, id, io)
  })
  return sayCollected(done, options, io)
}

/** Collects what is missing. A trial that came to no answer at all is not kept; of one cut off it is said how to go on. */
async function collected(engine: EngineClient, id: string, io: Io): Promise<Trial> {
  try {
    for await (const event of await engine.behaviour.collect({ id })) void event
  } catch (thrown) {
    const { rows } = await engine.behaviour.trial({ id })
    if (rows.every(({ answers }) => answers.every((one) => one === null)))
      await engine.behaviour.removeTrial({ id })
    else
      io.err(
        words(io, {
          en: `What came is kept; “slipway trials ${id} --collect” asks for the rest.`,
          zh: `已得到的回答已保留；“slipway trials ${id} --collect”可继续询问其余部分。`
        })
      )
    throw thrown
  }
  return engine.behaviour.trial({ id })
}

function sayCollected(done: Trial, options: Options, io: Io): number {
  io.out(options.json === true ? JSON.stringify(done) : trialText(done, options, io))
  return done.rows.some(({ answers }) => answers.some((one) => one?.kind !== 'text'))
    ? EXIT.failed
    : EXIT.ok
}

/** Larger than five hundred prompts that somebody judges by hand. */
const LARGEST_PROMPTS = 10_000_000

/** The text of a file of prompts. Its size is looked at before anything of it is read. */
async function promptsText(file: string): Promise<string> {
  const refuse = (en: string, zh: string): never =>
    fail({
      code: 'prompts-unreadable',
      what: { en, zh },
      where: file,
      remedy: {
        en: 'Give a text file with one prompt a line, or longer ones between lines of ---.',
        zh: '请给出文本文件：每行一个 prompt，较长的以 --- 行分隔。'
      }
    })
  const cannot = (): never =>
    refuse('The file of prompts cannot be read.', '无法读取 prompt 文件。')
  const facts = await stat(file).catch(cannot)
  if (!facts.isFile()) return refuse('This is no regular file.', '这不是普通文件。')
  if (facts.size > LARGEST_PROMPTS)
    return refuse(
      `This file has ${facts.size} bytes: too large for a set of prompts.`,
      `该文件有 ${facts.size} 字节，作为一组 prompt 过大。`
    )
  const bytes = await readFile(file).catch(cannot)
  if (!isUtf8(bytes) || bytes.includes(0))
    return refuse(
      'This file is no text in UTF-8, so it has no prompts.',
      '该文件不是 UTF-8 文本，其中没有 prompt。'
    )
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

/** A trial by its id, its name or the start of its id that no other has. */
async function findTrial(engine: EngineClient, wanted: string): Promise<TrialSummary> {
  const { trials: all } = await engine.behaviour.trials()
  const exact = all.find(({ id, name }) => id === wanted || name === wanted)
  const near = all.filter(({ id }) => id.startsWith(wanted))
  const [only] = near
  if (exact !== undefined) return exact
  if (only !== undefined && near.length === 1) return only
  return fail({
    code: only === undefined ? 'trial-unknown' : 'trial-ambiguous',
    what:
      only === undefined
        ? { en: `There is no trial “${wanted}”.`, zh: `没有对照“${wanted}”。` }
        : {
            en: `${near.length} trials begin with “${wanted}”; give more of the id.`,
            zh: `有 ${near.length} 个对照以“${wanted}”开头，请多给几个字符。`
          },
    ...(only === undefined ? {} : { detail: near.map(({ id }) => id).join(', ') }),
    remedy: { en: '“slipway trials” lists them.', zh: '“slipway trials”可列出全部。' }
  })
}

async function trials(
  wanted: string | undefined,
  options: Options,
  io: Io,
  { ask }: Asking
): Promise<number> {
  if (wanted === undefined) {
    const { trials: all, unreadable } = await ask((engine) => engine.behaviour.trials())
    for (const file of unreadable)
      io.err(words(io, { en: `${file}: not readable`, zh: `${file}：无法读取` }))
    io.out(options.json === true ? JSON.stringify(all) : listText(all, io))
    return EXIT.ok
  }
  return ask(async (engine) => {
    const { id } = await findTrial(engine, wanted)
    if (options.remove === true) {
      await engine.behaviour.removeTrial({ id })
      return EXIT.ok
    }
    if (options.collect === true) return sayCollected(await collected(engine, id, io), options, io)
    if (options.report === true) {
      const { sent, without, refused } = await engine.behaviour.report({ id })
      io.out(
        options.json === true
          ? JSON.stringify({ sent, without, refused })
          : words(io, {
              en: `${sent} scores sent, ${without} answers have no receipt of a run, ${refused.length} refused.`,
              zh: `已发送 ${sent} 个分数，${without} 个回答没有运行的回执，${refused.length} 个被拒绝。`
            })
      )
      for (const { row, why } of refused) io.err(`${row + 1}: ${words(io, why)}`)
      return refused.length === 0 ? EXIT.ok : EXIT.failed
    }
    const whole = await engine.behaviour.trial({ id })
    io.out(options.json === true ? JSON.stringify(whole) : trialText(whole, options, io))
    return EXIT.ok
  })
}

async function judge(
  given: { id: string; row: string; verdict: string },
  options: Options,
  io: Io,
  { ask }: Asking
): Promise<number> {
  const row = Number(given.row) - 1
  const after = await ask(async (engine) => {
    const { id } = await findTrial(engine, given.id)
    const whole = await engine.behaviour.trial({ id })
    const judged = Number.isSafeInteger(row) ? whole.rows[row] : undefined
    const verdict = judged === undefined ? undefined : verdictOf(given.verdict, whole, judged)
    return verdict === undefined
      ? verdictWrong(given, whole)
      : engine.behaviour.judge({ id, row, verdict })
  })
  io.out(options.json === true ? JSON.stringify(after) : outcomeText(after, options, io))
  return EXIT.ok
}

function verdictWrong(given: { row: string; verdict: string }, { sides, rows }: Trial): never {
  const letters = sides.map((_, place) => letterOf(place)).join(', ')
  const several = sides.length > 2 ? 'a+b, ' : ''
  return fail({
    code: 'verdict-wrong',
    what: {
      en: `Give a row from 1 to ${rows.length} and ${letters}, ${several}tie, bad or none.`,
      zh: `请给出 1 到 ${rows.length} 的行号，以及 ${letters}、${several}tie、bad 或 none。`
    },
    where: `${given.row} ${given.verdict}`
  })
}
