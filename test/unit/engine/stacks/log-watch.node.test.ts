import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import type { Clock } from '../../../../src-main/engine/lib'
import { LogWatch } from '../../../../src-main/engine/stacks/log-watch'
import type { WatchOptions } from '../../../../src-main/engine/stacks/watch-options'

/** Time that is over as soon as somebody waits. */
const noTime: Clock = {
  now: () => 0,
  ticks: () => 0,
  after(_ms, run) {
    queueMicrotask(run)
    return () => undefined
  }
}

it('waits for the last output again and again and leaves no listener at the signal of the attempt', async () => {
  const { signal } = new AbortController()
  const options = {
    clock: noTime,
    signal,
    target: { files: {} },
    journal: { attempt: { number: 1, runDir: '/r', plan: { environment: [] } } }
  }
  const logs = new LogWatch(options as unknown as WatchOptions)
  for (let round = 0; round < 20; round += 1) expect(await logs.copied(10_000)).toBe(false)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})
