import { expect, it } from 'vitest'
import { killStackAndCompare } from '../support/kill-practice'
import { endStacksBelow } from '../support/kill-stack'
import { openService, practiceYard } from '../support/run-service'

it('loses and doubles nothing when the stack is killed at a hundred random moments', async () => {
  const yard = await practiceYard()
  const service = await openService(yard)
  try {
    await killStackAndCompare(service, yard, 100)
    expect.hasAssertions()
  } finally {
    await service.dispose()
    await endStacksBelow(yard.root)
    await yard.remove()
  }
})
