import { expect, it } from 'vitest'
import type { Companion } from '../../../../src-main/contract/launch'
import { systemClock } from '../../../../src-main/engine/lib'
import type { CompanionRecord } from '../../../../src-main/engine/runs'
import type { AttemptJournal } from '../../../../src-main/engine/stacks/attempt-journal'
import { Companions } from '../../../../src-main/engine/stacks/companions'
import {
  type StackHandle,
  type Target,
  UnreachableError
} from '../../../../src-main/engine/targets'

const agent: Companion = {
  name: 'agent',
  command: ['agent'],
  where: 'own-container',
  image: 'agent',
  environment: [],
  startWhenServing: true,
  stopWithRun: true,
  restart: 'never'
}
const stack: StackHandle = { kind: 'container', id: 'stack', name: 'stack', engine: 'd' }
const made: StackHandle = { kind: 'container', id: 'made', name: 'made', engine: 'd' }

/** Companions on an engine whose answer to a start does not come; `there`: what it has of it. */
function outOfReach(there: readonly StackHandle[]): {
  companions: Companions
  told: string[]
  starts: () => number
  record: () => CompanionRecord | undefined
} {
  const told: string[] = []
  let starts = 0
  const attempt: { companions: CompanionRecord[] } = { companions: [] }
  const journal = {
    run: 'r1',
    attempt: {
      number: 1,
      address: 'http://127.0.0.1:8900',
      runDir: '/srv/state/run',
      traffic: { reported: 0 },
      plan: {
        mounts: [{ host: '/srv/state', container: '/state', readOnly: false }],
        ports: [{ port: 8900, what: 'reef' }],
        companions: [agent],
        cwd: '/'
      }
    },
    seen: { scenarios: [] },
    store: { paths: () => ({ attempt: () => '/home/lin/runs/r1/logs/attempt-1' }) },
    change: (now: object) => Object.assign(journal.attempt, attempt, now),
    write: () => Promise.resolve(),
    tell: ({ kind }: { kind: string }) => Promise.resolve(void told.push(kind))
  }
  const away = { code: 'docker-no-answer', what: { en: 'away', zh: '无应答' } }
  const target = {
    start: () => {
      starts += 1
      return Promise.reject(new UnreachableError(away, null))
    },
    look: () => Promise.resolve({ kind: 'running' }),
    beside: {
      containers: () =>
        Promise.resolve(there.map((handle) => ({ name: 'agent', start: 1, handle })))
    }
  }
  const companions = new Companions({
    journal: journal as unknown as AttemptJournal,
    companions: [agent],
    here: () => Promise.reject(new Error('nothing runs here')),
    target: target as unknown as Target,
    stack,
    installation: 'test',
    secret: () => Promise.resolve(null),
    token: null,
    clock: systemClock
  })
  const record = (): CompanionRecord | undefined =>
    (journal.attempt as Partial<typeof attempt>).companions?.[0]
  return { companions, told, starts: () => starts, record }
}

it('a companion whose start was not answered is looked for, and is not started twice', async () => {
  const { companions, told, starts, record } = outOfReach([made])
  await expect(companions.look('serving')).rejects.toThrow(UnreachableError)
  expect(record()).toMatchObject({ starts: 1, handle: null, exit: null })
  await companions.look('serving')
  await companions.look('serving')
  expect(record()).toMatchObject({ starts: 1, handle: made, exit: null })
  expect(told).toEqual(['companion-started'])
  expect(starts()).toBe(1)
})

it('a companion that an engine out of reach did not start is told of', async () => {
  const { companions, told, record } = outOfReach([])
  await expect(companions.look('serving')).rejects.toThrow(UnreachableError)
  await companions.look('serving')
  expect(record()).toMatchObject({ starts: 1, handle: null, exit: { kind: 'unknown' } })
  expect(told).toEqual(['companion-not-started', 'companion-failing'])
})
