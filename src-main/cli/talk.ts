import type { Command } from 'commander'
import type { FeedbackSummary, NamedRelease } from '../contract/talk'
import type { Text } from '../contract/text'
import { fail } from '../engine/lib'
import type { EngineClient } from './engine-client'
import { refuseNoName } from './names'
import { EXIT, note, table, words, type Io } from './output'
import { act, find, print, type Context } from './runs'

interface OfScenario {
  scenario?: string
}

/** The scenarios of a run as they are known; looked for where nobody has looked yet. */
async function scenariosOf(engine: EngineClient, run: string): Promise<string[]> {
  const { scenarios } = await engine.runs.get({ run })
  if (scenarios.length > 0) return scenarios
  await engine.runs.look({ run })
  return (await engine.runs.get({ run })).scenarios
}

/** The scenario that was named, or the only one. FailureError `scenario-unnamed`. */
async function scenarioOf(
  engine: EngineClient,
  run: string,
  { scenario }: OfScenario
): Promise<string> {
  if (scenario !== undefined) {
    refuseNoName(scenario, { en: 'scenario', zh: '场景' })
    return scenario
  }
  const known = await scenariosOf(engine, run)
  const [only] = known
  if (only !== undefined && known.length === 1) return only
  return fail({
    code: 'scenario-unnamed',
    what:
      only === undefined
        ? { en: 'This run has no scenario yet.', zh: '该运行还没有场景。' }
        : {
            en: `This run has several scenarios: ${known.join(', ')}.`,
            zh: `该运行有多个场景：${known.join('、')}。`
          },
    remedy: { en: 'Name one with --scenario.', zh: '请用 --scenario 指定一个。' }
  })
}

function releaseWord({ releaseId, step }: NamedRelease): string {
  return step === null ? (releaseId ?? '–') : `r${step}`
}

async function ask(
  context: Context,
  engine: EngineClient,
  wanted: string,
  text: string,
  options: OfScenario & { anthropic?: boolean }
): Promise<void> {
  const { io } = context
  refuseNoName(text, { en: 'question', zh: '问题' })
  const { id: run } = await find(engine, wanted)
  const scenario = await scenarioOf(engine, run, options)
  const known = await scenariosOf(engine, run)
  const heard = await engine.talk.ask({
    run,
    scenario,
    stream: true,
    turns: [{ role: 'user', text }],
    form: options.anthropic === true ? 'anthropic' : 'openai'
  })
  let answer = ''
  for await (const event of heard) {
    if (event.kind === 'text') {
      answer += event.text
      if (!context.json()) io.piece?.(event.text)
      continue
    }
    const { receipt, release, took } = event
    print(context, { scenario, answer, receipt, release, took }, () =>
      // Where nothing takes pieces, the answer is printed whole.
      io.piece === undefined ? answer : ''
    )
    if (!context.json()) sayReceipt(io, receipt, release)
  }
  if (known.length > 0 && !known.includes(scenario)) sayNew(io, scenario, known)
}

/** A question makes the scenario it names, so a misspelt one is answered by a model that learns nothing from it. */
function sayNew(io: Io, scenario: string, known: readonly string[]): void {
  note(io, {
    en: `“${scenario}” is a new scenario of this run, beside ${known.join(', ')}. A name that was not meant can be retired in the window, under Records.`,
    zh: `“${scenario}”是该运行的新场景，此前已有 ${known.join('、')}。若名称有误，可在窗口的“记录”中停用。`
  })
}

function sayReceipt(io: Io, receipt: string | null, release: NamedRelease): void {
  const named = releaseWord(release)
  note(io, {
    en: `Answered by ${named}; receipt ${receipt ?? '–'}.`,
    zh: `由 ${named} 回答；收据 ${receipt ?? '–'}。`
  })
}

function scoreOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const score = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(score)) return score
  return fail({
    code: 'score-unreadable',
    what: { en: `“${text}” is no score.`, zh: `“${text}”不是分数。` },
    where: '--score',
    remedy: { en: 'Give a number, such as 0.5.', zh: '请给出数字，例如 0.5。' }
  })
}

async function report(
  context: Context,
  engine: EngineClient,
  wanted: string,
  receipt: string,
  options: OfScenario & { score?: string; words?: string }
): Promise<void> {
  refuseNoName(receipt, { en: 'receipt', zh: '收据' })
  const score = scoreOf(options.score)
  if (score === undefined && (options.words ?? '').trim() === '')
    fail({
      code: 'report-empty',
      what: { en: 'The report says nothing.', zh: '反馈没有内容。' },
      remedy: { en: 'Give --score, --words, or both.', zh: '请给出 --score、--words 或两者。' }
    })
  const { id: run } = await find(engine, wanted)
  const scenario = await scenarioOf(engine, run, options)
  const { id } = await engine.talk.report({
    run,
    scenario,
    references: [receipt],
    ...(score === undefined ? {} : { score }),
    ...(options.words === undefined ? {} : { words: options.words })
  })
  print(context, { scenario, id }, () => id)
}

