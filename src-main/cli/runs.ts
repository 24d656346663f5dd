import type { Command } from 'commander'
import type { Failure } from '../contract/failure'
import type { Release } from '../contract/releases'
import type { RunState, RunSummary } from '../contract/run'
import type { Text } from '../contract/text'
import { reportFailure, withEngine, type EngineClient, type EngineOptions } from './engine-client'
import { refuseNoName } from './names'
import { pipelineRows } from './nexrl-rows'
import { askSecrets } from './ask-secrets'
import { companionRow } from './companion-words'
import { addCompanionFlags, type CompanionFlags, companionsOf } from './companion-flags'
import {
  addContainerFlags,
  containerChoices,
  type ContainerFlags,
  refuseComposeElsewhere
} from './container-choices'
import { addNexrlOptions, nexrlChoices, type NexrlOptions } from './nexrl-options'
import { fail } from '../engine/lib'
import { EXIT, note, table, words, type Io } from './output'
import { queueWords } from './queue-words'
import { startLaunch } from './refused-launch'
import { isSameEnd, overWord, progressLine, releaseWords, stateWord } from './run-words'
import { rewardOf } from '../engine/releases'
import { isFinal } from '../engine/stacks'
import { addSetOption, overridesOf } from './set-pairs'
import { registerCheckpoints } from './checkpoints'
import { registerReleaseDetail } from './release-detail'
import { registerWaysBack, type ReleaseTools } from './ways-back'

export interface Context {
  io: Io
  engine: EngineOptions
  json(): boolean
  home(): string | undefined
}

/** Prints what a command answers: words, or JSON where that was asked for. */
export function print(context: Context, data: unknown, text: () => string): void {
  context.io.out(context.json() ? JSON.stringify(data) : text())
}

/** Opens the engine for one command and turns what it throws into words and an exit code. */
export async function act(
  context: Context,
  work: (engine: EngineClient) => Promise<number | void>
): Promise<void> {
  try {
    await withEngine({ ...context.engine, home: context.home() }, async (engine) => {
      context.io.exit((await work(engine)) ?? EXIT.ok)
    })
  } catch (thrown) {
    context.io.exit(reportFailure(context.io, thrown))
  }
}

/** A run by its id, a unique beginning of it, or its name when only one has it. */
export async function find(engine: EngineClient, wanted: string): Promise<RunSummary> {
  // Every id begins with nothing: an unset variable in a script must not stop somebody's run.
  refuseNoName(wanted, { en: 'run', zh: '运行' })
  const { runs, damaged } = await engine.runs.list()
  const exact = runs.find((run) => run.id === wanted)
  if (exact !== undefined) return exact
  const matches = runs.filter((run) => run.id.startsWith(wanted) || run.name === wanted)
  const unreadable = damaged.filter((run) => run.id.startsWith(wanted))
  const all = [...matches, ...unreadable].map((run) => run.id)
  if (all.length > 1) return ambiguous(wanted, all)
  if (matches[0] !== undefined) return matches[0]
  if (unreadable[0] !== undefined) {
    const { folder, why, remedy } = unreadable[0]
    return fail({ code: 'run-damaged', what: why, where: folder, remedy })
  }
  return fail({
    code: 'run-unknown',
    what: { en: `No run is called “${wanted}”.`, zh: `没有名为“${wanted}”的运行。` },
    remedy: { en: '“slipway runs” lists them.', zh: '“slipway runs”列出全部运行。' }
  })
}

function stillRuns(run: string): Failure {
  return {
    code: 'run-still-runs',
    where: run,
    what: {
      en: 'This run has not ended, so there is nothing to start again.',
      zh: '该运行尚未结束，无需重新启动。'
    },
    remedy: { en: '“slipway stop RUN” ends it first.', zh: '请先用“slipway stop RUN”结束它。' }
  }
}

