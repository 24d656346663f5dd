import { expect, it } from 'vitest'
import { runName } from '../../../../src-main/engine/stacks/run-name'
import { table } from '../../../../src-main/cli/output'

const unusable: unknown = expect.objectContaining({
  failure: expect.objectContaining({ code: 'run-name-unusable' }) as unknown
})

it('a name is one line that says something', () => {
  expect(runName('  my run  ')).toBe('my run')
  expect(runName('第 3 次')).toBe('第 3 次')
  for (const name of ['', '  ', 'a\nb', 'a\u2028b', 'a\u0007b'])
    expect(() => runName(name)).toThrow(unusable)
})

it('a name from before that was known breaks no table', () => {
  expect(
    table([
      ['id', 'a\nb', 'state'],
      ['other', 'c', 'state']
    ])
  ).toBe('id     a b  state\nother  c    state')
})
