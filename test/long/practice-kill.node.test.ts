import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { expectGuarantees } from '../support/practice-guarantees'
import { isAlive, pause, PracticeStack } from '../support/practice-stack'

const KILLS = 50

it('survives fifty kills at random moments', async () => {
  const stack = await PracticeStack.create(
    { speed: 'max', 'global-batch-size': 8 },
    { flags: ['--recipe.config.batch-size', '8'] }
  )
  try {
    for (let round = 0; round < KILLS; round += 1) {
      stack.start()
      await stack.ready()
      await pause(randomInt(0, 1500))
      const victims = [stack.child?.pid ?? 0, ...stack.pids()]
      const victim = victims[randomInt(0, victims.length)] ?? 0
      if (isAlive(victim)) process.kill(victim, 'SIGKILL')
      await stack.exit
      await stack.gone()
    }
    const before = stack.commits().length
    stack.start()
    await stack.step(before + 2)
    expect(await stack.stop()).toBe(0)
    expect(stack.commits().length).toBeGreaterThan(KILLS / 2)
    expectGuarantees(stack, [])
  } finally {
    await stack.dispose()
  }
})