function ambiguous(wanted: string, ids: readonly string[]): never {
  return fail({
    code: 'run-ambiguous',
    what: {
      en: `“${wanted}” could be ${ids.join(', ')}.`,
      zh: `“${wanted}”可能是 ${ids.join('、')}。`
    },
    remedy: { en: 'Give more of the id.', zh: '请给出更多 id 字符。' }
  })
}

/** Reads what happened while nobody watched, so that what is printed is so now; says where that could not be done. */
async function lookNow(context: Context, engine: EngineClient, run?: string): Promise<void> {
  const { unseen } = await engine.runs.look(run === undefined ? {} : { run })
  for (const { run: id, why, seenAt } of unseen) {
    const since = seenAt === 0 ? '–' : new Date(seenAt).toISOString()
    note(context.io, {
      en: `${id}: could not be looked at; what is shown is from ${since}. ${why.en}`,
      zh: `${id}：现在无法查看；所示内容截至 ${since}。${why.zh}`
    })
  }
}

function runRow(io: Io, run: RunSummary): string[] {
  const reward = run.reward?.last
  return [
    run.id,
    run.name,
    words(io, stateWord(run.state, run.trainStep)),
    run.trainStep === null ? '–' : String(run.trainStep),
    run.served ?? '–',
    reward === null || reward === undefined ? '–' : reward.toFixed(3),
    new Date(run.startedAt).toISOString()
  ]
}

const RUN_HEAD: Text[] = [
  { en: 'run', zh: '运行' },
  { en: 'name', zh: '名称' },
  { en: 'state', zh: '状态' },
  { en: 'step', zh: '步' },
  { en: 'served', zh: '在线' },
  { en: 'reward', zh: '奖励' },
  { en: 'last started', zh: '最近启动' }
]

const RELEASE_HEAD: Text[] = [
  { en: 'release', zh: '版本' },
  { en: 'operation', zh: '操作' },
  { en: 'step', zh: '步' },
  { en: 'reward', zh: '奖励' },
  { en: 'state', zh: '状态' },
  { en: 'restorable', zh: '可恢复' },
  { en: 'recorded', zh: '记录时间' },
  { en: 'id', zh: 'id' }
]

async function launch(
  context: Context,
  engine: EngineClient,
  recipe: string,
  options: NexrlOptions &
    CompanionFlags &
    ContainerFlags & {
      set: string[]
      follow?: boolean
      whenFree?: boolean
      name?: string
      target: string
      because?: string
    }
): Promise<number> {
  await refuseComposeElsewhere(engine, options)
  const companions = companionsOf(options)
  const request = {
    recipe,
    target: options.target,
    overrides: overridesOf(options.set),
    companions,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.because === undefined ? {} : { because: options.because }),
    ...nexrlChoices(options),
    ...containerChoices(options)
  }
  if (options.whenFree === true) {
    const told = await engine.queue.add(request)
    const said = queueWords[told.done ? 'waits' : 'later']
    print(context, told, () => `${told.id}  ${words(context.io, said)}`)
    return EXIT.ok
  }
  const terminal = { input: process.stdin, isTerminal: process.stdin.isTTY && process.stderr.isTTY }
  if (terminal.isTerminal)
    await askSecrets(context.io, await engine.launch.plan(request), terminal, process.env)
  const { run, folder, notes } = await startLaunch(engine, request)
  for (const one of notes) note(context.io, one)
  const state = await started(context, engine, run)
  print(context, { run: { id: run, folder }, state }, () => `${run}  ${folder}`)
  if (companions.length > 0 && options.follow !== true) note(context.io, unwatchedCompanions)
  return options.follow === true ? follow(context, engine, run) : EXIT.ok
}

const unwatchedCompanions: Text = {
  en: 'A companion is started by whoever watches the run when it serves: keep Slipway open, or launch with --follow.',
  zh: '伴随命令由观察该运行的一方在服务就绪时启动：请保持 Slipway 打开，或用 --follow 启动。'
}

