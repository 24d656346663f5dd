import { expect, it } from 'vitest'
import { findQueued, queueTable } from '../../../src-main/cli/queue'
import { LaunchRequest } from '../../../src-main/contract/launch'
import type { QueuedLaunch } from '../../../src-main/contract/queue'

const item = (id: string, name: string, state: QueuedLaunch['state']): QueuedLaunch => ({
  id,
  name,
  state,
  queuedAt: 0,
  request: LaunchRequest.parse({ recipe: `/r/${name}.yaml`, target: 'gpu' })
})
const why = { en: 'Port 8900 is used.', zh: '端口 8900 已被使用。' }
const queue = [
  item('aa1', 'sao', { kind: 'waiting', why }),
  item('ab2', 'tttd', {
    kind: 'refused',
    at: 1,
    failure: { code: 'x', what: { en: 'No.', zh: '否。' } }
  }),
  item('ac3', 'sao', { kind: 'starting' })
]
const io = (language: 'en' | 'zh') => ({
  language,
  out: () => undefined,
  err: () => undefined,
  exit: () => undefined
})

it('says what waits, and why, in the order of starting', () => {
  expect(queueTable(io('en'), queue)).toBe(
    [
      'id   name  target  why',
      'aa1  sao   gpu     Port 8900 is used.',
      'ab2  tttd  gpu     Does not start: No.',
      'ac3  sao   gpu     Is being started.'
    ].join('\n')
  )
  expect(queueTable(io('zh'), [])).toBe('没有排队项。')
})

it('finds a launch by id, by its beginning, and by a name that only one has', () => {
  expect(findQueued(queue, 'ab').id).toBe('ab2')
  expect(findQueued(queue, 'tttd').id).toBe('ab2')
  for (const [wanted, code] of [
    ['sao', 'queue-ambiguous'],
    ['zz', 'queue-unknown']
  ] as const)
    expect(() => findQueued(queue, wanted)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code }) as unknown })
    )
})
