import { expect, it } from 'vitest'
import { PracticeStack } from '../support/practice-stack'

const STEPS = 20
/** Seconds, from serving to the first release and between two. */
const FIRST = 10
const NEXT = 3

// Seconds of a real clock: in the long tier, which has the machine to itself.
it('at its default speed the practice stack publishes soon after it serves, and then steadily', async () => {
  const stack = await PracticeStack.create({ seed: 1 })
  try {
    stack.start()
    await stack.ready()
    const ready = Date.now() / 1000
    await stack.step(STEPS)
    const times = stack.commits().map((commit) => Number(commit['recorded_at']))
    const gaps = times.slice(1, STEPS).map((time, index) => time - (times[index] ?? 0))
    expect((times[0] ?? Number.NaN) - ready).toBeLessThanOrEqual(FIRST)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(NEXT)
    expect(await stack.stop()).toBe(0)
  } finally {
    await stack.dispose()
  }
}, 180_000)
