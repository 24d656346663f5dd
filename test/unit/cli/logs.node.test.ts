import { expect, it } from 'vitest'
import { chosenSources } from '../../../src-main/cli/logs'
import type { LogSource } from '../../../src-main/contract/logs'
import { FailureError } from '../../../src-main/engine/lib'

const source = (id: string): LogSource => ({
  id,
  attempt: Number(id.split('/')[0]),
  service: id.split('/')[1] ?? '',
  bytes: 1,
  lines: 1
})
const all = ['1/reef', '1/driver', '2/reef', '2/stdout', '10/reef'].map(source)

it('prints the newest attempt, or the log that is named, by its id or its service', () => {
  const ids = (wanted?: string): string[] => chosenSources(all, wanted).map(({ id }) => id)
  expect(ids()).toEqual(['10/reef'])
  expect(ids('reef')).toEqual(['10/reef'])
  expect(ids('driver')).toEqual(['1/driver'])
  expect(ids('2/stdout')).toEqual(['2/stdout'])
})

it('names the logs there are where another is asked for', () => {
  const failure = (sources: LogSource[]): unknown => {
    try {
      return chosenSources(sources, 'ray')
    } catch (thrown) {
      return thrown instanceof FailureError ? thrown.failure : thrown
    }
  }
  expect(failure(all)).toMatchObject({
    code: 'log-source-unknown',
    where: 'ray',
    remedy: { en: 'It has 1/reef, 1/driver, 2/reef, 2/stdout, 10/reef.' }
  })
  expect(failure([])).toMatchObject({ what: { zh: '该运行还没有日志。' } })
})
