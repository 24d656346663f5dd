#!/usr/bin/env node
import { join } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { speakCommander } from './commander-words'
import { registerClusterCommand } from './cluster'
import { registerCompareCommand } from './compare'
import { withEngine, type EngineClient } from './engine-client'
import { registerErrandCommands } from './errands'
import { EXIT, note, terminalLanguage, type Io } from './output'
import { registerImportCommand } from './import'
import { registerMetricsCommand } from './metrics'
import { registerPreflightCommand } from './preflight'
import { registerRecipeCommands } from './recipes'
import { find, registerRunCommands, type Context } from './runs'
import { registerTrialCommands } from './trials'
import { registerTargetsCommand } from './targets'
import { registerWeaverCommands } from './weaver'

declare const __SLIPWAY_VERSION__: string

const root = join(__dirname, '..', '..')

interface Globals {
  home?: string
  json?: boolean
  lang?: string
}

// A reader that has seen enough (`slipway runs | head`) is no failure of ours.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code === 'EPIPE') process.exit()
  throw cause
})

async function main(): Promise<void> {
  const program = new Command('slipway')
    .description('Launch, watch, compare and roll back agents that keep learning.')
    .version(__SLIPWAY_VERSION__)
    .option('--home <dir>', 'folder that holds the runs (default ~/slipway, or SLIPWAY_HOME)')
    .option('--json', 'print JSON')
    .addOption(new Option('--lang <language>', 'language of sentences').choices(['en', 'zh']))
    .exitOverride()
  const globals = (): Globals => program.opts<Globals>()
  // A command may have its own --json, which the program does not see.
  let asJson: boolean | null = null
  const json = (): boolean => asJson ?? globals().json === true
  const io: Io = {
    json,
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
    exit: (code) => {
      process.exitCode = code
    },
    get language() {
      const asked = globals().lang
      return asked === 'en' || asked === 'zh' ? asked : terminalLanguage(process.env)
    }
  }
  // Commands take this over when they are made, so it comes before them.
  speakCommander(program, io)
  program.hook('preAction', (_program, command) => {
    asJson = command.optsWithGlobals<Globals>().json === true
  })
  const context: Context = {
    io,
    engine: {
      home: undefined,
      resources: process.env['SLIPWAY_RESOURCES'] ?? join(root, 'resources'),
      recipes: process.env['SLIPWAY_RECIPES'] ?? join(root, 'recipes'),
      version: __SLIPWAY_VERSION__,
      warn: (problem) => {
        note(io, problem)
      }
    },
    json,
    home: () => globals().home
  }
  registerRunCommands(program, context)
  registerPreflightCommand(program, context)
  registerRecipeCommands(program, io)
  const ask = <T>(work: (engine: EngineClient) => Promise<T>): Promise<T> =>
    withEngine({ ...context.engine, home: context.home() }, work)
  /** Sides whose runs are named as on the command line, by id. */
  const byId = <S extends object>(engine: EngineClient, sides: readonly S[]): Promise<S[]> =>
    Promise.all(
      sides.map(async (side) =>
        'run' in side ? { ...side, run: (await find(engine, String(side.run))).id } : side
      )
    )
  registerCompareCommand(program, io, {
    sides: (request) =>
      ask(async (engine) =>
        engine.compare.sides({ ...request, sides: await byId(engine, request.sides) })
      ),
    save: (request) =>
      ask(async (engine) =>
        engine.compare.save({ ...request, sides: await byId(engine, request.sides) })
      ),
    page: (request) =>
      ask(async (engine) =>
        engine.compare.exportPage({ ...request, sides: await byId(engine, request.sides) })
      ),
    saved: () => ask((engine) => engine.compare.saved()),
    savedOne: (id) => ask((engine) => engine.compare.savedOne({ id })),
    removeSaved: (id) => ask((engine) => engine.compare.removeSaved({ id })),
    folder: (wanted) => ask(async (engine) => (await find(engine, wanted)).folder)
  })
  registerTrialCommands(program, context, { ask, byId })
  registerMetricsCommand(program, io)
  registerImportCommand(program, context)
  registerWeaverCommands(program, context)
  registerErrandCommands(program, context)
  registerTargetsCommand(program, context)
  registerClusterCommand(program, context)
  try {
    await program.parseAsync()
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    process.exitCode = thrown.exitCode === 0 ? EXIT.ok : EXIT.unreadable
  }
}

void main()
