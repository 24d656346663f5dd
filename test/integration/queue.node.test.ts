import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
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

it('rings the bell for what does not start, and lets it be tried again', async () => {
  const request = LaunchRequest.parse({ recipe: yard.recipe, name: 'doubtful' })
  const item = { id: 'x1', request, name: 'doubtful', queuedAt: 1, state: { kind: 'starting' } }
  await mkdir(yard.home, { recursive: true })
  await writeFile(join(yard.home, 'queue.json'), JSON.stringify({ version: 1, queue: [item] }))
  const client = await open('all')
  for await (const { alerts, unseen } of await client.alerts.watch()) {
    if (alerts.length === 0) continue
    expect(unseen).toBe(1)
    expect(alerts).toMatchObject([{ kind: 'queue', run: null, runName: 'doubtful' }])
    expect(alerts[0]?.text.en).toContain('Slipway ended while this was being started')
    break
  }
  expect(await client.queue.again({ id: 'x1' })).toEqual({ done: true })
  for await (const { queue } of await client.queue.watch()) {
    expect(queue.map(({ state }) => state.kind)).not.toContain('refused')
    if (queue.length === 0) break
  }
  expect((await client.runs.list()).runs.map(({ name }) => name)).toEqual(['doubtful'])
}, 60_000)
