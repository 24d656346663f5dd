import { expect, it } from 'vitest'
import { gaveUpWords, unusableWords } from '../../../src-main/app/engine-words'

it('tells of a home that cannot be used what, where and what to do, in the language of the person', () => {
  const failure = {
    code: 'home-unusable',
    what: { en: 'It is no folder.', zh: '它不是文件夹。' },
    where: '/a/file',
    detail: '',
    remedy: { en: 'Give another.', zh: '请指定其他文件夹。' }
  }
  expect(unusableWords(failure, 'en')).toBe('It is no folder.\n\n/a/file\n\nGive another.')
  expect(unusableWords(failure, 'zh')).toBe('它不是文件夹。\n\n/a/file\n\n请指定其他文件夹。')
  const { code, what } = failure
  expect(unusableWords({ code, what }, 'en')).toBe('It is no folder.')
})

it('tells how an engine ended that is not started again', () => {
  expect(gaveUpWords(9, 'en')).toContain('code 9')
  expect(gaveUpWords(9, 'zh')).toContain('退出码 9')
})
