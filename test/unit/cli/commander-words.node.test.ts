import { Command } from 'commander'
import { expect, it } from 'vitest'
import { speakCommander } from '../../../src-main/cli/commander-words'
import type { Io } from '../../../src-main/cli/output'

/** What a command line of one command says about words it cannot take. */
function refusal(language: Io['language'], ...words: string[]): string {
  return refusalOf({ language, json: () => false }, ...words)
}

function refusalOf(how: Pick<Io, 'language' | 'json'>, ...words: string[]): string {
  let said = ''
  const nothing = (): void => undefined
  const program = new Command('slipway').option('--home <dir>', 'folder').exitOverride()
  program.configureOutput({ writeErr: (text) => void (said += text) })
  speakCommander(program, { ...how, out: nothing, err: nothing, exit: nothing })
  program.command('check').argument('<file>').option('--env <file>', 'file').action(nothing)
  expect(() => program.parse(words, { from: 'user' })).toThrow()
  return said
}

it.each([
  [['check', '--envv', 'x'], '错误：未知选项 “--envv”\n（是否指 --env？）\n'],
  [['chek'], '错误：未知命令 “chek”\n（是否指 check？）\n'],
  [['check'], '错误：缺少必需的参数 “file”\n'],
  [['check', 'a', '--env'], '错误：选项 “--env <file>” 缺少值\n'],
  [['check', 'a', 'b'], '错误：“check” 的参数过多：应为 1 个，实际为 2 个。\n']
])('%j is refused in Chinese', (words, said) => {
  expect(refusal('zh', ...words)).toBe(said)
})

it('English is commander’s own', () => {
  expect(refusal('en', 'check')).toBe("error: missing required argument 'file'\n")
})

it('is one line of JSON where that was asked for', () => {
  const said = refusalOf({ language: 'en', json: () => true }, 'chek')
  expect(JSON.parse(said)).toEqual({
    error: {
      code: 'usage',
      what: { en: "unknown command 'chek'", zh: '未知命令 “chek”' },
      remedy: { en: '(Did you mean check?)', zh: '（是否指 check？）' }
    }
  })
})
