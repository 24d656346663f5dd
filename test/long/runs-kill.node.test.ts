import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleHost, comparePractice, killAndCompare } from '../support/kill-engine'
import { makeYard, practiceYard, type Yard } from '../support/run-service'

let tools: Yard
let host: string

beforeAll(async () => {
  tools = await makeYard()
  host = await bundleHost(tools.root)
})

afterAll(() => tools.remove())

it('loses and doubles nothing when the engine is killed at a hundred random moments', async () => {
  const yard = await practiceYard()
  try {
    await killAndCompare(host, yard, 100, comparePractice)
    expect.hasAssertions()
  } finally {
    await yard.remove()
  }
})
