import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RunService } from '../../src-main/engine/stacks'
import { killStackAndCompare } from '../support/kill-practice'
import { endStacksBelow } from '../support/kill-stack'
import { openService, practiceYard, type Yard } from '../support/run-service'

let yard: Yard
let service: RunService

beforeEach(async () => {
  yard = await practiceYard()
  service = await openService(yard)
})

afterEach(async () => {
  await service.dispose()
  await endStacksBelow(yard.root)
  await yard.remove()
})

it('loses and doubles nothing when the stack is killed at ten random moments', async () => {
  await killStackAndCompare(service, yard, 10)
  expect.hasAssertions()
})
