import { resolve } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Engine, openEngine } from '../../src-main/engine'
import { endStacksBelow } from '../support/kill-stack'
import { practiceYard, type Yard } from '../support/run-service'

let yard: Yard
let engine: Engine | null = null

beforeEach(async () => {
  yard = await practiceYard()
})

afterEach(async () => {
  await engine?.dispose()
  engine = null
  await endStacksBelow(yard.root)
  await yard.remove()
})

const open = async (watch: 'all' | 'asked') => {
  engine = await openEngine({
    home: yard.home,
    resources: yard.resources,
    recipes: resolve('recipes'),
    version: '0.0.0-test',
    host: null,
    watch
  })
  return createRouterClient(engine.router)
}

it('starts what waits by itself, preflight and all, and has it no longer', async () => {
  const client = await open('all')
  await client.queue.add({ recipe: yard.recipe, name: 'waited' })
  for await (const { queue } of await client.queue.watch()) {
    expect(queue.map(({ state }) => state.kind)).not.toContain('refused')
    if (queue.length === 0) break
  }
  const { runs } = await client.runs.list()
  expect(runs.map(({ name }) => name)).toEqual(['waited'])
  const folder = runs[0]?.id ?? ''
  expect((await client.preflight.saved({ run: folder }))?.verdict).not.toBe('fail')
}, 60_000)

it('says at once what could never start', async () => {
  const client = await open('asked')
  await expect(client.queue.add({ recipe: '/nowhere.yaml' })).rejects.toMatchObject({
    data: { code: expect.any(String) as string }
  })
})
