#!/usr/bin/env node
import { join } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { speakCommander } from './commander-words'
import { addCommands } from './commands'
import type { Context } from './runs'
import { EXIT, note, terminalLanguage, type Io } from './output'

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
    piece: (text) => process.stdout.write(text),
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
  addCommands(program, context)
  try {
    await program.parseAsync()
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    process.exitCode = thrown.exitCode === 0 ? EXIT.ok : EXIT.unreadable
  }
}

void main()
