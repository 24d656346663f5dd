import type { Command } from 'commander'
import type { Io } from './output'

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
      write(io.language === 'zh' ? inChinese(message) : message)
    }
  })
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
