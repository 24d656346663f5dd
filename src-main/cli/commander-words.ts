import { type Argument, type Command, Help, type Option } from 'commander'
import type { Failure } from '../contract/failure'
import type { Text } from '../contract/text'
import { HELP_WORDS } from './help-words'
import { columnsOf, type Io } from './output'

/** What commander says about words it cannot take, and the same in Chinese; `$1`… are its own captures. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^unknown option '(.+)'$/, '未知选项 “$1”'],
  [/^unknown command '(.+)'$/, '未知命令 “$1”'],
  [/^missing required argument '(.+)'$/, '缺少必需的参数 “$1”'],
  [/^option '(.+)' argument missing$/, '选项 “$1” 缺少值'],
  [/^required option '(.+)' not specified$/, '未给出必需的选项 “$1”'],
  [
    /^too many arguments for '(.+)'\. Expected (\d+) arguments? but got (\d+)\.$/,
    '“$1” 的参数过多：应为 $2 个，实际为 $3 个。'
  ],
  [
    /^too many arguments\. Expected (\d+) arguments? but got (\d+)\.$/,
    '参数过多：应为 $1 个，实际为 $2 个。'
  ],
  [
    /^option '(.+)' argument '(.*)' is invalid\. Allowed choices are (.+)\.$/,
    '选项 “$1” 的值 “$2” 无效，可选值：$3。'
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.+)'\. Allowed choices are (.+)\.$/,
    '参数 “$2” 的值 “$1” 无效，可选值：$3。'
  ],
  [/^option '(.+)' argument '(.*)' is invalid\.(.*)$/, '选项 “$1” 的值 “$2” 无效。$3'],
  [/^option '(.+)' cannot be used with option '(.+)'$/, '选项 “$1” 不能与选项 “$2” 同时使用'],
  [/^\(Did you mean one of (.+)\?\)$/, '（是否指以下之一：$1？）'],
  [/^\(Did you mean (.+)\?\)$/, '（是否指 $1？）']
]

/**
 * Has commander refuse words in the language of the terminal. Sentences it may learn later stay English rather than
 * being left out.
 */
export function speakCommander(program: Command, io: Io): void {
  program.configureOutput({
    outputError: (message, write) => {
      if (io.json?.() === true) write(`${JSON.stringify({ error: usage(message) })}\n`)
      else write(io.language === 'zh' ? inChinese(message) : message)
    }
  })
  program.configureHelp(helpIn(io))
}

const HEADINGS: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Commands:': '命令：'
}

/** The help of every command; asked when it is printed, as only then the language is known. */
function helpIn(io: Io): Partial<Help> {
  const plain = new Help()
  const say = (text: string): string => (io.language === 'zh' ? (HELP_WORDS[text] ?? text) : text)
  /** The words of an option or argument, and behind them what commander itself adds. */
  const entry = (description: string, whole: string): string =>
    io.language === 'zh' && whole.startsWith(description)
      ? say(description) + extras(whole.slice(description.length))
      : whole
  return {
    styleTitle: (title) => (io.language === 'zh' ? (HEADINGS[title] ?? title) : title),
    styleUsage: (usage) =>
      io.language === 'zh'
        ? usage.replace('[options]', '[选项]').replace('[command]', '[命令]')
        : usage,
    styleSubcommandTerm: (term) =>
      io.language === 'zh' ? term.replace('[options]', '[选项]') : term,
    commandDescription: (command: Command) => say(command.description()),
    subcommandDescription: (command: Command) => say(command.summary() || command.description()),
    optionDescription: (option: Option) =>
      entry(option.description, plain.optionDescription(option)),
    argumentDescription: (argument: Argument) =>
      entry(argument.description, plain.argumentDescription(argument)),
    displayWidth: (text) => columnsOf(text)
  }
}

/** ` (choices: "a", "b", default: "a")` in Chinese. */
function extras(text: string): string {
  return text
    .replace(/^ ?\((.*)\)$/, '（$1）')
    .replace('choices: ', '可选：')
    .replace('default: ', '默认：')
}

/** What commander refuses, in the form every other failure has. */
function usage(message: string): Failure {
  const [first = '', ...more] = message.trim().split('\n')
  const plain = (line: string): string => line.replace(/^error: |^错误：/, '')
  const said = (line: string): Text => ({ en: plain(line), zh: plain(lineInChinese(line)) })
  const hint = more.join(' ').trim()
  return { code: 'usage', what: said(first), ...(hint === '' ? {} : { remedy: said(hint) }) }
}

function inChinese(message: string): string {
  return message.split('\n').map(lineInChinese).join('\n')
}

function lineInChinese(line: string): string {
  const failed = line.startsWith('error: ')
  const sentence = failed ? line.slice('error: '.length) : line
  const known = SENTENCES.find(([english]) => english.test(sentence))
  const said = known === undefined ? sentence : sentence.replace(known[0], known[1])
  return failed ? `错误：${said}` : said
}