/** Waits until the stack is starting: whoever launches also makes the image, and nobody else would if we left. */
async function started(
  context: Context,
  engine: EngineClient,
  run: string,
  /** Attempts there were before. */
  before = 0
): Promise<RunState['kind']> {
  let said = ''
  for await (const { summary } of await engine.runs.follow({ run })) {
    const { kind } = summary.state
    if (summary.attempt <= before) continue
    if (kind !== 'planned' && kind !== 'checking' && kind !== 'preparing') return kind
    const now = words(context.io, summary.now)
    if (now !== said) note(context.io, summary.now)
    said = now
  }
  return 'planned'
}

async function follow(context: Context, engine: EngineClient, run: string): Promise<number> {
  let said = ''
  for await (const detail of await engine.runs.follow({ run })) {
    const line = words(context.io, progressLine(detail.summary))
    if (line !== said && !context.json()) context.io.out(line)
    if (line !== said && context.json()) context.io.out(JSON.stringify(detail.summary))
    said = line
    const kind = detail.summary.state.kind
    if (kind === 'stopped') return EXIT.ok
    if (kind === 'failed') return EXIT.failed
  }
  return EXIT.ok
}

async function show(context: Context, engine: EngineClient, wanted: string): Promise<void> {
  const { id } = await find(engine, wanted)
  await lookNow(context, engine, id)
  const detail = await engine.runs.get({ run: id })
  print(context, detail, () => {
    const { summary } = detail
    // Nothing was launched for a record of files, so it has no attempt and no stages.
    const imported = summary.state.kind === 'imported'
    const { served, reported, batchHave, batchNeed, released } = summary.stages
    const say = (en: string, zh: string): string => words(context.io, { en, zh })
    return table([
      [say('run', '运行'), summary.id],
      [say('folder', '文件夹'), summary.folder],
      [
        say('recipe', '配方'),
        summary.recipe.name +
          (summary.recipe.practice ? say(' (practice, not Slime)', '（练习，并非 Slime）') : '')
      ],
      [say('target', '目标'), summary.target.name],
      ...(imported ? [] : [[say('attempt', '尝试'), String(summary.attempt)]]),
      [say('state', '状态'), words(context.io, stateWord(summary.state, summary.trainStep))],
      [say('now', '现在'), words(context.io, summary.now)],
      [say('step', '步'), summary.trainStep === null ? '–' : String(summary.trainStep)],
      [say('served', '在线'), summary.served ?? '–'],
      ...(imported
        ? []
        : detail.nexrl === undefined
          ? [
              [
                say('stages', '阶段'),
                say(
                  `served ${served}, reported ${reported}, batch ${batchHave ?? '?'} of ${batchNeed ?? '?'}, released ${released}`,
                  `已应答 ${served}，反馈 ${reported}，批次 ${batchHave ?? '?'}/${batchNeed ?? '?'}，已发布版本 ${released}`
                )
              ]
            ]
          : pipelineRows(detail.nexrl, say)),
      ...companionRow(detail.companions, say),
      [say('address', '地址'), detail.address ?? '–']
    ])
  })
}

/** The optimizer step a release was trained to, as its own metrics say. */
function trainStepOf({ metrics }: Release): string {
  const step = metrics['train/step']
  return typeof step === 'number' && Number.isFinite(step) ? String(step) : '–'
}

function releaseRow(io: Io, release: Release): string[] {
  const { operation, state, restorable } = releaseWords(release)
  return [
    `r${release.step}`,
    words(io, operation),
    trainStepOf(release),
    rewardOf(release)?.toFixed(3) ?? '–',
    words(io, state),
    words(io, restorable),
    release.recordedAt === null ? '–' : new Date(release.recordedAt).toISOString(),
    release.releaseId
  ]
}

