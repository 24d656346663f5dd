import type { Command } from 'commander'
import type { Release } from '../contract/releases'
import type { AttemptState, RunSummary } from '../contract/run'
import { reportFailure, withEngine, type EngineClient, type EngineOptions } from './engine-client'
import { EXIT, table, words, type Io } from './output'

export interface Context {
  io: Io
  engine: EngineOptions
  json(): boolean
  home(): string | undefined
}

function print(context: Context, data: unknown, text: () => string): void {
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
  const { runs } = await engine.runs.list()
  const exact = runs.find((run) => run.id === wanted)
  if (exact !== undefined) return exact
  const matches = runs.filter((run) => run.id.startsWith(wanted) || run.name === wanted)
  if (matches.length === 1 && matches[0] !== undefined) return matches[0]
  throw new Error(
    matches.length === 0
      ? `No run is called "${wanted}". \`slipway runs\` lists them.`
      : `"${wanted}" could be ${matches.map((run) => run.id).join(', ')}. Give more of the id.`
  )
}

function findRelease(releases: readonly Release[], wanted: string): Release {
  const step = /^r?(\d+)$/.exec(wanted)?.[1]
  const found =
    step === undefined
      ? releases.find((release) => release.releaseId.startsWith(wanted))
      : releases.find((release) => release.step === Number(step))
  if (found !== undefined) return found
  throw new Error(`There is no release "${wanted}". \`slipway releases RUN\` lists them.`)
}

function stateWord(state: AttemptState): string {
  switch (state.kind) {
    case 'starting':
      return `starting ${state.service}`
    case 'training':
      return `training step ${state.step}`
    case 'stopped':
      return state.exit.kind === 'code'
        ? `stopped (exit ${state.exit.code})`
        : `stopped (${state.exit.kind})`
    default:
      return state.kind
  }
}

function runRow(run: RunSummary): string[] {
  const reward = run.reward?.last
  return [
    run.id,
    run.name,
    stateWord(run.state),
    String(run.step),
    run.served ?? '–',
    reward === null || reward === undefined ? '–' : reward.toFixed(3),
    new Date(run.startedAt).toISOString()
  ]
}

const RUN_HEAD = ['run', 'name', 'state', 'step', 'served', 'reward', 'started']

async function launch(
  context: Context,
  engine: EngineClient,
  recipe: string,
  options: { set: string[]; follow?: boolean; name?: string; target: string; because?: string }
): Promise<number> {
  const overrides = options.set.map((pair) => {
    const at = pair.indexOf('=')
    if (at <= 0) throw new Error(`--set wants path=value, not "${pair}".`)
    return { path: pair.slice(0, at), value: pair.slice(at + 1) }
  })
  const { run, folder } = await engine.launch.start({
    recipe,
    target: options.target,
    overrides,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.because === undefined ? {} : { because: options.because })
  })
  const { summary } = await engine.runs.get({ run })
  print(context, { run: { id: run, folder }, state: summary.state.kind }, () => `${run}  ${folder}`)
  return options.follow === true ? follow(context, engine, run) : EXIT.ok
}

async function follow(context: Context, engine: EngineClient, run: string): Promise<number> {
  let said = ''
  for await (const detail of await engine.runs.follow({ run })) {
    const line = `${stateWord(detail.summary.state)}  ${words(context.io, detail.summary.now)}`
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
  const detail = await engine.runs.get({ run: id })
  print(context, detail, () => {
    const { summary } = detail
    const { served, reported, batchHave, batchNeed, released } = summary.stages
    return table([
      ['run', summary.id],
      ['folder', summary.folder],
      ['recipe', summary.recipe.name + (summary.recipe.practice ? ' (practice, not Slime)' : '')],
      ['target', summary.target.name],
      ['attempt', String(summary.attempt)],
      ['state', stateWord(summary.state)],
      ['now', words(context.io, summary.now)],
      ['step', String(summary.step)],
      ['served', summary.served ?? '–'],
      [
        'stages',
        `served ${served}, reported ${reported}, batch ${batchHave ?? '?'} of ${batchNeed ?? '?'}, released ${released}`
      ],
      ['address', detail.address ?? '–']
    ])
  })
}

function releaseRow(release: Release): string[] {
  return [
    `r${release.step}`,
    release.operation,
    release.served ? 'served' : release.leftBehind ? 'left behind' : release.result,
    release.restorable ? 'restorable' : '–',
    release.recordedAt === null ? '–' : new Date(release.recordedAt).toISOString(),
    release.releaseId
  ]
}

/** The commands that launch, list, show and steer runs. */
export function registerRunCommands(program: Command, context: Context): void {
  const collect = (value: string, all: string[]): string[] => [...all, value]
  program
    .command('launch <recipe>')
    .description('start a run; returns when its stack is starting')
    .option('--set <path=value>', 'give a field of the recipe another value', collect, [])
    .option('--target <id>', 'where to run', 'local')
    .option('--name <name>', 'name of the run')
    .option('--because <why>', 'go on in spite of preflight failures that are a judgement')
    .option('--follow', 'stay and print what happens')
    .action((recipe: string, options: Parameters<typeof launch>[3]) =>
      act(context, (engine) => launch(context, engine, recipe, options))
    )
  program
    .command('runs')
    .description('list all runs, newest first')
    .action(() =>
      act(context, async (engine) => {
        const list = await engine.runs.list()
        print(context, list, () =>
          [
            table([RUN_HEAD, ...list.runs.map(runRow)]),
            ...list.damaged.map((run) => `${run.id}  damaged: ${words(context.io, run.why)}`)
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
    .option('--scenario <name>')
    .action((wanted: string, { scenario }: { scenario?: string }) =>
      act(context, async (engine) => {
        const { id: run } = await find(engine, wanted)
        const chain = await engine.releases.chain({
          run,
          ...(scenario === undefined ? {} : { scenario })
        })
        print(context, { releases: chain.releases }, () =>
          table([
            ['release', 'operation', 'state', 'restorable', 'recorded', 'id'],
            ...chain.releases.map(releaseRow)
          ])
        )
      })
    )
  program
    .command('rollback <run> <release>')
    .description('go back to a release (r12, 12 or its id)')
    .option('--scenario <name>')
    .option('--why <reason>', 'kept in the run', '')
    .action((wanted: string, to: string, { scenario, why }: { scenario?: string; why: string }) =>
      act(context, async (engine) => {
        const { id: run } = await find(engine, wanted)
        const which = { run, ...(scenario === undefined ? {} : { scenario }) }
        const { step } = findRelease((await engine.releases.chain(which)).releases, to)
        const done = await engine.releases.rollback({ ...which, step, why })
        print(
          context,
          { run, step, releaseId: done.releaseId },
          () =>
            `r${step} is served again, under a new number; training goes on from it. \`slipway releases\` shows both.`
        )
      })
    )
  program
    .command('stop <run>')
    .description('end the stack of a run; its record stays')
    .option('--force', 'skip the grace period')
    .action((wanted: string, { force }: { force?: boolean }) =>
      act(context, async (engine) => {
        const { id: run } = await find(engine, wanted)
        await engine.runs.stop({ run, force: force === true })
        const ended = await follow(
          { ...context, json: () => false, io: { ...context.io, out: () => undefined } },
          engine,
          run
        )
        const { summary } = await engine.runs.get({ run })
        print(context, { run, state: summary.state }, () => stateWord(summary.state))
        return ended
      })
    )
}
