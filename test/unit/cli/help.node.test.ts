import { Command } from 'commander'
import { expect, it } from 'vitest'
import { addCommands } from '../../../src-main/cli/commands'
import { speakCommander } from '../../../src-main/cli/commander-words'
import { HELP_WORDS } from '../../../src-main/cli/help-words'
import type { Io } from '../../../src-main/cli/output'

/** The whole command line as the program makes it, without anything behind it. */
function program(language: Io['language']): Command {
  const nothing = (): void => undefined
  const io: Io = { language, out: nothing, err: nothing, exit: nothing }
  const made = new Command('slipway').description(
    'Launch, watch, compare and roll back agents that keep learning.'
  )
  speakCommander(made, io)
  addCommands(made, {
    io,
    engine: { home: undefined, resources: '', recipes: '', version: '' },
    json: () => false,
    home: () => undefined
  })
  return made
}

function* everyCommand(command: Command): Generator<Command> {
  yield command
  for (const below of command.commands) yield* everyCommand(below)
}

it('says everything in Chinese that it says in English', () => {
  const left = [...everyCommand(program('zh'))].flatMap((command) =>
    [command, ...command.options, ...command.registeredArguments].flatMap((one) => {
      const said = one instanceof Command ? one.description() : one.description
      return said === '' || HELP_WORDS[said] !== undefined ? [] : [`${command.name()}: ${said}`]
    })
  )
  expect(left).toEqual([])
})

it('says of every option what it is for', () => {
  const silent = [...everyCommand(program('en'))].flatMap((command) =>
    command.options
      .filter(({ description }) => description === '')
      .map(({ flags }) => `${command.name()} ${flags}`)
  )
  expect(silent).toEqual([])
})

it('names the word after queue that is none of its commands', async () => {
  let said = ''
  const made = program('zh')
  for (const one of everyCommand(made))
    one.exitOverride().configureOutput({ writeErr: (text) => void (said += text) })
  await expect(made.parseAsync(['queue', 'bogus'], { from: 'user' })).rejects.toThrow()
  expect(said).toBe('错误：未知命令 “bogus”\n')
})

it('speaks Chinese in headings, choices and defaults too, and English as commander does', () => {
  const help = (language: Io['language'], name: string): string =>
    program(language)
      .commands.find((command) => command.name() === name)
      ?.helpInformation() ?? ''
  const chinese = help('zh', 'launch')
  expect(chinese).toMatch(/^用法：\s?slipway launch \[选项\] <recipe>/)
  expect(chinese).toContain('在哪里运行（默认："local"）')
  expect(chinese).toContain('启动一次运行')
  expect(chinese).not.toContain('Options')
  const english = help('en', 'launch')
  expect(english).toMatch(/^Usage: slipway launch \[options\] <recipe>/)
  expect(english).toContain('where to run (default: "local")')
})
