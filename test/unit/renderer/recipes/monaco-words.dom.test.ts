import { afterEach, expect, it } from 'vitest'
import { localize, localize2 } from '../../../../src-renderer/editor/monaco-words'

afterEach(() => document.documentElement.removeAttribute('lang'))

it('speaks the language the page has now, and fills in what the sentence asks for', () => {
  expect(localize('a', '{0} of {1}', 1, 4)).toBe('1 of 4')
  document.documentElement.lang = 'zh-CN'
  expect(localize('a', '{0} of {1}', 1, 4)).toBe('第 1 项，共 4 项')
  expect(localize2('b', 'Find')).toEqual({ value: '查找', original: 'Find' })
})

it('leaves a sentence it does not know as it is, also one named like a property of every object', () => {
  document.documentElement.lang = 'zh-CN'
  expect(localize('a', 'constructor')).toBe('constructor')
  expect(localize('a', 'toString {1}', 'x')).toBe('toString {1}')
})
