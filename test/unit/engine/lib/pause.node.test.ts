import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { type Clock, pause } from '../../../../src-main/engine/lib'

/** A clock whose timers end when the test says so. */
function handClock(): { clock: Clock; end: () => void; timers: () => number } {
  const running = new Set<() => void>()
  const clock: Clock = {
    now: () => 0,
    ticks: () => 0,
    after(_ms, run) {
      running.add(run)
      return () => running.delete(run)
    }
  }
  return {
    clock,
    timers: () => running.size,
    end: () => {
      for (const run of [...running]) run()
    }
  }
}

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

it('leaves nothing at signals that live longer, however it ends', async () => {
  const { clock, end, timers } = handClock()
  const [long, other] = [new AbortController(), new AbortController()]
  for (let round = 0; round < 20; round += 1) {
    const over = pause(clock, 1, long.signal, other.signal)
    expect([listeners(long.signal), listeners(other.signal)]).toEqual([1, 1])
    end()
    await over
  }
  expect([listeners(long.signal), listeners(other.signal), timers()]).toEqual([0, 0, 0])
  const cut = pause(clock, 1, long.signal, undefined, other.signal)
  other.abort()
  await cut
  expect([listeners(long.signal), listeners(other.signal), timers()]).toEqual([0, 0, 0])
  await pause(clock, 1, long.signal, other.signal)
  expect([listeners(long.signal), timers()]).toEqual([0, 0])
})
