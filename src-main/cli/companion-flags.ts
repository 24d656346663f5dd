import type { Command } from 'commander'
import { commandWords } from '../contract/command-words'
import { Companion } from '../contract/launch'
import type { Text } from '../contract/text'
import { fail } from '../engine/lib'

const PLACES = ['process', 'stack-container'] as const
const { restart } = Companion.shape

/** What `slipway launch` takes for commands that make the traffic a stack learns from. */
export interface CompanionFlags {
  companion: string[]
  companionIn: string
  companionImage?: string
  companionEnv: string[]
  companionRestart: string
}

export function addCompanionFlags(command: Command): Command {
  const collect = (one: string, all: string[]): string[] => [...all, one]
  return command
    .option('--companion <command>', 'a command that makes its traffic, once for each', collect, [])
    .option('--companion-in <where>', `where they run: ${PLACES.join(' or ')}`, 'process')
    .option('--companion-image <name>', 'run each in a container of its own from this image')
    .option('--companion-env <NAME>', 'a variable they need, once for each', collect, [])
    .option(
      '--companion-restart <when>',
      `when they are started again: ${restart.options.join(', ')}`,
      'on-failure'
    )
}

/**
 * The companions of a launch: started when the stack serves, stopped with the run, called agent, agent-2 and so on.
 * @throws FailureError `companion-unreadable`
 */
export function companionsOf(flags: CompanionFlags): Companion[] {
  const { companionIn, companionImage: image, companionEnv: environment } = flags
  if (flags.companion.length === 0) return refuseIdle(flags)
  const where = image === undefined ? PLACES.find((one) => one === companionIn) : 'own-container'
  if (where === undefined) {
    return unreadable('--companion-in', {
      en: `“${companionIn}” is no place for a companion: ${PLACES.join(' or ')}, or --companion-image.`,
      zh: `“${companionIn}”不是伴随命令的运行位置：应为 ${PLACES.join(' 或 ')}，或使用 --companion-image。`
    })
  }
  const policy = restart.safeParse(flags.companionRestart)
  if (!policy.success) {
    return unreadable('--companion-restart', {
      en: `“${flags.companionRestart}” is none of ${restart.options.join(', ')}.`,
      zh: `“${flags.companionRestart}”不是 ${restart.options.join('、')} 之一。`
    })
  }
  return flags.companion.map((line, at) => ({
    name: at === 0 ? 'agent' : `agent-${at + 1}`,
    command: wordsOf(line),
    where,
    environment,
    startWhenServing: true,
    stopWithRun: true,
    restart: policy.data,
    ...(image === undefined ? {} : { image })
  }))
}

/** Choices for companions where there is none would be dropped without a word. */
function refuseIdle({ companionIn, companionImage, companionEnv }: CompanionFlags): [] {
  const idle = companionImage !== undefined || companionEnv.length > 0 || companionIn !== 'process'
  if (!idle) return []
  return unreadable('--companion', {
    en: 'There is no companion these choices could be for.',
    zh: '没有伴随命令，这些选项无处可用。'
  })
}

function wordsOf(line: string): string[] {
  const words = commandWords(line)
  if (words !== null && words.length > 0) return words
  return unreadable('--companion', {
    en: words === null ? `A quote is left open in “${line}”.` : 'The command is empty.',
    zh: words === null ? `“${line}”中有未闭合的引号。` : '命令为空。'
  })
}

function unreadable(where: string, what: Text): never {
  return fail({
    code: 'companion-unreadable',
    where,
    what,
    remedy: {
      en: 'For example --companion "python client.py".',
      zh: '例如 --companion "python client.py"。'
    }
  })
}
