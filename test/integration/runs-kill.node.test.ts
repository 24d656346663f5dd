import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  bundleHost,
  comparePractice,
  killAndCompare,
  killHost,
  startHost
} from '../support/kill-engine'
import { makeYard, openService, practiceYard, until, type Yard } from '../support/run-service'

let tools: Yard
let host: string

beforeAll(async () => {
  tools = await makeYard()
  host = await bundleHost(tools.root)
})

afterAll(() => tools.remove())

it('loses and doubles nothing when the engine is killed at ten random moments', async () => {
  const yard = await makeYard()
  try {
    await killAndCompare(host, yard, 10)
  } finally {
    await yard.remove()
  }
})

it('loses and doubles nothing of the practice stack’s either', async () => {
  const yard = await practiceYard()
  try {
    await killAndCompare(host, yard, 10, comparePractice)
  } finally {
    await yard.remove()
  }
})

it('forwards the acts of a second engine to the one that writes', async () => {
  const yard = await makeYard()
  const writer = startHost(host, yard, true)
  const run = await writer.ready
  if (run === null) throw new Error('the host launched nothing')
  const second = await openService(yard)
  try {
    await until(second, run, (detail) => detail.summary.step >= 2)
    expect((await second.get(run)).writer).toBe('other-process')
    await second.update({ run, notes: 'seen from elsewhere', starred: true })
    expect((await second.get(run)).notes).toBe('seen from elsewhere')
    expect((await second.get(run)).summary.starred).toBe(true)
    const { releaseId } = await second.rollback({ run, step: 1, why: 'forwarded' })
    const chain = await second.chain({ run })
    await until(second, run, (detail) => detail.summary.step > (chain.releases[0]?.step ?? 0))
    const row = (await second.chain({ run })).releases.find((one) => one.releaseId === releaseId)
    expect(row?.operation).toBe('rollback')
    await second.stop({ run, force: false })
    await until(second, run, (detail) => detail.summary.state.kind === 'stopped')
    const events = (await second.get(run)).events.map((event) => event.kind)
    expect(events.filter((kind) => kind === 'stop-asked')).toHaveLength(1)
  } finally {
    await second.dispose()
    await killHost(writer)
    await yard.remove()
  }
})