/** Readings of the records, each a part of them, until it is said that more remain. */
const MOST_READINGS = 500

async function feedbackOf(
  engine: EngineClient,
  run: string,
  scenario: string
): Promise<FeedbackSummary> {
  let summary = await engine.talk.feedback({ run, scenario })
  for (let turn = 1; !summary.complete && turn < MOST_READINGS; turn += 1)
    summary = await engine.talk.feedback({ run, scenario })
  return summary
}

const HEAD: readonly Text[] = [
  { en: 'scenario', zh: '场景' },
  { en: 'answers', zh: '回答' },
  { en: 'reports', zh: '反馈' },
  { en: 'batch', zh: '批次' },
  { en: 'waiting', zh: '等待' },
  { en: 'learnt', zh: '已学' },
  { en: 'unreported', zh: '无反馈' },
  { en: 'astray', zh: '无对应回答' },
  { en: 'unscored', zh: '无分数' }
]

/** Where the feedback of each scenario went: a line each, then what is wrong with some of it. */
function feedbackText(
  io: Io,
  found: readonly { scenario: string; summary: FeedbackSummary }[]
): string {
  const rows = found.map(({ scenario, summary: one }) => [
    ...[scenario, String(one.answers), String(one.reports)],
    `${one.batch.have ?? '?'}/${one.batch.need ?? '?'}`,
    ...[
      one.waiting.count,
      one.learnt,
      one.unreported.count,
      one.astray.count,
      one.unscored.count
    ].map(String)
  ])
  const astray = found.flatMap(({ summary }) =>
    summary.astray.newest.map(({ record, why }) => `${record.id}  ${words(io, why)}`)
  )
  // Of the whole run, so each scenario tells the same.
  const refused = (found[0]?.summary.refused.newest ?? []).map(({ text }) =>
    words(io, { en: `refused: ${text}`, zh: `已拒绝：${text}` })
  )
  return [table([HEAD.map((one) => words(io, one)), ...rows]), ...astray, ...refused].join('\n')
}

async function feedback(
  context: Context,
  engine: EngineClient,
  wanted: string,
  options: OfScenario
): Promise<void> {
  const { id: run } = await find(engine, wanted)
  const named = options.scenario === undefined ? null : await scenarioOf(engine, run, options)
  const scenarios = named === null ? await scenariosOf(engine, run) : [named]
  const found: { scenario: string; summary: FeedbackSummary }[] = []
  for (const scenario of scenarios)
    found.push({ scenario, summary: await feedbackOf(engine, run, scenario) })
  if (found.some(({ summary }) => !summary.complete))
    note(context.io, {
      en: 'Not all records are read yet; there may be more than is counted here.',
      zh: '记录尚未全部读取；实际数量可能更多。'
    })
  const data = found.map(({ scenario, summary }) => ({ scenario, ...summary }))
  print(context, { feedback: data }, () => feedbackText(context.io, found))
}

/** `slipway ask`, `report` and `feedback`: talking with what learns, and where what was said went. */
export function registerTalkCommands(program: Command, context: Context): void {
  const scenario = (command: Command): Command =>
    command.option('--scenario <name>', 'which scenario; default the only one')
  scenario(program.command('ask <run> <text>'))
    .description('ask what a run serves; prints the answer as it comes, then its receipt')
    .option('--anthropic', 'in the form of Anthropic’s messages; default OpenAI’s chat completions')
    .action((run: string, text: string, options: Parameters<typeof ask>[4]) =>
      act(context, (engine) => ask(context, engine, run, text, options))
    )
  scenario(program.command('report <run> <receipt>'))
    .description('give an answer a score, words, or both')
    .option('--score <number>', 'how good the answer is')
    .option('--words <text>', 'what to say of it')
    .action((run: string, receipt: string, options: Parameters<typeof report>[4]) =>
      act(context, async (engine) => {
        await report(context, engine, run, receipt, options)
        return EXIT.ok
      })
    )
  program
    .command('feedback <run>')
    .description('where the feedback of each scenario went')
    .option('--scenario <name>', 'only this scenario')
    .action((run: string, options: OfScenario) =>
      act(context, (engine) => feedback(context, engine, run, options))
    )
}
