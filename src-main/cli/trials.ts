import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import {
  TrialVerdict,
  type Trial,
  type TrialAnswer,
  type TrialSide,
  type TrialSummary
} from '../contract/behaviour'
import { fail } from '../engine/lib'
import { reportFailure, type EngineClient } from './engine-client'
import { EXIT, table, words, type Io } from './output'
import type { Context } from './runs'

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

/** `slipway trial A B --prompts FILE`, `slipway trials [ID]`, `slipway judge ID ROW a|b|tie`. */
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
    .description('give two sides the same prompts and keep their answers')
    .argument('<a>', 'RUN:STEP, RUN (what it serves), an http address, or a file of answers')
    .argument('<b>', 'the other side')
    .requiredOption('--prompts <file>', 'one prompt a line, or longer ones between lines of ---')
    .option('--name <name>', 'what to call it')
    .option('--temperature <n>', 'from 0 to 2')
    .option('--max-tokens <n>', 'longest answer')
    .option('--token-name <name>', 'environment variable with the token of an http address')
    .option('--model <name>', 'model an http address is asked for')
    .option('--json', 'print JSON')
    .action((a: string, b: string, _options: Options, command: Command) =>
      guarded(() => trial([a, b], command.optsWithGlobals<Options>(), io, asking))
    )
  program
    .command('trials')
    .description('list trials, or show one with its answers and verdicts')
    .argument('[id]', 'a trial, by the start of its id')
    .option('--report', 'send its verdicts to the service as scores')
    .option('--remove', 'forget it')
    .option('--json', 'print JSON')
    .action((id: string | undefined, _options: Options, command: Command) =>
      guarded(() => trials(id, command.optsWithGlobals<Options>(), io, asking))
    )
  program
    .command('judge')
    .description('say which answer of a trial is better')
    .argument('<id>', 'a trial, by the start of its id')
    .argument('<row>', 'which prompt, from 1')
    .argument('<verdict>', 'a, b, tie, or none to take it back')
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
  given: [string, string],
  options: Options,
  io: Io,
  { ask, byId }: Asking
): Promise<number> {
  const text = await promptsText(options.prompts ?? '')
  const temperature = numberFrom(options.temperature, '--temperature')
  const maxTokens = numberFrom(options.maxTokens, '--max-tokens')
  const done = await ask(async (engine) => {
    const [a, b] = await byId(
      engine,
      given.map((side) => trialSideOf(side, options))
    )
    if (a === undefined || b === undefined) throw new Error('two sides are given')
    const { id } = await engine.behaviour.make({
      sides: [a, b],
      text,
      blind: false,
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens })
    })
    for await (const event of await engine.behaviour.collect({ id })) void event
    return engine.behaviour.trial({ id })
  })
  io.out(options.json === true ? JSON.stringify(done) : trialText(done, io))
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

async function findTrial(engine: EngineClient, wanted: string): Promise<TrialSummary> {
  const { trials: all } = await engine.behaviour.trials()
  const found = all.filter(({ id, name }) => id === wanted || name === wanted)
  const near = all.filter(({ id }) => wanted.length >= 4 && id.startsWith(wanted))
  const one = found[0] ?? (near.length === 1 ? near[0] : undefined)
  return (
    one ??
    fail({
      code: 'trial-unknown',
      what: { en: `There is no trial “${wanted}”.`, zh: `没有对照“${wanted}”。` },
      remedy: { en: '“slipway trials” lists them.', zh: '“slipway trials”可列出全部。' }
    })
  )
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
    io.out(options.json === true ? JSON.stringify(whole) : trialText(whole, io))
    return EXIT.ok
  })
}

async function judge(
  given: { id: string; row: string; verdict: string },
  options: Options,
  io: Io,
  { ask }: Asking
): Promise<number> {
  const verdict = given.verdict === 'none' ? null : TrialVerdict.safeParse(given.verdict).data
  const row = Number(given.row) - 1
  if (verdict === undefined || !Number.isSafeInteger(row) || row < 0)
    return fail({
      code: 'verdict-wrong',
      what: {
        en: 'Give a row from 1 and a, b, tie or none.',
        zh: '请给出从 1 开始的行号，以及 a、b、tie 或 none。'
      },
      where: `${given.row} ${given.verdict}`
    })
  const after = await ask(async (engine) => {
    const { id } = await findTrial(engine, given.id)
    return engine.behaviour.judge({ id, row, verdict })
  })
  io.out(options.json === true ? JSON.stringify(after) : tallyText(after, io))
  return EXIT.ok
}

function listText(all: readonly TrialSummary[], io: Io): string {
  const heads =
    io.language === 'zh' ? ['id', '名称', '已评', '胜/平/负'] : ['id', 'name', 'judged', 'w/t/l']
  return table([
    heads,
    ...all.map(({ id, name, judged, prompts, tally: { win, tie, loss } }) => [
      id,
      name,
      `${judged}/${prompts}`,
      `${win}/${tie}/${loss}`
    ])
  ])
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`

function tallyText({ sides, tally }: Trial, io: Io): string {
  const { win, tie, loss, share, interval, proven } = tally
  const name = sides[1].label
  const span =
    share === null || interval === null
      ? ''
      : `${percent(share)} (${percent(interval[0])} – ${percent(interval[1])})`
  const end = proven === 'no' ? words(io, { en: ' Not proven.', zh: '未获证实。' }) : ''
  return words(io, {
    en: `${name}: ${win} won, ${tie} tied, ${loss} lost.${span === '' ? '' : ` ${span}.`}${end}`,
    zh: `${name}：胜 ${win}，平 ${tie}，负 ${loss}。${span === '' ? '' : `${span}。`}${end}`
  })
}

function answerText(answer: TrialAnswer | null, io: Io): string {
  if (answer === null) return '-'
  return answer.kind === 'text' ? answer.text : `(${words(io, answer.why)})`
}

function trialText(whole: Trial, io: Io): string {
  const { id, name, sides, rows } = whole
  const notes = sides.flatMap(({ note }) => (note === null ? [] : [words(io, note)]))
  return [
    `${name} [${id}]`,
    ...notes,
    ...rows.flatMap(({ prompt, answers, verdict }, index) => [
      '',
      `${index + 1}. ${prompt}`,
      `a ${sides[0].label}: ${answerText(answers[0], io)}`,
      `b ${sides[1].label}: ${answerText(answers[1], io)}`,
      ...(verdict === null ? [] : [`→ ${verdict}`])
    ]),
    '',
    tallyText(whole, io)
  ].join('\n')
}