/** The commands that launch, list, show and steer runs. */
export function registerRunCommands(program: Command, context: Context): void {
  addSetOption(
    addNexrlOptions(addCompanionFlags(addContainerFlags(program.command('launch <recipe>'))))
  )
    .description('start a run; returns when its stack is starting')
    .option('--target <id>', 'where to run', 'local')
    .option('--name <name>', 'name of the run')
    .option('--because <why>', 'go on in spite of preflight failures that are a judgement')
    .option('--follow', 'stay and print what happens')
    .option('--when-free', 'let it wait in the queue until its GPUs and ports are free')
    .action((recipe: string, options: Parameters<typeof launch>[3]) =>
      act(context, (engine) => launch(context, engine, recipe, options))
    )
  program
    .command('runs')
    .description('list all runs, the last started first')
    .action(() =>
      act(context, async (engine) => {
        await lookNow(context, engine)
        const list = await engine.runs.list()
        print(context, list, () =>
          [
            table([
              RUN_HEAD.map((head) => words(context.io, head)),
              ...list.runs.map((run) => runRow(context.io, run))
            ]),
            ...list.damaged.map(
              ({ id, why, remedy }) =>
                `${id}  ${words(context.io, why)} ${words(context.io, remedy)}`
            )
          ].join('\n')
        )
      })
    )
  program
    .command('show <run>')
    .description('what a run is and what it is doing')
    .action((run: string) => act(context, (engine) => show(context, engine, run)))
  program
    .command('releases <run>')
    .description('the releases of a run, newest first')
    .option('--scenario <name>', 'which scenario; default the run’s first')
    .action((wanted: string, { scenario }: { scenario?: string }) =>
      act(context, async (engine) => {
        const { id: run } = await find(engine, wanted)
        await lookNow(context, engine, run)
        const chain = await engine.releases.chain({
          run,
          ...(scenario === undefined ? {} : { scenario })
        })
        if (chain.note !== undefined) note(context.io, chain.note)
        print(context, { releases: chain.releases }, () =>
          table([
            RELEASE_HEAD.map((head) => words(context.io, head)),
            ...chain.releases.map((release) => releaseRow(context.io, release))
          ])
        )
      })
    )
  const releaseTools: ReleaseTools = {
    find: async (engine, wanted) => {
      const run = await find(engine, wanted)
      await lookNow(context, engine, run.id)
      return run
    },
    act,
    print
  }
  registerReleaseDetail(program, context, releaseTools)
  registerCheckpoints(program, context, releaseTools)
  registerWaysBack(program, context, releaseTools)
  program
    .command('restart <run>')
    .description('start a run that has ended again, where it stopped')
    .action((wanted: string) =>
      act(context, async (engine) => {
        const { id: run, folder, attempt } = await find(engine, wanted)
        const { state: before } = (await engine.runs.get({ run })).summary
        if (!isFinal(before)) return fail(stillRuns(run))
        const { doubt } = await engine.runs.restartDoubt({ run })
        if (doubt !== null) context.io.err(words(context.io, doubt))
        await engine.runs.restart({ run })
        const state = await started(context, engine, run, attempt)
        print(context, { run: { id: run, folder }, state }, () => `${run}  ${folder}`)
      })
    )
  program
    .command('stop <run>')
    .description('end the stack of a run; its record stays')
    .option('--force', 'skip the grace period')
    .action((wanted: string, { force }: { force?: boolean }) =>
      act(context, async (engine) => {
        const { id: run } = await find(engine, wanted)
        const { state: before } = (await engine.runs.get({ run })).summary
        // Asked for even where it is over: an act that is about to start it again is called off.
        const { note: unwritten } = await engine.runs.stop({ run, force: force === true })
        if (unwritten !== undefined) {
          // Nobody writes down how it ends, so its end would be waited for in vain.
          print(context, { run, state: before, note: unwritten }, () =>
            words(context.io, unwritten)
          )
          return EXIT.ok
        }
        const ended = await follow(
          { ...context, json: () => false, io: { ...context.io, out: () => undefined } },
          engine,
          run
        )
        const { summary } = await engine.runs.get({ run })
        const { state, trainStep } = summary
        const over = isSameEnd(before, state) ? overWord(state) : stateWord(state, trainStep)
        print(context, { run, state }, () => words(context.io, over))
        return ended
      })
    )
}
